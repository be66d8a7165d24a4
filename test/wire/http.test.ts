// The HTTP of every route: paths, methods, bodies that can't be read, and the published document. Fields are in the
// files of the routes.
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dereferenced } from "../support/dereferenced.ts";
import { expectNoChange } from "../support/expect-wire.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";

const MEBIBYTE = 1024 * 1024;
/** How large a body may be: nobody is known yet who asks for a token. */
const limitOf = (path: string): number => (path === "/api/token" ? MEBIBYTE / 16 : MEBIBYTE);
/** The routes of tokens and payouts. */
const ROUTES = {
  "/api/token": ["post"],
  "/api/v1/beneficiary/save": ["post"],
  "/api/v1/beneficiary/transfer": ["post"],
  "/api/v1/beneficiary/list": ["get"],
  "/api/v1/beneficiary/detail": ["post"],
  "/api/v1/payout/withdraw": ["post"],
  "/api/v1/payout/balance": ["get"],
  "/api/v1/payout/transferstatus/{type}/{id}": ["get"],
};
const POSTS = Object.entries(ROUTES).flatMap(([path, methods]) => (methods.includes("post") ? [path] : []));

let installation: Installation;
let merchant: TestMerchant;

beforeAll(async () => {
  installation = await Installation.shared();
  merchant = await installation.newMerchant({ fund: "100.00", bank: GOOD_ACCOUNT });
  await merchant.addBeneficiary();
});
afterAll(() => installation.stop());

describe("paths and methods", () => {
  test.each([
    "/nothing",
    "/api",
    "/api/v1/beneficiary",
    "/api/v1/payout/transferstatus/transferid",
    "/api/v1/nothing/here",
  ])("%s is nothing: 404", async (path) => {
    expect(await installation.send("GET", path)).toBeRefusal({ status: 404, code: "not_found" });
    expect(await merchant.post(path, "{ not json")).toBeRefusal({ status: 404, code: "not_found" });
  });

  test.each(Object.entries(ROUTES))("%s takes only %s: 405", async (route, [method]) => {
    const path = route.replace("{type}", "transferid").replace("{id}", "1");
    const allowed = method === "get" ? ["GET", "HEAD"] : ["POST"];
    for (const wrong of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((one) => !allowed.includes(one))) {
      const answer = await installation.send(wrong, path);
      expect(answer).toBeRefusal({ status: 405, code: "method_not_allowed" });
      expect(answer.headers.get("allow")).toBe(allowed.join(", "));
    }
  });
});

test.each(["/", "/assets/nothing.js", "/healthz", "/readyz", "/metrics", "/openapi.json", "/i/nothing", "/api/v4/me"])(
  "what %s answers is taken for nothing else",
  async (path) => {
    const answer = await installation.send("GET", path);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  },
);

describe.each(POSTS)("a body for %s", (path) => {
  test("that is no JSON object in UTF-8 is malformed", async () => {
    const bodies: (string | Uint8Array)[] = [
      "{",
      "{}}",
      '{"amount": 1,}',
      "{'amount': 1}",
      "[]",
      '"text"',
      "1",
      "null",
      '{"amount": 01}',
      '{"a": NaN}',
      "[".repeat(60_000),
      `{"a":${"[".repeat(40)}${"]".repeat(40)}}`,
      Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
      Buffer.from('{"name":"\u00e9"}', "latin1"),
    ];
    await expectNoChange(merchant, async () => {
      for (const body of bodies)
        expect(await merchant.post(path, body)).toBeRefusal({ status: 400, code: "malformed_json" });
    });
  });

  test("of another content type is refused", async () => {
    const types = ["text/plain", "application/xml", "application/json; charset=latin1", "application/jsonx"];
    for (const type of types) {
      const answer = await merchant.post(path, "{}", { "content-type": type });
      expect(answer).toBeRefusal({ status: 415, code: "unsupported_media_type" });
    }
    const zipped = await merchant.post(path, "{}", { "content-encoding": "gzip" });
    expect(zipped).toBeRefusal({ status: 415, code: "unsupported_media_type" });
    if (path === "/api/token") return;
    const form = await merchant.post(path, new URLSearchParams({ amount: "1" }));
    expect(form).toBeRefusal({ status: 415, code: "unsupported_media_type" });
  });

  test("of more than 1 MiB is refused, one of 1 MiB is read; for a token, of 64 KiB", async () => {
    const padded = (size: number) => `{"padding":"${"x".repeat(size - '{"padding":""}'.length)}"}`;
    const fits = await merchant.post(path, padded(limitOf(path)));
    expect(fits.status).toBe(path === "/api/token" ? 401 : 400);
    expect(fits.body.code).not.toBe("malformed_json");
    const larger = await merchant.post(path, padded(limitOf(path) + 1));
    expect(larger).toBeRefusal({ status: 413, code: "body_too_large" });
  });
});

test("a body of no declared length is cut off at 1 MiB", async () => {
  const { hostname, port } = new URL(installation.server.baseUrl);
  const answer = await new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${merchant.token}` };
    const request = httpRequest({ hostname, port, method: "POST", path: "/api/v1/payout/withdraw", headers });
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }));
    });
    request.write(`{"padding":"${"x".repeat(MEBIBYTE)}`);
    request.end('"}');
  });
  expect(answer).toMatchObject({ status: 413, body: { status: 0, code: "body_too_large" } });
});

test("a charset of UTF-8 and a byte order mark are taken, unknown fields and poisoned names ignored", async () => {
  const body = '\ufeff{"account_number":"026291800001191","ifsc":"YESB0000262","x":{"y":1},"__proto__":{"ifsc":"x"}}';
  const headers = { "content-type": 'application/json; charset="UTF-8"' };
  const answer = await merchant.post("/api/v1/beneficiary/detail", body, headers);
  expect(answer.status).toBe(200);
});

test("answers never show the inside of the server", async () => {
  const body = { account_number: "'; select pg_sleep(1); --", ifsc: "%00" };
  const answer = await merchant.post("/api/v1/beneficiary/detail", body);
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).not.toMatch(/select|\bat \/|node:|\.ts\b/);
  expect(answer.headers.get("server")).toBeNull();
  expect(answer.headers.get("x-powered-by")).toBeNull();
});

describe("for operators", () => {
  test.each(["/healthz", "/readyz"])("%s answers without a token", async (path) => {
    expect((await installation.send("GET", path)).status).toBe(200);
  });

  test("/metrics counts requests by route, never by what is in the path", async () => {
    await merchant.status("referenceid", "secret-looking-reference");
    const text = await (await fetch(`${installation.server.baseUrl}/metrics`)).text();
    expect(text).toContain("/api/v1/payout/transferstatus/:type/:id");
    expect(text).not.toContain("secret-looking-reference");
  });
});

describe("/openapi.json", () => {
  type Schema = { properties?: Record<string, Schema & { maxLength?: number; maximum?: number }>; required?: string[] };
  type Operation = {
    security?: unknown[];
    requestBody?: { content: Record<string, { schema: Schema }> };
    responses: Record<string, unknown>;
  };
  type Document = { openapi: string; paths: Record<string, Record<string, Operation>> };
  let document: Document;

  beforeAll(async () => {
    document = dereferenced((await installation.send("GET", "/openapi.json")).body as Document);
  });

  test("is OpenAPI 3.1 and has every route of tokens and payouts", () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const shown = Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods)]);
    expect(Object.fromEntries(shown)).toMatchObject(ROUTES);
  });

  test("says of each route which token it needs, what it answers, and how long its texts may be", () => {
    for (const [path, methods] of Object.entries(ROUTES)) {
      const operation = document.paths[path]![methods[0]!]!;
      expect(Object.keys(operation.responses), path).toEqual(expect.arrayContaining(["200", "401", "403", "429"]));
      expect(operation.security, path).toEqual(path === "/api/token" ? [] : [{ bearerAuth: [] }]);
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
        for (const [name, field] of Object.entries(schema.properties ?? {})) {
          expect(field.maxLength ?? field.maximum, `${path} ${name}`).toBeGreaterThan(0);
        }
      }
    }
  });
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
