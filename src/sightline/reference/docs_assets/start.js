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
