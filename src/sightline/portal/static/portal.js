// A vote that was lost keeps its button, and the page says so. Answers of the portal name how they are swapped in;
// an answer without that comes from something between, such as a proxy.
const status = document.getElementById("status");

function say(text) {
  status.textContent = "";
  setTimeout(() => (status.textContent = text), 50); // a change is read out, also to the same words
}

function lost({ detail: { ctx } }) {
  if (ctx?.request?.method === "POST") say(status.dataset.lost);
}

document.addEventListener("htmx:error", lost);
document.addEventListener("htmx:before:response", (event) => {
  const { reswap, redirect } = event.detail.ctx.hx;
  if (reswap || redirect) return;
  event.preventDefault();
  lost(event);
});
if (status.textContent) say(status.textContent);
