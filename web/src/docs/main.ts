// The API's reference at /docs, for people without an account here: Swagger UI over this server's own OpenAPI document, in the
// dashboard's colours and typeface, with a list of the operations beside it.
import SwaggerUI from "@fastify/swagger-ui/static/swagger-ui-bundle.js";
import "@fastify/swagger-ui/static/swagger-ui.css";
import "./docs.css";
import { loadTypeface } from "../app/typeface.ts";
import { showContents } from "./contents.ts";
import { fetchSnippet } from "./fetch-snippet.ts";
import { followColours, setMeasures } from "./look.ts";

setMeasures();
followColours();
// Text that is drawn before its typeface has loaded would move.
await loadTypeface("Inter");

const ui = SwaggerUI({
  dom_id: "#reference",
  url: "/openapi.json",
  deepLinking: true,
  // Don't send the document to an external validator.
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  // The tasks are an index. With more than 150 operations open, Swagger UI draws only those in view.
  docExpansion: "none",
  displayOperationId: true,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: "curl", syntax: "bash" },
      fetch: { title: "JavaScript", syntax: "javascript" },
    },
  },
  plugins: [() => ({ fn: { requestSnippetGenerator_fetch: fetchSnippet } })],
  onComplete: () => {
    showContents(ui.specSelectors.specJson().toJS());
    // Swagger UI itself reads the address once, when it has loaded the document.
    addEventListener("hashchange", () => ui.layoutActions.parseDeepLinkHash(decodeURIComponent(location.hash)));
  },
});
