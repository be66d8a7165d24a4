// The addresses that webhooks may reach, and attacks by receivers. The tests resolve names themselves, so nothing leaves this
// machine. deliverer.test.ts tests the effect of answers.
import { createServer, type Server } from "node:net";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Receiver } from "../../test/support/webhooks.ts";
import { createGuard, isPublicAddress, problemOf, type AddressGuard } from "./address.ts";
import { ReceiverConnection, type Answer } from "./exchange.ts";

const BODY = JSON.stringify({ type: "webhook.test", sequence: 0, data: {} });
const NEVER = new AbortController().signal;

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());

/** The guard of the default configuration, with names that resolve as given, each time to the next of the lists. */
function strict(...answers: string[][]): AddressGuard & { readonly asked: string[] } {
  const asked: string[] = [];
  const resolve = (name: string): Promise<string[]> => {
    asked.push(name);
    return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1]!);
  };
  return { allowPrivate: false, resolve, asked };
}

async function post(url: string, guard: AddressGuard, timeoutMs = 3000): Promise<Answer> {
  const connection = new ReceiverConnection(url, guard, timeoutMs);
  try {
    return await connection.post({}, BODY, NEVER);
  } finally {
    connection.close();
  }
}

describe("an address", () => {
  test.each([
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.5.4",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.8",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "192.88.99.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "fe80::1",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2001::1",
    "100::1",
    "3fff::1",
    "4000::1",
    "not an address",
    "",
  ])("%s is not on the public internet", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(["8.8.8.8", "1.1.1.1", "172.15.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])("%s is", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("the URL of an endpoint", () => {
  test.each([
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://169.254.169.254/latest",
    "https://10.1.2.3/",
    "https://0.0.0.0/",
    "https://[::ffff:127.0.0.1]/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://0/",
    "https://①②⑦.0.0.1/",
    "https://127.0.0.1./",
    "https://[64:ff9b::7f00:1]/",
    "https://[fe80::1]/",
  ])("%s is refused with the way out", (url) => {
    expect(problemOf(url, false)).toMatch(/public internet.*WEBHOOK_ALLOW_PRIVATE=on/);
    expect(problemOf(url, true)).toBeNull();
  });

  test.each([
    ["http://example.com/", /^must be a URL that begins with https.*WEBHOOK_ALLOW_PRIVATE=on allows http/],
    ["ftp://example.com/", /^must be a URL that begins with https:\/\/\.$/],
    ["ftp://example.com/", /^must be a URL/],
    ["example.com/hook", /^must be a URL/],
    ["https://", /^must be a URL/],
    ["https://user:password@example.com/", /user name or password/],
    ["https://user@example.com/", /user name or password/],
    [`https://example.com/${"a".repeat(2100)}`, /at most 2048/],
  ])("%s is refused", (url, problem) => {
    expect(problemOf(url, false)).toMatch(problem);
  });

  test.each([
    "https://example.com/hook?a=b",
    "https://example.com:8443/",
    "https://8.8.8.8/",
    "https://[2606:4700::1]/",
  ])("%s can be used", (url) => expect(problemOf(url, false)).toBeNull());
});

describe("a connection", () => {
  test.each([
    "https://127.0.0.1:PORT/",
    "https://[::1]:PORT/",
    "https://[::ffff:127.0.0.1]:PORT/",
    "https://2130706433:PORT/",
    "https://0x7f000001:PORT/",
    "https://0177.0.0.1:PORT/",
    "https://0.0.0.0:PORT/",
    "https://127.1:PORT/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
  ])("to %s is refused, and nothing is resolved", async (url) => {
    const guard = strict(["8.8.8.8"]);
    const { httpStatus, error } = await post(url.replace("PORT", String(receiver.port)), guard);
    expect(error).toMatch(/not on the public internet: refused/);
    expect({ httpStatus, asked: guard.asked, received: receiver.received }).toEqual({
      httpStatus: null,
      asked: [],
      received: [],
    });
  });

  test.each([
    ["127.0.0.1"],
    ["::1"],
    ["169.254.169.254"],
    ["10.1.2.3"],
    ["0.0.0.0"],
    ["::ffff:127.0.0.1"],
    ["64:ff9b::7f00:1"],
  ])("to a name that resolves to %s is refused", async (address) => {
    for (const addresses of [[address], ["8.8.8.8", address]]) {
      const { error } = await post(`https://rebind.example:${receiver.port}/`, strict(addresses));
      expect(error).toBe(
        `rebind.example resolves to ${address}, which is not on the public internet: refused. ` +
          "WEBHOOK_ALLOW_PRIVATE=on in the server's configuration allows it.",
      );
    }
    expect(receiver.received).toEqual([]);
  });

  test("goes to the address that was judged: the name is asked for once for each, and its next answer is judged anew", async () => {
    const guard = strict(["127.0.0.1"], ["127.0.0.99"]);
    // As if this machine were the only address on the public internet.
    const lenient = { ...guard, allowPrivate: true };
    const url = `http://rebind.example:${receiver.port}/`;
    expect(await post(url, lenient)).toMatchObject({ httpStatus: 204, error: null });
    expect(receiver.received).toHaveLength(1);
    expect(guard.asked).toEqual(["rebind.example"]);
    const { error } = await post(url.replace("http:", "https:"), guard);
    expect(error).toMatch(/resolves to 127\.0\.0\.99, which is not on the public internet/);
    expect(guard.asked).toHaveLength(2);
    expect(receiver.received).toHaveLength(1);
  });

  test("without encryption is refused", async () => {
    expect((await post(receiver.url(), strict(["8.8.8.8"]))).error).toMatch(/^refused: only https/);
    expect(receiver.received).toEqual([]);
  });

  test("to a name without an address fails with a reason", async () => {
    expect((await post("http://nowhere.invalid/", createGuard(true))).error).toMatch(/nowhere\.invalid/);
    expect((await post("https://nowhere.example/", strict([]))).error).toBe("nowhere.example has no address");
  });

  test("takes no proxy from the environment", async () => {
    process.env["HTTP_PROXY"] = process.env["http_proxy"] = "http://127.0.0.1:1";
    try {
      expect(await post(receiver.url(), createGuard(true))).toMatchObject({ httpStatus: 204 });
    } finally {
      delete process.env["HTTP_PROXY"];
      delete process.env["http_proxy"];
    }
  });
});

describe("an answer", () => {
  const guard = createGuard(true);

  test.each([301, 302, 303, 307, 308])("%s leads nowhere", async (status) => {
    receiver.answer(status, { location: receiver.url("/elsewhere") });
    const { error } = await post(receiver.url(), guard);
    expect(error).toBe(`answered ${status}: a redirect to ${receiver.url("/elsewhere")} is not followed`);
    expect(receiver.received).toHaveLength(1);
  });

  test("of 100 MB is cut at 64 KiB, and its beginning kept", async () => {
    let written = 0;
    receiver.respond = (response) => {
      const chunk = Buffer.alloc(64 * 1024, "x");
      const more = (): void => {
        while (written < 100 * 1024 * 1024 && !response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.writeHead(200);
      response.on("drain", more);
      more();
    };
    const { httpStatus, error, text, durationMs } = await post(receiver.url(), guard, 30_000);
    expect({ httpStatus, error, text }).toEqual({ httpStatus: 200, error: null, text: "x".repeat(1024) });
    expect(durationMs).toSatisfy(Number.isInteger);
    expect(written).toBeLessThan(20 * 1024 * 1024);
  });

  test("that is packed is not unpacked", async () => {
    receiver.respond = (response) => response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip\0");
    expect(await post(receiver.url(), guard)).toMatchObject({ error: null, text: "not gzip\uFFFD" });
    expect(receiver.received[0]!.headers["accept-encoding"]).toBe("identity");
    expect(receiver.received[0]!.headers).not.toHaveProperty("cookie");
  });

  test("that does not end in time has failed, whatever its status", async () => {
    receiver.respond = (response) => response.writeHead(200).write("slowly");
    const { httpStatus, error } = await post(receiver.url(), guard, 300);
    expect({ httpStatus, error }).toEqual({ httpStatus: null, error: "no complete response within 0.3 s" });
  });

  test.each([
    ["too many headers", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(20_000)}\r\n\r\n`, /header/i],
    ["no HTTP", "220 ready\r\n", /parse|HTTP/i],
    ["nothing at all", "", /hang up|reset/i],
    ["half a body", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", /abort|close/i],
  ])("of %s has failed", async (_, bytes, reason) => {
    const server = await answerBytes(bytes);
    const { error } = await post(`http://127.0.0.1:${(server.address() as { port: number }).port}/`, guard);
    expect(error).toMatch(reason);
    server.close();
  });

  test("says when to come back, where it says that it is busy", async () => {
    const retryAfterOf = async (status: number, value: string): Promise<number | null> => {
      receiver.answer(status, { "retry-after": value });
      return (await post(receiver.url(), guard)).retryAfterMs;
    };
    expect(await retryAfterOf(503, "120")).toBe(120_000);
    expect(await retryAfterOf(429, new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(55_000);
    for (const value of ["-1", "soon", "0", new Date(0).toUTCString()])
      expect(await retryAfterOf(429, value)).toBeNull();
    expect(await retryAfterOf(500, "120")).toBeNull();
  });

  test("comes over one connection for one event after another, also where the receiver has closed it", async () => {
    const sockets = new Set<unknown>();
    receiver.respond = (response, _received, { socket }) => {
      sockets.add(socket);
      response.writeHead(200).end();
    };
    const connection = new ReceiverConnection(receiver.url(), guard);
    for (let number = 0; number < 5; number += 1) await connection.post({}, BODY, NEVER);
    expect(sockets.size).toBe(1);
    // The receiver closes an idle connection without an answer when a request arrives on it.
    receiver.respond = (response, _received, { socket }) => {
      if (sockets.has(socket)) socket.resetAndDestroy();
      else response.writeHead(200).end();
    };
    expect(await connection.post({}, BODY, NEVER)).toMatchObject({ httpStatus: 200, error: null });
    connection.close();
  });
});

async function answerBytes(bytes: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(bytes));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
