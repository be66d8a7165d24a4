// Requests that one worker hands over to another, the one in charge of them: each merchant's payouts then meet in one
// process, whose group commits are large, and whose memory of keys, limits and books holds. Which requests have
// somebody in charge is the caller's to say; correct is whichever answers. HTTP over a Unix socket by undici, whose
// client costs half as much as node:http's (docs/dependencies.md).
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import {
  createServer,
  IncomingMessage,
  maxHeaderSize,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Pool, type Dispatcher } from "undici";
import { NodalError } from "../errors.ts";
import type { Logger } from "../log.ts";

/** Whose address the request comes from, since the socket between workers has none. */
const ADDRESS_HEADER = "x-nodal-client-address";
/** Longer bodies, and those whose length is not known, are read where they arrive. */
const BODY_LIMIT_BYTES = 16 * 1024;
/** How often each worker asks the others whether they are there, and how long it waits for the answer. */
const LOOK_MS = 1000;
const LOOK_TIMEOUT_MS = 5000;
/** Sooner than the client's connection counts as silent, and later than any handler answers. */
const ANSWER_TIMEOUT_MS = 110_000;
const CLOSE_IDLE_MS = 50;
/** As many as a worker takes at once from one other: more bring nothing, and are done where they arrived. */
const MOST_UNDER_WAY = 1000;
const BACKLOG = 4096;
/** What a client may send, and the address. */
const MAX_HEADER_BYTES = 2 * maxHeaderSize;
/**
 * A batch of payouts costs more than the payouts in it, so they are gathered in few processes: PostgreSQL needs as much of
 * the machine as each of them (docs/scale.md).
 */
const CORES_A_WRITER = 2;
const MOST_WRITERS = Math.max(1, Math.floor(availableParallelism() / CORES_A_WRITER));
/**
 * A connection of which so many requests in a row were handed over to one worker is at the wrong one: it is closed with the
 * last of these answers, and the client's next may meet the right one. A request that is handed over is read twice.
 */
const MISPLACED_AFTER = 16;
/** About one connection only. */
const HOP_HEADERS = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "expect", "te", "trailer"]);

export type PeersOptions = {
  /** Where the workers' sockets are: a folder that nobody else may enter. */
  readonly folder: string;
  /** How many workers there are, by number from 1. */
  readonly count: number;
  /** This worker's own number. */
  readonly number: number;
  /** The worker in charge of a request; `null` where that is whoever got it. */
  readonly inCharge: (request: IncomingMessage) => number | null;
  /** Told of each request whose worker ended before it answered. */
  readonly onLost: () => void;
  readonly logger: Logger;
};

/** Which of so many workers is in charge of a bucket. */
export function workerOf(bucket: number, count: number): number {
  return (bucket % Math.min(count, MOST_WRITERS)) + 1;
}

export class Peers {
  readonly #options: PeersOptions;
  readonly #peers = new Map<number, Peer>();
  #server: Server | null = null;
  #handle: RequestListener = () => {};
  /** How many requests of a connection in a row had which worker in charge. */
  readonly #runs = new WeakMap<Socket, { number: number; length: number }>();
  #keepsToItself = false;
  #isStopping = false;

  constructor(options: PeersOptions) {
    this.#options = options;
    for (let number = 1; number <= options.count; number += 1) {
      if (number !== options.number) this.#peers.set(number, new Peer(socketOf(options.folder, number)));
    }
  }

  /**
   * Takes what others hand over, and from now on hands over what arrives at `server`. `handle` answers a request; it sees
   * the client's address, and not the other worker's.
   * @throws the system's error where the socket can't be listened on
   */
  async start(server: Server, handle: RequestListener): Promise<void> {
    const path = socketOf(this.#options.folder, this.#options.number);
    // Of the worker that had this number before, and was killed.
    await rm(path, { force: true });
    this.#handle = handle;
    this.#server = createServer(
      { requireHostHeader: false, keepAliveTimeout: server.keepAliveTimeout, maxHeaderSize: MAX_HEADER_BYTES },
      (request, response) => {
        takeAddress(request);
        handle(request, response);
      },
    );
    this.#server.setTimeout(server.timeout);
    // Not the supervisor's socket, from which connections would be handed out: one on its way to a worker that dies hangs.
    this.#server.listen({ path, exclusive: true, backlog: BACKLOG });
    await once(this.#server, "listening");
    server.removeAllListeners("request");
    server.on("request", (request, response) => {
      if (!this.#handOver(request, response)) handle(request, response);
    });
    for (const peer of this.#peers.values()) peer.start();
  }

  /** Hands nothing over any more: soon there will be nobody to take it. */
  keepToItself(): void {
    this.#keepsToItself = true;
  }

  /** Waits until what others have handed over is answered, at most so many ms, and takes no more of it. */
  async stop(withinMs: number): Promise<void> {
    this.keepToItself();
    this.#isStopping = true;
    const server = this.#server;
    if (server === null) return;
    const cutOff = setTimeout(() => server.closeAllConnections(), withinMs);
    // A connection that has had its answer would be kept for the next request.
    const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
    server.close();
    await once(server, "close");
    clearTimeout(cutOff);
    clearInterval(idle);
  }

  /** Ends the connections to the others: what is under way on them is given up. */
  async close(): Promise<void> {
    await Promise.all([...this.#peers.values()].map((peer) => peer.close()));
  }

  #handOver(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#keepsToItself || !isShort(request)) return false;
    const number = this.#options.inCharge(request);
    if (number === null) return false;
    const runLength = this.#countRun(request.socket, number);
    const peer = this.#peers.get(number);
    if (!peer?.takesMore) return false;
    // Of the length that the client has said, in however many pieces it comes.
    const body = Buffer.alloc(lengthOf(request));
    let length = 0;
    request.on("data", (piece: Buffer) => {
      length += piece.copy(body, length);
    });
    request.once("end", () => {
      const { onLost, logger } = this.#options;
      const notSent = (): void => this.#handle(readAgain(request, body), response);
      const isLast = (): boolean => this.#isStopping || runLength >= MISPLACED_AFTER;
      peer.send(request, body, { response, notSent, onLost, isLast, logger });
    });
    return true;
  }

  /** Counts a request of a connection. Returns how many in a row had the same worker in charge. */
  #countRun(socket: Socket, number: number): number {
    const run = this.#runs.get(socket);
    if (run?.number === number) return (run.length += 1);
    this.#runs.set(socket, { number, length: 1 });
    return 1;
  }
}

/** Puts the client's address where that of a connection stands. A connection has one request at a time. */
function takeAddress({ headers, socket }: IncomingMessage): void {
  const address = headers[ADDRESS_HEADER];
  delete headers[ADDRESS_HEADER];
  if (Object.hasOwn(socket, "remoteAddress")) Object.assign(socket, { remoteAddress: address });
  else Object.defineProperty(socket, "remoteAddress", { value: address, writable: true });
}

function socketOf(folder: string, number: number): string {
  return join(folder, `${number}.sock`);
}

function lengthOf({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

/** Whether a request has a short body of known length, and is one that HTTP/1.1 allows. */
function isShort(request: IncomingMessage): boolean {
  const length = lengthOf(request);
  const { host, expect } = request.headers;
  return length > 0 && length <= BODY_LIMIT_BYTES && host !== undefined && expect === undefined;
}

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept: IncomingHttpHeaders = {};
  for (const name in headers) if (!HOP_HEADERS.has(name)) kept[name] = headers[name];
  return kept;
}

/** A request as it was before its body was read. */
function readAgain(request: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders } = request;
  const again = new IncomingMessage(request.socket);
  Object.assign(again, { method, url, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders });
  again.push(body);
  again.push(null);
  again.complete = true;
  return again;
}

/** Another worker, as this one reaches it. */
class Peer {
  readonly #pool: Pool;
  #isUp = false;
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(socketPath: string) {
    this.#pool = new Pool("http://worker", { socketPath, pipelining: 1, headersTimeout: ANSWER_TIMEOUT_MS });
    this.#pool.on("connectionError", () => this.lose());
  }

  get takesMore(): boolean {
    return this.#isUp && this.#underWay < MOST_UNDER_WAY;
  }

  /** Asks whether it is there, from now on. */
  start(): void {
    void this.#look();
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  send(request: IncomingMessage, body: Buffer, way: Omit<WayBack, "lose" | "end">): void {
    const headers = withoutHops(request.headers);
    headers[ADDRESS_HEADER] = request.socket.remoteAddress ?? "";
    const { method, url: path } = request;
    this.#underWay += 1;
    const end = (): void => {
      this.#underWay -= 1;
    };
    const answer = new Answer({ ...way, lose: () => this.lose(), end });
    this.#pool.dispatch({ method: method as Dispatcher.HttpMethod, path: path!, headers, body }, answer);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pool.destroy();
  }

  /** Hands it nothing until it says that it is there. */
  lose(): void {
    this.#isUp = false;
  }

  async #look(): Promise<void> {
    try {
      const { body } = await this.#pool.request({ method: "GET", path: "/healthz", headersTimeout: LOOK_TIMEOUT_MS });
      await body.dump();
      this.#isUp = true;
    } catch {
      this.lose();
    }
  }
}

type WayBack = {
  readonly response: ServerResponse;
  /** Whether this worker takes no further requests on the client's connection. */
  readonly isLast: () => boolean;
  /** Does here what the other worker has not seen. */
  readonly notSent: () => void;
  readonly onLost: () => void;
  readonly lose: () => void;
  /** Nothing more comes. */
  readonly end: () => void;
  readonly logger: Logger;
};

/** The answer of another worker, on its way to the client. */
class Answer implements Dispatcher.DispatchHandler {
  readonly #way: WayBack;
  #piece: Buffer | undefined;
  #isSent = false;

  constructor(way: WayBack) {
    this.#way = way;
  }

  /** A client that goes meanwhile is no reason to break off. */
  onRequestStart(): void {
    this.#isSent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (headers.connection === "close") this.#way.lose();
    const ours = withoutHops(headers);
    if (this.#way.isLast()) ours.connection = "close";
    this.#way.response.writeHead(status, ours);
  }

  /** Written with what follows: a short answer goes out in one piece. */
  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#piece !== undefined) this.#way.response.write(this.#piece);
    this.#piece = piece;
  }

  onResponseEnd(): void {
    this.#way.end();
    this.#way.response.end(this.#piece);
  }

  /** The other worker has gone, or stands still, perhaps after it did what was asked for. */
  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    const { response, logger } = this.#way;
    this.#way.end();
    this.#way.lose();
    if (!this.#isSent) {
      this.#way.notSent();
      return;
    }
    this.#way.onLost();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const requestId = randomUUID();
    logger.error({ err: cause, request_id: requestId }, "the worker handling a request did not answer");
    const { status, message, code } = new NodalError(
      "unavailable",
      "The process handling this request has ended or does not answer, perhaps after completing it. " +
        "Send the same request again, with the same reference or Idempotency-Key: it takes effect only once.",
    );
    const body = JSON.stringify({ status: 0, error: message, code, request_id: requestId });
    response.writeHead(status, {
      "content-length": Buffer.byteLength(body),
      "content-type": "application/json; charset=utf-8",
      "retry-after": "1",
      "x-request-id": requestId,
      "x-content-type-options": "nosniff",
    });
    response.end(body);
  }
}
