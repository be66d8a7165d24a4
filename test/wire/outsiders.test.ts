// What somebody without keys can send, and what it costs everybody else: bodies that are large, odd, or never end. What
// a caller may do is in the files of the routes.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { CUSTOMER_LIST, CUSTOMER_SAVE } from "../support/merchant-wire.ts";
import type { Answer } from "../support/nodal.ts";

const MEBIBYTE = 1024 * 1024;
const INVOICE_SAVE = "/api/v3/merchant/invoice/save";
/** Longer than a server remembers a key. */
const REMEMBERED_MS = 2500;
const LIST = { searchby: "name", keyword: "Nobody" };

let installation: Installation;
let merchant: TestMerchant;
let other: TestMerchant;
beforeAll(async () => {
  installation = await Installation.startProcess({ RATE_LIMIT_PER_MINUTE: "30", TRUST_PROXY: "127.0.0.1" });
  merchant = await installation.newMerchant();
  other = await installation.newMerchant();
  await installation.pool.query("update merchant set rate_limit_per_minute = 100000");
  await sleep(REMEMBERED_MS);
});
afterAll(() => installation.stop());

let lastAddress = 0;
/** A network of its own, so that wrong keys of one test do not count in another. */
const newNetwork = (): Record<string, string> => ({ "x-forwarded-for": `203.0.113.${++lastAddress}` });

const list = (body: unknown, headers = newNetwork()): Promise<Answer> =>
  installation.send("POST", CUSTOMER_LIST, body, headers);

/** The members of an object as JSON, in this order, without its brackets. */
const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1);

/** A connection of its own, to the server itself where a proxy stands before it. */
function connectToServer(): Socket {
  const { hostname, port } = new URL(installation.server.ownUrl);
  return connect({ host: hostname, port: Number(port) });
}

/** Starts a request, and answers what came back once the server closed the connection, or nothing came. */
async function talk(head: string[], chunks: Iterable<Buffer | string>, quietMs = 5000): Promise<string> {
  const socket = connectToServer();
  let received = "";
  let isClosed = false;
  socket.on("data", (data) => (received += data.toString("latin1")));
  socket.on("error", () => undefined);
  socket.on("close", () => (isClosed = true));
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const deadline = performance.now() + quietMs;
  for (const chunk of chunks) {
    if (isClosed || received !== "" || performance.now() > deadline) break;
    // Slowly enough that the answer can be read before the server stops waiting for that.
    await new Promise((resolve) => socket.write(chunk, resolve));
    await sleep(2);
  }
  while (!isClosed && performance.now() < deadline && !/\r\n\r\n./.test(received)) await sleep(10);
  await sleep(50);
  socket.destroy();
  return received;
}

function* endless(chunk: string): Generator<string> {
  for (;;) yield `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
}

const headOf = (path: string, ...lines: string[]): string[] => [
  `POST ${path} HTTP/1.1`,
  "Host: x",
  `X-Forwarded-For: ${newNetwork()["x-forwarded-for"]}`,
  ...lines,
];
const JSON_LINE = "Content-Type: application/json";

describe("keys are looked at before the body", () => {
  test("bodies in thousands of pieces are given up, with keys and without", async () => {
    for (const start of [`{${membersOf(merchant.keys)}`, "{"]) {
      const lines = headOf(INVOICE_SAVE, JSON_LINE, "Transfer-Encoding: chunked");
      const first = `${start.length.toString(16)}\r\n${start}\r\n`;
      const answer = await talk(lines, [first, "1\r\n \r\n".repeat(5000)]);
      expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*"errcode":"body_too_large"[^]*too many chunks/);
    }
  });

  test("wrong ones are refused while the body is still on its way", async () => {
    const keys = { ...merchant.keys, secret_access_key: other.keys.secret_access_key };
    const start = `{${membersOf(keys)},"invoice":[${"1e3,".repeat(20_000)}`;
    const answer = await talk(headOf(INVOICE_SAVE, JSON_LINE, `Content-Length: ${8 * MEBIBYTE}`), [start]);
    expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*"errcode":"invalid_keys"/);
  });

  test("good ones may send the largest body, with keys first, in whatever pieces it comes", async () => {
    const padding = `"padding":"${"x".repeat(4 * MEBIBYTE)}"`;
    const body = `{${membersOf({ ...merchant.keys, template_id: "" })},${padding},"invoice":[]}`;
    const answer = await installation.send("POST", INVOICE_SAVE, body);
    expect(answer.body).toMatchObject({ errcode: "validation_failed" });
    const length = `Content-Length: ${body.length}`;
    const pieces = [body.slice(0, 20), body.slice(20, 100), body.slice(100, 70_000), body.slice(70_000)];
    expect(await talk(headOf(INVOICE_SAVE, JSON_LINE, length), pieces)).toContain('"errcode":"validation_failed"');
  });

  test("may come late in a body of a megabyte, and in a larger one it is said where to put them", async () => {
    const late = (length: number): string => `{"padding":"${"x".repeat(length)}",${membersOf(merchant.keys)}}`;
    const save = (body: unknown) => installation.send("POST", CUSTOMER_SAVE, body, newNetwork());
    expect((await save(late(900_000))).body).toMatchObject({ errcode: "validation_failed" });
    const refused = await save(late(1_100_000));
    expect(refused).toBeFailure({ status: 413, code: "body_too_large" });
    expect(refused.body.errmsg).toContain("send them as its first two members");
    // A few bytes too late, and the rest comes in the same piece.
    expect(await save(late(1_048_570))).toBeFailure({ status: 413, code: "body_too_large" });
    // In the order in which some clients sort names.
    const { access_key_id, secret_access_key } = merchant.keys;
    expect(await list({ access_key_id, padding: "x".repeat(500_000), secret_access_key, ...LIST })).toMatchObject({
      status: 200,
    });
  });

  test("may stand in the header Authorization instead", async () => {
    const basic = (id: string, secret: string) => ({
      ...newNetwork(),
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
    });
    const { access_key_id: id, secret_access_key: secret } = merchant.keys;
    expect(await list({ padding: "x".repeat(900_000), ...LIST }, basic(id, secret))).toMatchObject({
      status: 200,
    });
    expect(await list({ ...merchant.keys, ...LIST }, basic(id, secret))).toMatchObject({ status: 200 });
    expect(await list(LIST, basic(id, "ns_wrong"))).toBeFailure({ status: 401, code: "invalid_keys" });
    expect(await list({ ...other.keys, ...LIST }, basic(id, secret))).toBeFailure({
      status: 400,
      code: "malformed_json",
    });
    // A header that is meant for a proxy says nothing.
    expect(await list({ ...merchant.keys, ...LIST }, basic("proxy", "word"))).toMatchObject({ status: 200 });
    expect(await list(LIST, basic("proxy", "word"))).toBeFailure({ status: 401, code: "invalid_keys" });
  });

  test("bodies without keys are counted, whatever is wrong with them, and never keep out good keys", async () => {
    const headers = newNetwork();
    const statuses: number[] = [];
    for (const body of ["{", "{}", '{"access_key_id":5}', "[".repeat(1000)]) {
      for (let round = 0; round < 10; round += 1) statuses.push((await list(body, headers)).status);
    }
    expect(new Set(statuses.slice(0, 30))).toEqual(new Set([400, 401]));
    expect(new Set(statuses.slice(30))).toEqual(new Set([429]));
    expect(await list({ ...merchant.keys, ...LIST }, headers)).toMatchObject({ status: 200 });
    // But who has used its guesses up is not waited for any longer.
    const late = { padding: "x".repeat(200_000), ...merchant.keys, ...LIST };
    expect(await list(late, headers)).toBeFailure({ status: 413, code: "body_too_large" });
    expect(await list(late)).toMatchObject({ status: 200 });
  });
});

describe("odd bodies", () => {
  test.each<[string, (keys: string) => string | Buffer]>([
    ["escaped names", (keys) => `{${keys.replaceAll("_key", "\\u005fkey")}}`],
    ["a byte order mark", (keys) => `\ufeff{${keys}}`],
    ["keys of the same name deeper", (keys) => `{"x":{"access_key_id":"no"},${keys},"y":[{"secret_access_key":5}]}`],
    ["poisoned members", (keys) => `{"__proto__":{"access_key_id":"no"},${keys},"constructor":{"prototype":1}}`],
    ["quotes that are escaped", (keys) => `{"x":"\\\\\\",{","\\"":"}",${keys}}`],
    ["white space everywhere", (keys) => `\n{ ${keys.replaceAll(":", "\t:\r\n").replaceAll(",", " , ")} } `],
  ])("with %s are taken", async (_, bodyOf) => {
    const body = bodyOf(membersOf({ ...merchant.keys, ...LIST }));
    expect(await list(body)).toMatchObject({ status: 200 });
  });

  test.each<[string, number, (keys: string) => string | Buffer]>([
    ["UTF-16", 400, (keys) => Buffer.from(`{${keys}}`, "utf16le")],
    ["the same keys twice", 400, (keys) => `{${keys},"x":{},${keys}}`],
    ["keys in a list", 400, (keys) => `[{${keys}}]`],
    ["keys one level down", 401, (keys) => `{"body":{${keys}}}`],
    ["keys in a text", 401, (keys) => JSON.stringify({ text: `{${keys}}` })],
    ["a prototype's keys", 401, (keys) => `{"__proto__":{${keys}}}`],
    ["names in another case", 401, (keys) => `{${keys.replaceAll("access_key", "Access_Key")}}`],
  ])("with %s are %i", async (_, status, bodyOf) => {
    const answer = await list(bodyOf(membersOf(merchant.keys)));
    expect(answer).toBeFailure({ status, code: status === 400 ? "malformed_json" : "invalid_keys" });
  });

  test.each([0, 100_000])(
    "are never checked against one pair and used with another, %i bytes apart",
    async (length) => {
      const mine = membersOf({ ...merchant.keys, ...LIST });
      const gap = `"gap":"${"x".repeat(length)}"`;
      for (const second of [
        membersOf(other.keys),
        `"access_key_id":${JSON.stringify(other.keys.access_key_id)}`,
        `"secret\\u005faccess_key":"ns_wrong"`,
        `"secret_access_key":null`,
      ]) {
        const answer = await list(`{${mine},${gap},${second}}`);
        expect(answer).toBeFailure({ status: 400, code: "malformed_json" });
        expect(answer.body.errmsg).toContain("more than once");
      }
      const wrongFirst = `{"secret_access_key":"ns_wrong",${gap},${mine}}`;
      expect(await list(wrongFirst)).toBeFailure({ status: 401, code: "invalid_keys" });
    },
  );

  test("with more values than any batch has are told so", async () => {
    const customers = `[${"0,".repeat(260_000)}0]`;
    const answer = await installation.send(
      "POST",
      CUSTOMER_SAVE,
      `{${membersOf(merchant.keys)},"customer":${customers}}`,
    );
    expect(answer).toBeFailure({ status: 413, code: "body_too_large" });
  });
});

describe("bodies without end", () => {
  const form = ["Content-Type: multipart/form-data; boundary=X", "Transfer-Encoding: chunked"];
  const part = '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n';

  test.each<[string, string, string[], string]>([
    ["a form that never begins", "/api/token", form, "x".repeat(16_384)],
    ["a form whose field never ends", "/api/token", form, `${part}${"x".repeat(16_384)}`],
    ["a form of empty parts", "/api/token", form, `${part}\r\n`.repeat(200)],
    ["JSON for a token", "/api/token", [JSON_LINE, "Transfer-Encoding: chunked"], " ".repeat(16_384)],
    ["JSON without keys", CUSTOMER_SAVE, [JSON_LINE, "Transfer-Encoding: chunked"], " ".repeat(16_384)],
    ["a sign-in", "/api/session/sign-in", [JSON_LINE, "Transfer-Encoding: chunked"], " ".repeat(16_384)],
  ])("%s is stopped and the connection closed", async (_name, path, lines, chunk) => {
    const origin = `Origin: ${installation.server.baseUrl}`;
    const answer = await talk([...headOf(path, ...lines), origin], endless(chunk));
    expect(answer).toMatch(/^HTTP\/1\.1 4(?:13|03) /);
    expect(answer.toLowerCase()).toContain("connection: close");
  });

  test("get their answer through to a client that reads it late, and goes on sending", async () => {
    const socket = connectToServer();
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(`${headOf(CUSTOMER_SAVE, JSON_LINE, "Transfer-Encoding: chunked").join("\r\n")}\r\n\r\n`);
    socket.write(`${(4 * MEBIBYTE).toString(16)}\r\n${" ".repeat(2 * MEBIBYTE)}`);
    for (let round = 0; round < 10; round += 1) {
      await sleep(5);
      socket.write(" ");
    }
    let answer = "";
    socket.on("data", (data) => (answer += data.toString("latin1")));
    if (!socket.destroyed) await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("that end after all, refused, have nothing run that follows them", async () => {
    const customer = JSON.stringify({
      ...merchant.keys,
      customer: [
        {
          customer_code: "F-1",
          customer_name: "Follows a refusal",
          email: "f@example.com",
          mobile: "9876543210",
          address: "1 Road",
          city: "Pune",
          state: "Maharashtra",
          zipcode: "411001",
        },
      ],
    });
    const following = [...headOf(CUSTOMER_SAVE, JSON_LINE, `Content-Length: ${customer.length}`), "", customer];
    const socket = connectToServer();
    socket.on("error", () => undefined);
    let answers = "";
    socket.on("data", (data) => {
      answers += data.toString("latin1");
      // Before it is known here that the server closes.
      socket.write(`0\r\n\r\n${following.join("\r\n")}`);
    });
    socket.write(`${headOf("/nothing", JSON_LINE, "Transfer-Encoding: chunked").join("\r\n")}\r\n\r\n`);
    await once(socket, "close");
    expect(answers).toMatch(/^HTTP\/1\.1 404 /);
    expect(answers.match(/HTTP\/1\.1/g)).toHaveLength(1);
    const { rows } = await installation.pool.query("select from customer where customer_name = 'Follows a refusal'");
    expect(rows).toEqual([]);
    expect((await installation.send("POST", CUSTOMER_SAVE, customer)).status).toBe(200);
  });

  test.each<[string, string[]]>([
    ["/api/v1/beneficiary/save", ["Authorization: Bearer nothing"]],
    ["/api/v4/users", []],
    ["/nothing", []],
  ])("%s refuses a stranger before the first byte, and closes", async (path, lines) => {
    const head = headOf(path, JSON_LINE, "Transfer-Encoding: chunked", ...lines);
    const answer = await talk(head, []);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer.toLowerCase()).toContain("connection: close");
  });
});
