// Customers and invoicing over real HTTP: keys in the body, the envelope around every answer, and the published
// document. Fields are in the files of the routes.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dereferenced } from "../support/dereferenced.ts";
import { Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { ask, CUSTOMER_DETAIL, CUSTOMER_LIST, CUSTOMER_SAVE, CUSTOMER_UPDATE } from "../support/merchant-wire.ts";
import { nodalJson } from "../support/nodal.ts";

const PATHS = [CUSTOMER_SAVE, CUSTOMER_UPDATE, CUSTOMER_DETAIL, CUSTOMER_LIST];
/** Longer than a server remembers a key. */
const REMEMBERED_MS = 2500;
const WRONG_KEYS = { status: 401, code: "invalid_keys" };

let installation: Installation;
let merchant: TestMerchant;

beforeAll(async () => {
  installation = await Installation.start({ RATE_LIMIT_PER_MINUTE: "30", TRUST_PROXY: "127.0.0.1" });
});
afterAll(() => installation.stop());

/** Sends from an address of its own, so that wrong keys of one test do not count in another. */
function from(address: string): Record<string, string> {
  return { "x-forwarded-for": address };
}

describe.each(PATHS)("%s", (path) => {
  beforeAll(async () => {
    merchant = await installation.newMerchant();
  });

  test("refuses wrong keys before it looks at the fields", async () => {
    const other = await installation.newMerchant();
    const headers = from(`198.51.100.${PATHS.indexOf(path) + 1}`);
    const keys: Members[] = [
      {},
      { access_key_id: merchant.keys.access_key_id },
      { ...merchant.keys, secret_access_key: other.keys.secret_access_key },
      { ...merchant.keys, access_key_id: "nk_1_1000_0123456789ab" },
      { access_key_id: 5, secret_access_key: ["x"] },
      { ...merchant.keys, secret_access_key: ` ${merchant.keys.secret_access_key}` },
    ];
    for (const wrong of keys) {
      expect(await installation.send("POST", path, { ...wrong, customer: 5 }, headers)).toBeFailure(WRONG_KEYS);
    }
    const bearer = { ...headers, authorization: `Bearer ${merchant.token}` };
    expect(await installation.send("POST", path, {}, bearer)).toBeFailure(WRONG_KEYS);
  });

  test("takes good keys, says what is left of the limit, and then looks at the fields", async () => {
    const answer = await ask(installation, merchant, path, {});
    expect(answer.body).toMatchObject({ errcode: "validation_failed", srvrsp: null });
    expect(answer.headers.get("ratelimit-limit")).toBe("30");
    expect(Number(answer.headers.get("ratelimit-remaining"))).toBeGreaterThan(0);
    expect(JSON.stringify(answer.body)).not.toContain(merchant.keys.secret_access_key);
  });

  test("answers what can't be read in the envelope too", async () => {
    const headers = from("203.0.113.9");
    const send = (body: string | undefined, more: Record<string, string> = {}) =>
      installation.send("POST", path, body, { ...headers, ...more });
    for (const body of ["{", "[]", "null", '{"a":NaN}', "[".repeat(10_000)]) {
      expect(await send(body)).toBeFailure({ status: 400, code: "malformed_json" });
    }
    const text = { "content-type": "text/plain" };
    expect(await send("{}", text)).toBeFailure({ status: 415, code: "unsupported_media_type" });
    const large = `{"padding":"${"x".repeat(4 * 1024 * 1024)}"}`;
    expect(await send(large)).toBeFailure({ status: 413, code: "body_too_large" });
    const wrongMethod = await installation.send("GET", path);
    expect(wrongMethod).toBeFailure({ status: 405, code: "method_not_allowed" });
    expect(wrongMethod.headers.get("allow")).toBe("POST");
  });
});

test.each(["/api/v1/merchant", "/api/v1/merchant/customer", "/api/v3/merchant/nothing/here"])(
  "%s is nothing: 404 in the envelope",
  async (path) => {
    expect(await installation.send("POST", path, "{")).toBeFailure({ status: 404, code: "not_found" });
  },
);

test("a path that only looks like one of the merchant routes is answered without envelope", async () => {
  const answer = await installation.send("GET", "/api/v1/merchants");
  expect(answer.body).toMatchObject({ status: 0, code: "not_found" });
});

test("times are the merchant's own", async () => {
  const who = await installation.newMerchant();
  await nodalJson(installation.environment, "merchant", "set", "--merchant", who.id, "--time-zone", "Pacific/Auckland");
  await sleep(REMEMBERED_MS);
  const { body } = await ask(installation, who, CUSTOMER_LIST, { searchby: "name" });
  const now = Temporal.Now.plainDateTimeISO("Pacific/Auckland");
  const answered = Temporal.PlainDateTime.from((body.resptime as string).replace(" ", "T"));
  expect(Math.abs(now.since(answered).total("seconds"))).toBeLessThan(10);
  expect(body.reqtime <= body.resptime).toBe(true);
});

test("a revoked key and a suspended merchant are refused within seconds", async () => {
  const who = await installation.newMerchant();
  const search = { searchby: "name", keyword: "x" };
  expect(await ask(installation, who, CUSTOMER_LIST, search)).toBeSuccess("read", 0);
  await nodalJson(installation.environment, "merchant", "set", "--merchant", who.id, "--suspend");
  await sleep(REMEMBERED_MS);
  const denied = { status: 403, code: "access_denied" };
  expect(await ask(installation, who, CUSTOMER_LIST, search)).toBeFailure(denied);
  await nodalJson(installation.environment, "merchant", "set", "--merchant", who.id, "--activate");
  const key = ["--merchant", who.id, "--key", who.keys.access_key_id];
  await nodalJson(installation.environment, "key", "revoke", ...key);
  await sleep(REMEMBERED_MS);
  expect(await ask(installation, who, CUSTOMER_LIST, search)).toBeFailure(denied);
});

test("both groups count together: the 31st request inside a minute gets 429", async () => {
  const who = await installation.newMerchant();
  for (let count = 2; count <= 30; count += 1) {
    const answer = count % 2 ? await who.balance() : await ask(installation, who, CUSTOMER_LIST, { searchby: "name" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("ratelimit-remaining")).toBe(String(30 - count));
  }
  const limited = await ask(installation, who, CUSTOMER_SAVE, {
    customer: [{ customer_code: "x", customer_name: "X" }],
  });
  expect(limited).toBeFailure({ status: 429, code: "rate_limited" });
  expect(limited.headers.get("retry-after")).toBe(limited.headers.get("ratelimit-reset"));
  expect((await who.balance()).status).toBe(429);
});

test("wrong keys count against the caller's address and never against the merchant", async () => {
  const who = await installation.newMerchant();
  const guess = () =>
    installation.send("POST", CUSTOMER_LIST, { ...who.keys, secret_access_key: "guess" }, from("198.51.100.77"));
  for (let count = 1; count <= 30; count += 1) expect(await guess()).toBeFailure(WRONG_KEYS);
  expect(await guess()).toBeFailure({ status: 429, code: "rate_limited" });
  expect(await ask(installation, who, CUSTOMER_LIST, { searchby: "name" }, from("198.51.100.77"))).toBeSuccess(
    "read",
    0,
  );
});

test("the OpenAPI document shows the keys, the envelope of success and of errors", async () => {
  type Document = {
    paths: Record<string, Record<string, unknown>>;
    components: { schemas: Record<string, { properties: Members }> };
  };
  const body = dereferenced((await installation.send("GET", "/openapi.json")).body as Document);
  for (const path of PATHS) {
    const operation = body.paths[path]!["post"] as {
      requestBody: { content: Record<string, { schema: { required?: string[]; properties: Members } }> };
      responses: Record<string, { content: Record<string, { schema: Members }> }>;
    };
    const { schema } = operation.requestBody.content["application/json"]!;
    expect(Object.keys(schema.properties), path).toEqual(
      expect.arrayContaining(["access_key_id", "secret_access_key"]),
    );
    // `Authorization: Basic` can carry them.
    expect(schema.required ?? [], path).not.toContain("access_key_id");
    const success = operation.responses["200"]!.content["application/json"]!.schema["properties"] as Members;
    expect(Object.keys(success)).toEqual(
      expect.arrayContaining(["reqtime", "resptime", "srvrsp", "errcode", "errlist"]),
    );
    const failure = operation.responses["401"]!.content["application/json"]!.schema;
    expect(failure).toEqual(body.components.schemas["EnvelopeError"]);
  }
  expect(Object.keys(body.components.schemas["EnvelopeError"]!.properties)).toContain("errmsg");
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
