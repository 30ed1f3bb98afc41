// Swagger UI is dark where its page has this class.
const dark = matchMedia("(prefers-color-scheme: dark)");
const showScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", showScheme);
showScheme();

// Addresses are relative to the page, so a prefix in front of /docs does no harm.
// Without `validatorUrl: null` the page would send the document's address to a public validator.
SwaggerUIBundle({
  url: "api/external/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
