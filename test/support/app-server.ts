// A server with a few routes of every kind, for the tests of this folder.
import { Writable } from "node:stream";
import { pino } from "pino";
import { Type } from "typebox";
import { NodalError } from "../../src/platform/errors.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { clientAddress } from "../../src/platform/http/client-address.ts";
import * as fields from "../../src/platform/http/fields.ts";
import { acceptForms } from "../../src/platform/http/forms.ts";
import { BEARER_SECURITY, errorResponses } from "../../src/platform/http/openapi.ts";
import {
  createHttpServer,
  setErrorFormat,
  type HttpServer,
  type HttpServerOptions,
} from "../../src/platform/http/server.ts";

export type TestServer = { readonly app: HttpServer; readonly logLines: string[]; readonly close: () => Promise<void> };

const order = fields.object({
  beneficiary_id: fields.digitsOrNumber(16),
  amount: fields.money(),
  reference_id: fields.textOrNumber(64),
  mode: fields.optional(fields.oneOf(["banktransfer", "upi"])),
  narrative: fields.optionalText(100),
});

/** Doesn't listen by itself: use `inject`, or listen with it. Log lines are collected in `logLines`. */
export async function createTestServer(
  options: Partial<HttpServerOptions> & { readonly logLevel?: string } = {},
): Promise<TestServer> {
  const logLines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logLines.push(String(chunk));
      done();
    },
  });
  const metrics = createMetrics();
  const logger = pino({ level: options.logLevel ?? "info" }, stream) as unknown as HttpServerOptions["logger"];
  const app = await createHttpServer({ logger, metrics, trustProxy: [], publicUrl: null, ...options });
  addOrders(app);
  addFailures(app);
  await app.register(async (part) => {
    await acceptForms(part);
    const body = fields.object({ access_key_id: fields.requiredText(64), secret_access_key: fields.rawText(128) });
    part.post("/token", { schema: { body } }, async (request) => request.body);
  });
  await app.register(async (part) => {
    setErrorFormat(part, (error) => ({ errcode: error.code, errlist: error.errors }));
    part.post("/envelope", { schema: { body: order } }, async () => ({}));
  });
  return {
    app,
    logLines,
    close: async () => {
      await app.close();
      await metrics.close();
    },
  };
}

function addOrders(app: HttpServer): void {
  const response = {
    200: Type.Object({
      status: Type.Literal("1"),
      paise: Type.String(),
      mode: Type.Union([Type.String(), Type.Null()]),
    }),
    ...errorResponses("validation_failed", "malformed_json", "missing_token", "unavailable"),
  };
  app.post("/orders", { schema: { body: order, response, security: BEARER_SECURITY } }, async (request) => {
    const { amount, mode } = request.body;
    return { status: "1" as const, paise: amount.toString(), mode };
  });
  const params = fields.object({ id: fields.digitsOrNumber(16) });
  const querystring = fields.object({ page: fields.optional(fields.wholeNumber(1, 1000)) });
  app.get("/orders/:id/detail", { schema: { params, querystring } }, async (request) => ({
    ...request.params,
    ...request.query,
  }));
  app.get("/address", async (request) => ({ address: clientAddress(request) }));
}

function addFailures(app: HttpServer): void {
  app.get("/crash", () => {
    throw Object.assign(new Error("select * from secret_table"), { statusCode: 418, expose: true });
  });
  app.get("/unavailable", () => {
    throw new NodalError("unavailable", "The database can't be reached. Try again.", {
      cause: new Error("hidden cause"),
    });
  });
  app.get("/limited", () => {
    throw new NodalError("rate_limited", "Wait and try again.", { rate: { limit: 30, remaining: 0, resetMs: 6500 } });
  });
  app.get("/exists", () => {
    throw new NodalError("beneficiary_exists", "It exists.", { details: { beneficiary_id: "5" } });
  });
  app.get("/expired", () => {
    throw new NodalError("expired_token", "Ask for a new token.");
  });
}
