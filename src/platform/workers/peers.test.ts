// Requests that one worker hands over to another, as clients of both see it: two servers of one process here, each with its peers.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import {
  Agent,
  createServer,
  request as send,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi, type Mock } from "vitest";
import { createLogger } from "../log.ts";
import { Peers } from "./peers.ts";

/** The worker in charge is named by the request itself. */
const inCharge = ({ headers }: IncomingMessage): number | null =>
  headers["x-worker"] === undefined ? null : Number(headers["x-worker"]);

type Worker = { readonly server: Server; readonly peers: Peers; readonly onLost: Mock; stop(): Promise<void> };

let folder: string;
const open: Worker[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nodal-peers-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((worker) => worker.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** Answers with all that it was given, and its own number. */
const tellAll =
  (number: number): RequestListener =>
  (request, response) => {
    void readBody(request).then((body) => {
      const { method, url, headers, socket } = request;
      response.writeHead(201, { "content-type": "application/json", "x-answered-by": String(number) });
      response.end(JSON.stringify({ number, method, url, headers, body, address: socket.remoteAddress }));
    });
  };

async function openWorker(number: number, handle: RequestListener = tellAll(number)): Promise<Worker> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const logger = createLogger("silent");
  const onLost = vi.fn<() => void>();
  const peers = new Peers({ folder, count: 2, number, inCharge, onLost, logger });
  await peers.start(server, handle);
  const stop = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await Promise.all([peers.stop(1000), closed]);
    await peers.close();
  };
  const worker = { server, peers, onLost, stop };
  open.push(worker);
  return worker;
}

type Given = {
  readonly worker?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** That keeps its connection; without it each request has one of its own. */
  readonly agent?: Agent;
};
type Told = {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
};

async function ask(to: Worker, { worker = "2", body = "{}", headers = {}, agent }: Given): Promise<Told> {
  const { port } = to.server.address() as AddressInfo;
  const length = { "content-length": Buffer.byteLength(body) };
  const path = "/some/path?q=1";
  const request = send({ port, host: "127.0.0.1", method: "POST", path, agent: agent ?? false });
  for (const [name, value] of Object.entries({ ...length, "x-worker": worker, ...headers }))
    request.setHeader(name, value);
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return {
    status: response.statusCode!,
    headers: response.headers,
    body: JSON.parse(await readBody(response)) as Record<string, unknown>,
  };
}

/** Two workers of which each knows that the other is there. */
async function openBoth(second?: RequestListener): Promise<[Worker, Worker]> {
  const workers: [Worker, Worker] = [await openWorker(1), await openWorker(2, second)];
  await expect.poll(async () => (await ask(workers[0], { worker: "2" })).headers["x-answered-by"]).not.toBe("1");
  return workers;
}

test("a request goes to the worker in charge, whole, with the client's address, and its answer comes back", async () => {
  const [one] = await openBoth();
  const body = JSON.stringify({ name: "अनीता 🙂" });
  const told = await ask(one, { body, headers: { "x-twice": "a, b", authorization: "Bearer x" } });
  expect(told.status).toBe(201);
  expect(told.body).toMatchObject({
    number: 2,
    method: "POST",
    url: "/some/path?q=1",
    body,
    address: "127.0.0.1",
    headers: { "x-twice": "a, b", authorization: "Bearer x", "content-length": String(Buffer.byteLength(body)) },
  });
});

test("what nobody is in charge of, what is one's own, and long bodies stay where they arrive", async () => {
  const [one] = await openBoth();
  const answeredBy = async (given: Given): Promise<unknown> => (await ask(one, given)).headers["x-answered-by"];
  expect(await answeredBy({ worker: "1" })).toBe("1");
  expect(await answeredBy({ worker: "7" })).toBe("1");
  expect(await answeredBy({ worker: "2", body: "x".repeat(16 * 1024) })).toBe("2");
  expect(await answeredBy({ worker: "2", body: "x".repeat(16 * 1024 + 1) })).toBe("1");
  expect(await answeredBy({ worker: "2", body: "" })).toBe("1");
});

test("a connection whose requests are all another worker's is closed with the sixteenth, and with its answer", async () => {
  const [one] = await openBoth();
  let connections = 0;
  one.server.on("connection", () => (connections += 1));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    /** After how many of these requests, and in all at most so many, the connection was closed. */
    const closedAfter = async (workers: (count: number) => string, most: number): Promise<number | null> => {
      for (let count = 1; count <= most; count += 1) {
        const told = await ask(one, { worker: workers(count), agent });
        expect(told.status).toBe(201);
        if (told.headers.connection === "close") return count;
      }
      return null;
    };
    expect(await closedAfter(() => "2", 40)).toBe(16);
    // The next is a new one, and one that has requests for both stays.
    expect(await closedAfter((count) => (count % 16 === 0 ? "1" : "2"), 40)).toBe(null);
    expect(await closedAfter(() => "1", 40)).toBe(null);
    expect(connections).toBe(2);
  } finally {
    agent.destroy();
  }
});

test("nobody can name another address than his own", async () => {
  const [one] = await openBoth();
  const headers = { "x-nodal-client-address": "192.0.2.1" };
  const told = await ask(one, { headers });
  expect(told.body).toMatchObject({ number: 2, address: "127.0.0.1" });
  expect(told.body["headers"]).not.toHaveProperty("x-nodal-client-address");
});

test("a hundred at once come back to those who asked", async () => {
  const [one, two] = await openBoth();
  const told = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      ask(index % 2 === 0 ? one : two, { worker: String(1 + (index % 3 === 0 ? 1 : 0)), body: `body ${index}` }),
    ),
  );
  told.forEach(({ body }, index) => {
    expect(body).toMatchObject({ body: `body ${index}`, number: index % 3 === 0 ? 2 : 1 });
  });
});

test("a worker without the other answers all by itself, and hands over again once it is back", async () => {
  const one = await openWorker(1);
  expect((await ask(one, { worker: "2" })).headers["x-answered-by"]).toBe("1");
  const two = await openWorker(2);
  const answeredBy = async (): Promise<unknown> => (await ask(one, { worker: "2" })).headers["x-answered-by"];
  await expect.poll(answeredBy).toBe("2");
  open.splice(open.indexOf(two), 1);
  await two.stop();
  // Not one of these was sent to the other: they are whole, and nobody is told to send them again.
  const told = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(one, { body: `body ${index}` })));
  told.forEach(({ status, body }, index) => {
    expect(status).toBe(201);
    expect(body).toMatchObject({ number: 1, method: "POST", url: "/some/path?q=1", body: `body ${index}` });
    expect(body["headers"]).toMatchObject({ "x-worker": "2" });
  });
  expect(one.onLost).not.toHaveBeenCalled();
  await openWorker(2);
  await expect.poll(answeredBy).toBe("2");
});

test("a request whose worker ends is answered 503, to be sent again", async () => {
  const [one] = await openBoth((request, response) => {
    if (request.headers["x-last"] === undefined) tellAll(2)(request, response);
    else setTimeout(() => request.socket.destroy(), 50);
  });
  const told = await ask(one, { headers: { "x-last": "yes" } });
  expect(told.status).toBe(503);
  expect(told.headers).toMatchObject({ "retry-after": "1", "x-content-type-options": "nosniff" });
  expect(told.body).toEqual({
    status: 0,
    code: "unavailable",
    error: expect.stringContaining("Send the same request again") as string,
    request_id: told.headers["x-request-id"],
  });
  expect(one.onLost).toHaveBeenCalledOnce();
  // A broken connection may be all that is gone: it is asked, and has the next one again.
  await expect.poll(async () => (await ask(one, {})).headers["x-answered-by"]).toBe("2");
});

test("one that stands still is found out, and what arrives is done where it arrives", async () => {
  let isStill = false;
  const [one] = await openBoth((request, response) => {
    if (!isStill) tellAll(2)(request, response);
  });
  isStill = true;
  const waiting = ask(one, {}).catch((error: unknown) => error);
  await expect.poll(() => Promise.race([ask(one, {}).then(({ body }) => body["number"]), sleep(500)])).toBe(1);
  await open[1]!.stop();
  open.pop();
  // What it had in hand by then is to be sent again.
  expect(await waiting).toMatchObject({ status: 503 });
});

test("a stop answers what was handed over, and closes the clients' connections with it", async () => {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const slow: RequestListener = (request, response) => {
    if (request.headers["x-slow"] === undefined) return tellAll(2)(request, response);
    asked.resolve();
    void released.promise.then(() => tellAll(2)(request, response));
  };
  const [one, two] = await openBoth(slow);
  const answer = ask(one, { headers: { "x-slow": "yes" } });
  await asked.promise;
  const stopped = Promise.all([one.peers.stop(60_000), two.peers.stop(60_000)]);
  // From now on nothing is handed over.
  expect((await ask(one, { worker: "2" })).headers["x-answered-by"]).toBe("1");
  released.resolve();
  const told = await answer;
  expect(told.body).toMatchObject({ number: 2 });
  expect(told.headers.connection).toBe("close");
  await stopped;
});
