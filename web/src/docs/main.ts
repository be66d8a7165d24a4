// The API's reference at /docs, for who has no account here: Swagger UI over this server's own OpenAPI document.
import SwaggerUI from "@fastify/swagger-ui/static/swagger-ui-bundle.js";
import "@fastify/swagger-ui/static/swagger-ui.css";

/** Swagger UI has a dark mode, and leaves it to the page when. */
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = (): void => void document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

SwaggerUI({
  dom_id: "#reference",
  url: "/openapi.json",
  deepLinking: true,
  // The document goes to nobody else to be checked.
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  // The tasks are an index. With more than 150 operations open, Swagger UI draws only those in view.
  docExpansion: "none",
  displayOperationId: true,
});
