// The OpenAPI document without a server: the routes are added to an app that answers nothing else.
import { describeApi } from "../src/api-reference/index.ts";
import { createHttpServer } from "../src/platform/http/server.ts";
import { createLogger } from "../src/platform/log.ts";
import { registerApi, type ApiParts } from "../src/server.ts";

/** Makes the document, as a server without PUBLIC_URL serves it. */
export async function makeApiDocument(): Promise<object> {
  const logger = createLogger("silent");
  const app = await createHttpServer({ logger, metrics: null, trustProxy: [], publicUrl: null, describeApi });
  // No handler is called: none needs its parts.
  const parts = { payouts: {}, dashboard: {} } as ApiParts;
  await registerApi(app, {} as never, parts);
  await app.ready();
  const { body, statusCode } = await app.inject("/openapi.json");
  await app.close();
  if (statusCode !== 200) throw new Error(`the document can't be made: ${body}`);
  return JSON.parse(body) as object;
}
