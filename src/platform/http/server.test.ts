// Checks of the server's common behaviour, by injected requests.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestServer, type TestServer } from "../../../test/support/app-server.ts";

const JSON_TYPE = { "content-type": "application/json" };
const ORDER = { beneficiary_id: 12, amount: "100.50", reference_id: "R-1" };

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

const send = (
  method: "GET" | "POST" | "HEAD" | "PUT" | "OPTIONS",
  url: string,
  payload?: string,
  headers: Record<string, string> = JSON_TYPE,
) => server.app.inject({ method, url, ...(payload === undefined ? {} : { payload, headers }) });

describe("bodies", () => {
  test("are decoded for the handler", async () => {
    const answer = await send("POST", "/orders", JSON.stringify(ORDER));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ status: "1", paise: "10050", mode: null });
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.keys(answer.headers)).not.toContain("server");
  });

  test.each([
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "Application/JSON",
    "application/json; boundary=x",
  ])("of type %s are taken", async (type) =>
    expect((await send("POST", "/orders", JSON.stringify(ORDER), { "content-type": type })).statusCode).toBe(200),
  );

  test.each([
    { "content-type": "text/plain" },
    { "content-type": "application/json; charset=latin1" },
    { "content-type": "application/json; charset=utf-16" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/problem+json" },
    { "content-type": "nonsense" },
    { "content-type": "" },
    { "content-type": "application/json", "content-encoding": "gzip" },
    { "content-length": String(JSON.stringify(ORDER).length) },
  ] as Record<string, string>[])("with %j are 415", async (headers) => {
    const answer = await server.app.inject({
      method: "POST",
      url: "/orders",
      payload: Buffer.from(JSON.stringify(ORDER)),
      headers,
    });
    expect(answer.statusCode).toBe(415);
    expect(answer.json()).toMatchObject({ status: 0, code: "unsupported_media_type" });
    expect(answer.json().error).toMatch(/Send the body/);
  });

  test("that are missing are told so", async () => {
    expect((await send("POST", "/orders")).json()).toMatchObject({ code: "malformed_json" });
    expect((await send("POST", "/orders", "")).json()).toMatchObject({ code: "malformed_json" });
  });

  test("over the limit are 413", async () => {
    const answer = await send("POST", "/orders", JSON.stringify({ ...ORDER, x: "x".repeat(1024 * 1024) }));
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toMatchObject({ status: 0, code: "body_too_large" });
  });

  test("of a megabyte are read", async () => {
    const answer = await send("POST", "/orders", JSON.stringify({ ...ORDER, x: "x".repeat(1024 * 1024 - 200) }));
    expect(answer.statusCode).toBe(200);
  });

  test("with wrong fields name them all", async () => {
    const answer = await send(
      "POST",
      "/orders",
      '{"amount":1e3,"mode":"x","narrative":[],"__proto__":{"reference_id":"R"}}',
    );
    expect(answer.statusCode).toBe(400);
    const body = answer.json() as { code: string; errors: { field: string; code: string }[] };
    expect(body.code).toBe("validation_failed");
    expect(body.errors.map(({ field, code }) => [field, code])).toEqual([
      ["beneficiary_id", "required"],
      ["amount", "invalid"],
      ["reference_id", "required"],
      ["mode", "not_allowed"],
      ["narrative", "invalid"],
    ]);
  });

  test("are taken as forms only where that is declared", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await send("POST", "/token", "access_key_id=+a+&secret_access_key=+b+", form);
    expect(answer.json()).toEqual({ access_key_id: "a", secret_access_key: " b " });
    const twice = await send("POST", "/token", "access_key_id=a&access_key_id=b&secret_access_key=c", form);
    expect(twice.json()).toMatchObject({ errors: [{ field: "access_key_id", code: "invalid" }] });
  });

  test("in multipart form", async () => {
    const form = new FormData();
    form.set("access_key_id", "a");
    form.set("secret_access_key", " b ");
    const request = new Request("http://x/", { method: "POST", body: form });
    const payload = Buffer.from(await request.arrayBuffer());
    const headers = { "content-type": request.headers.get("content-type")! };
    expect((await server.app.inject({ method: "POST", url: "/token", payload, headers })).json()).toEqual({
      access_key_id: "a",
      secret_access_key: " b ",
    });
    const large = await server.app.inject({ method: "POST", url: "/token", payload: Buffer.alloc(70_000), headers });
    expect(large.json()).toMatchObject({ code: "body_too_large" });
    for (const broken of [
      { "content-type": "multipart/form-data" },
      { "content-type": "multipart/form-data; boundary=other" },
    ]) {
      const answer = await server.app.inject({ method: "POST", url: "/token", payload, headers: broken });
      expect(answer.json()).toMatchObject({ code: "malformed_request" });
    }
    // Ends in the middle of a part, when the parts before it have been read.
    const torn = payload.toString("latin1").replace(/\r\n--[^\r]*--\r\n$/, "");
    const answer = await server.app.inject({ method: "POST", url: "/token", payload: torn, headers });
    expect(answer.json()).toMatchObject({ code: "malformed_request" });
  });

  test("in forms have at most 32 fields and 64 KiB", async () => {
    const ask = async (form: FormData | URLSearchParams): Promise<[number, string | undefined]> => {
      const request = new Request("http://x/", { method: "POST", body: form });
      const answer = await server.app.inject({
        method: "POST",
        url: "/token",
        payload: Buffer.from(await request.arrayBuffer()),
        headers: { "content-type": request.headers.get("content-type")! },
      });
      return [answer.statusCode, answer.json<{ code?: string }>().code];
    };
    const fields = { access_key_id: "a", secret_access_key: "b" };
    const formOf = (more: number): FormData => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      for (let number = 0; number < more; number += 1) form.set(`field_${number}`, "x");
      return form;
    };
    expect(await ask(formOf(30))).toEqual([200, undefined]);
    expect(await ask(formOf(31))).toEqual([400, "malformed_request"]);
    const urlencoded = (length: number) => new URLSearchParams({ ...fields, padding: "x".repeat(length) });
    expect(await ask(urlencoded(60_000))).toEqual([200, undefined]);
    expect(await ask(urlencoded(70_000))).toEqual([413, "body_too_large"]);
  });

  test("in multipart form can't bring files", async () => {
    const form = new FormData();
    form.set("access_key_id", new Blob(["a"]), "key.txt");
    const request = new Request("http://x/", { method: "POST", body: form });
    const headers = { "content-type": request.headers.get("content-type")! };
    const answer = await server.app.inject({
      method: "POST",
      url: "/token",
      payload: Buffer.from(await request.arrayBuffer()),
      headers,
    });
    expect(answer.json()).toMatchObject({ code: "malformed_request" });
  });
});

describe("paths", () => {
  test("that are unknown are 404, whatever the body", async () => {
    for (const answer of [
      await send("GET", "/nope"),
      await send("POST", "/nope", "{", JSON_TYPE),
      await send("GET", "/orders/1/2/3"),
    ]) {
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ status: 0, code: "not_found" });
    }
  });

  test("with another method are 405 and name the right one", async () => {
    const answer = await send("GET", "/orders");
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, "POST"]);
    expect(answer.json()).toMatchObject({ status: 0, code: "method_not_allowed" });
    const parametric = await send("POST", "/orders/5/detail?x=1", "{", { "content-type": "text/plain" });
    expect([parametric.statusCode, parametric.headers.allow]).toEqual([405, "GET, HEAD"]);
    expect((await send("OPTIONS", "/orders")).statusCode).toBe(405);
    expect((await send("GET", "/envelope")).json()).toEqual({ errcode: "method_not_allowed", errlist: [] });
  });

  test("that take GET take HEAD", async () => {
    const answer = await send("HEAD", "/address");
    expect([answer.statusCode, answer.body]).toEqual([200, ""]);
  });

  test("that are broken or overlong are told so", async () => {
    expect((await send("GET", "/%zz")).json()).toMatchObject({ status: 0, code: "malformed_request" });
    expect((await send("GET", "/%zz")).headers["x-request-id"]).toBeDefined();
    expect((await send("GET", `/orders/${"1".repeat(2000)}/detail`)).json()).toMatchObject({ code: "not_found" });
  });

  test("check their parameters", async () => {
    expect((await send("GET", "/orders/007/detail?page=3")).json()).toEqual({ id: "007", page: 3 });
    expect((await send("GET", "/orders/7/detail")).json()).toEqual({ id: "7", page: null });
    expect((await send("GET", "/orders/x/detail")).json()).toMatchObject({ errors: [{ field: "id" }] });
    expect((await send("GET", "/orders/1/detail?page=0")).json()).toMatchObject({ errors: [{ field: "page" }] });
    expect((await send("GET", "/orders/1/detail?page=1&page=2")).json()).toMatchObject({ errors: [{ field: "page" }] });
  });
});

describe("errors", () => {
  test("that are unexpected hide their text and are logged with the request's id", async () => {
    const answer = await send("GET", "/crash");
    expect(answer.statusCode).toBe(500);
    const id = answer.headers["x-request-id"];
    expect(answer.json()).toEqual({ status: 0, code: "internal_error", error: expect.any(String), request_id: id });
    expect(answer.body).not.toContain("secret_table");
    const line = server.logLines.find((candidate) => candidate.includes(String(id)));
    expect(JSON.parse(line!)).toMatchObject({
      request_id: id,
      route: "/crash",
      err: { stack: expect.stringContaining("secret_table") },
    });
  });

  test("carry their headers and details", async () => {
    const unavailable = await send("GET", "/unavailable");
    expect([unavailable.statusCode, unavailable.headers["retry-after"]]).toEqual([503, "1"]);
    expect(unavailable.json().request_id).toBe(unavailable.headers["x-request-id"]);
    expect(unavailable.body).not.toContain("hidden cause");
    const limited = await send("GET", "/limited");
    expect([limited.statusCode, limited.headers["retry-after"]]).toEqual([429, "7"]);
    expect(limited.headers).toMatchObject({
      "ratelimit-limit": "30",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "7",
    });
    expect((await send("GET", "/exists")).json()).toEqual({
      status: 0,
      error: "It exists.",
      code: "beneficiary_exists",
      beneficiary_id: "5",
    });
    expect((await send("GET", "/expired")).headers["www-authenticate"]).toBe("Bearer");
  });

  test("have the format of their part of the server", async () => {
    expect((await send("POST", "/envelope", "{")).json()).toEqual({ errcode: "malformed_json", errlist: [] });
    expect((await send("POST", "/envelope", "{}")).json()).toMatchObject({
      errcode: "validation_failed",
      errlist: [{ field: "beneficiary_id" }, { field: "amount" }, { field: "reference_id" }],
    });
  });
});

test("a route whose schema can't check is refused when it is made", async () => {
  const other = await createTestServer();
  other.app.post("/unchecked", { schema: { body: { type: "object", properties: {} } } }, async () => ({}));
  await expect(other.app.ready()).rejects.toThrow(/fields\.ts/);
  await other.close().catch(() => undefined);
});

test("the log of a request has no body, query or header", async () => {
  const other = await createTestServer({ logLevel: "trace" });
  const headers = { ...JSON_TYPE, authorization: "Bearer s3cret" };
  await other.app.inject({ method: "POST", url: "/orders?q=s3cret", payload: '{"amount":"s3cret"}', headers });
  await other.app.inject({ method: "POST", url: "/orders", payload: '{"s3cret"', headers });
  await other.app.inject({ method: "GET", url: "/nope/s3cret", headers });
  expect(other.logLines).toHaveLength(3);
  expect(JSON.parse(other.logLines[0]!)).toMatchObject({ route: "/orders", status: 400, address: "127.0.0.1" });
  expect(other.logLines.join("")).not.toContain("s3cret");
  await other.close();
});

test("the caller's address is the proxy's word only when the proxy is trusted", async () => {
  const forwarded = { "x-forwarded-for": "203.0.113.9, ::ffff:198.51.100.7" };
  const ask = (app: TestServer["app"], remoteAddress: string) =>
    app
      .inject({ url: "/address", headers: forwarded, remoteAddress })
      .then((answer) => answer.json().address as string);
  expect(await ask(server.app, "::ffff:10.1.2.3")).toBe("10.1.2.3");
  const trusting = await createTestServer({ trustProxy: ["10.0.0.0/8", "::1"] });
  expect(await ask(trusting.app, "::ffff:10.1.2.3")).toBe("198.51.100.7");
  expect(await ask(trusting.app, "::1")).toBe("198.51.100.7");
  expect(await ask(trusting.app, "192.0.2.1")).toBe("192.0.2.1");
  await trusting.close();
});
