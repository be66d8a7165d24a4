// Checks of the server over real sockets: what clients do to HTTP itself.
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestServer, type TestServer } from "../../../test/support/app-server.ts";

/** Pino's number for this level. */
const INFO = 30;
let server: TestServer;
let port: number;
beforeAll(async () => {
  server = await createTestServer({ headersTimeoutMs: 500, requestTimeoutMs: 1000 });
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  port = (server.app.server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** Sends bytes and returns all that comes back until the server closes, or until `quietMs` have passed. */
async function talk(chunks: (string | Buffer)[], quietMs = 3000): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  let received = "";
  socket.on("data", (data) => (received += data.toString("latin1")));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  for (const chunk of chunks) socket.write(chunk);
  await Promise.race([closed, sleep(quietMs)]);
  socket.destroy();
  return received;
}

const ORDER = '{"beneficiary_id":1,"amount":1,"reference_id":"R"}';
const head = (...lines: string[]): string => `${["POST /orders HTTP/1.1", "Host: x", ...lines].join("\r\n")}\r\n\r\n`;
const JSON_LINE = "Content-Type: application/json";

describe("the socket", () => {
  test("lets no answer be taken for something else, whoever makes it", async () => {
    const length = (bytes: number): string => `Content-Length: ${bytes}`;
    const asked: [number, (string | Buffer)[]][] = [
      [200, [head(JSON_LINE, length(ORDER.length), "Connection: close"), ORDER]],
      [400, ["NONSENSE\r\n\r\n"]],
      [400, ["GET /address HTTP/1.1\r\nConnection: close\r\n\r\n"]],
      [400, [head(JSON_LINE, length(1), "Connection: close"), "{"]],
      [400, ["GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]],
      [404, ["GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]],
      [405, ["PUT /orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]],
      [408, ["POST /orders HTTP/1.1\r\nHost: x\r\n"]],
      [413, [head(JSON_LINE, length(5_000_000)), Buffer.alloc(5_000_000, 0x20)]],
      [415, [head("Content-Type: text/plain", length(1), "Connection: close"), "x"]],
      [431, [head(`X-Long: ${"x".repeat(40_000)}`)]],
      [500, ["GET /crash HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]],
      [503, ["HEAD /unavailable HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]],
    ];
    const answers = await Promise.all(asked.map(([, chunks]) => talk(chunks)));
    asked.forEach(([status], index) => {
      expect(answers[index]).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answers[index]!.toLowerCase(), String(status)).toContain("\r\nx-content-type-options: nosniff\r\n");
      expect(answers[index]!.toLowerCase(), String(status)).toContain("\r\nx-request-id: ");
    });
    // The log lines of the crash and the outage are covered by other tests.
    server.logLines.length = 0;
  });

  test("answers broken HTTP in JSON", async () => {
    const answer = await talk(["NONSENSE\r\n\r\n"]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('"code":"malformed_request"');
    expect(answer.toLowerCase()).toContain("x-request-id: ");
  });

  test("answers headers that are too large with 431", async () => {
    const answer = await talk([head(`X-Long: ${"x".repeat(40_000)}`)]);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"code":"headers_too_large"');
  });

  test("gives up on headers and bodies that do not come", async () => {
    const [headers, body] = await Promise.all([
      talk(["POST /orders HTTP/1.1\r\nHost: x\r\n"]),
      talk([head(JSON_LINE, "Content-Length: 100"), "{"], 4000),
    ]);
    expect(headers).toMatch(/^HTTP\/1\.1 408 /);
    expect(body).toMatch(/^HTTP\/1\.1 408 /);
  });

  test.each([
    ["two lengths", [head(JSON_LINE, `Content-Length: ${ORDER.length}`, "Content-Length: 5"), ORDER]],
    ["length and chunks", [head(JSON_LINE, "Content-Length: 5", "Transfer-Encoding: chunked"), "0\r\n\r\n"]],
    ["a negative length", [head(JSON_LINE, "Content-Length: -1"), ORDER]],
    ["a space before the colon", [head("Content-Type : application/json", "Content-Length: 0")]],
  ])("refuses %s", async (_name, chunks) => {
    expect(await talk(chunks, 500)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("takes the first of two content types", async () => {
    const length = `Content-Length: ${ORDER.length}`;
    expect(await talk([head(JSON_LINE, "Content-Type: text/plain", length, "Connection: close"), ORDER])).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    expect(await talk([head("Content-Type: text/plain", JSON_LINE, length, "Connection: close"), ORDER])).toMatch(
      /^HTTP\/1\.1 415 /,
    );
  });

  test("lets a client that sends too much read the answer, and goes on", async () => {
    const next = "GET /address HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const answer = await talk([head(JSON_LINE, "Content-Length: 5000000"), Buffer.alloc(5_000_000, 0x20), next]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*"code":"body_too_large"[^]*HTTP\/1\.1 200 /);
    const body = JSON.stringify({ x: "x".repeat(3_000_000) });
    for (let round = 0; round < 3; round += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/orders`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ code: "body_too_large" });
    }
  });

  test("lets a client that asks to close read the answer to a body that it still sends", async () => {
    for (const line of ["POST /orders", "POST /nowhere", "PUT /orders"]) {
      const start = `${line} HTTP/1.1\r\nHost: x\r\n${JSON_LINE}\r\nConnection: close\r\nContent-Length: 5000000\r\n\r\n`;
      expect(await talk([start, Buffer.alloc(5_000_000, 0x20)]), line).toMatch(/^HTTP\/1\.1 4\d\d [^]*"code":/);
    }
  });

  test("does not mind what a client expects", async () => {
    const length = `Content-Length: ${ORDER.length}`;
    const answer = await talk([head(JSON_LINE, length, "Expect: miracles", "Connection: close"), ORDER]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("takes a short body member by member, and no body in thousands of pieces", async () => {
    const chunked = head(JSON_LINE, "Transfer-Encoding: chunked", "Connection: close");
    const members = Array.from(ORDER, (character) => `1\r\n${character}\r\n`).join("");
    expect(await talk([chunked, members, "0\r\n\r\n"])).toMatch(/^HTTP\/1\.1 200 /);
    const answer = await talk([chunked, "1\r\n \r\n".repeat(5000)]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*too many chunks[^]*"code":"body_too_large"/);
    // A body that is not read, since its path is wrong, also ends.
    const nowhere = ["POST /nowhere HTTP/1.1", "Host: x", JSON_LINE, "Transfer-Encoding: chunked"].join("\r\n");
    expect(await talk([`${nowhere}\r\n\r\n`, "1\r\n \r\n".repeat(5000)])).toMatch(/^HTTP\/1\.1 404 /);
    const longer = `40\r\n${" ".repeat(64)}\r\n`.repeat(5000);
    expect(await talk([chunked, longer, members, "0\r\n\r\n"])).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("stops a body without length at the limit", async () => {
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    const answer = await talk([
      head(JSON_LINE, "Transfer-Encoding: chunked"),
      ...Array.from({ length: 20 }, () => chunk),
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer.toLowerCase()).toContain("connection: close");
  });

  test("keeps the connection after a refused body that was read whole", async () => {
    const next = "GET /address HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const answer = await talk([head(JSON_LINE, "Content-Length: 1"), "{", next]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*HTTP\/1\.1 200 /);
  });

  test("survives odd targets, methods and clients that leave", async () => {
    for (const line of [
      "OPTIONS *",
      "GET http://other/address",
      "PROPFIND /orders",
      "TRACE /orders",
      "GET //",
      "GET /?%",
    ]) {
      expect(await talk([`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`]), line).toMatch(
        /^HTTP\/1\.1 [2-4]\d\d /,
      );
    }
    await talk([head(JSON_LINE, "Content-Length: 100"), "{"], 20);
    const response = await fetch(`http://127.0.0.1:${port}/address`);
    expect(await response.json()).toEqual({ address: "127.0.0.1" });
    const isAboveInfo = (line: string): boolean => (JSON.parse(line) as { level: number }).level > INFO;
    expect(server.logLines.filter(isAboveInfo)).toEqual([]);
  });
});

test("each time limit holds by itself, and is set where nobody says otherwise", async () => {
  const listening = async (...options: Parameters<typeof createTestServer>) => {
    const other = await createTestServer(...options);
    other.app.get("/never", () => new Promise(() => undefined));
    await other.app.listen({ host: "127.0.0.1", port: 0 });
    return other;
  };
  const ended = async ({ app }: TestServer, text: string): Promise<string> => {
    const socket = connect({ host: "127.0.0.1", port: (app.server.address() as AddressInfo).port });
    socket.write(text);
    const received: Buffer[] = [];
    for await (const data of socket) received.push(data as Buffer);
    return Buffer.concat(received).toString("latin1");
  };
  const usual = await listening();
  const { headersTimeout, requestTimeout, timeout } = usual.app.server;
  expect({ headersTimeout, requestTimeout, timeout }).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    timeout: 120_000,
  });
  const slowHeaders = await listening({ headersTimeoutMs: 300 });
  expect(await ended(slowHeaders, "GET /never HTTP/1.1\r\nHost: x\r\n")).toMatch(/^HTTP\/1\.1 408 /);
  const silent = await listening({ connectionTimeoutMs: 300 });
  expect(await ended(silent, "GET /never HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
  for (const other of [usual, slowHeaders, silent]) {
    other.app.server.closeAllConnections();
    await other.close();
  }
});

test("a stopping server answers the request in hand", async () => {
  const other = await createTestServer();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const arrived = Promise.withResolvers<void>();
  other.app.get("/slow", async () => {
    arrived.resolve();
    await held;
    return { slow: true };
  });
  const base = await other.app.listen({ host: "127.0.0.1", port: 0 });
  const answer = fetch(`${base}/slow`);
  await arrived.promise;
  const closing = other.close();
  await expect(fetch(`${base}/address`)).rejects.toThrow();
  release();
  expect((await answer).headers.get("connection")).toBe("close");
  expect(await (await answer).json()).toEqual({ slow: true });
  await closing;
});
