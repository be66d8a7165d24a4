// The API's reference at /docs, for who has no account here: Swagger UI over this server's own OpenAPI document.
import SwaggerUI from "@fastify/swagger-ui/static/swagger-ui-bundle.js";
import "@fastify/swagger-ui/static/swagger-ui.css";

SwaggerUI({
  dom_id: "#reference",
  url: "/openapi.json",
  deepLinking: true,
  // The document goes to nobody else to be checked.
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
});
