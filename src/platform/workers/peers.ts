// Requests that one worker hands over to another, the one in charge of them: each merchant's payouts then meet in one process,
// whose group commits are large, and whose memory of keys, limits and books holds.
// What belongs here: the way there and back. Who is in charge is the caller's to say; correct is whichever answers.
// HTTP over a Unix socket by undici, whose client costs half as much as node:http's (docs/dependencies.md).
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { join } from "node:path";
import { errors, Pool, type Dispatcher } from "undici";
import { NodalError } from "../errors.ts";
import type { Logger } from "../log.ts";

/** Whose address the request comes from, since the socket between workers has none. */
const ADDRESS_HEADER = "x-nodal-client-address";
/** Longer bodies, and those whose length is not known, are read where they arrive. */
const BODY_LIMIT_BYTES = 16 * 1024;
const LOOK_AGAIN_MS = 500;
const CLOSE_IDLE_MS = 50;
/** About one connection only. */
const HOP_HEADERS = ["connection", "keep-alive", "transfer-encoding", "upgrade", "expect", "te", "trailer"];

export type PeersOptions = {
  /** Where the workers' sockets are: a folder that nobody else may enter. */
  readonly folder: string;
  /** How many workers there are, by number from 1. */
  readonly count: number;
  /** This worker's own number. */
  readonly number: number;
  /** The worker in charge of a request; `null` where that is whoever got it. */
  readonly inCharge: (request: IncomingMessage) => number | null;
  readonly logger: Logger;
};

export class Peers {
  readonly #options: PeersOptions;
  readonly #peers = new Map<number, Peer>();
  #server: Server | null = null;
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
    this.#server = createServer(
      { requireHostHeader: false, keepAliveTimeout: server.keepAliveTimeout },
      (request, response) => {
        const address = request.headers[ADDRESS_HEADER];
        delete request.headers[ADDRESS_HEADER];
        Object.defineProperty(request.socket, "remoteAddress", { value: address, configurable: true });
        handle(request, response);
      },
    );
    this.#server.setTimeout(server.timeout);
    // Not the supervisor's socket, from which connections would be handed out: one on its way to a worker that dies hangs.
    this.#server.listen({ path, exclusive: true });
    await once(this.#server, "listening");
    server.removeAllListeners("request");
    server.on("request", (request, response) => {
      if (!this.#handOver(request, response)) handle(request, response);
    });
    for (const peer of this.#peers.values()) peer.look();
  }

  /** Hands nothing over any more, and waits until what others have handed over is answered, at most so many ms. */
  async stop(withinMs: number): Promise<void> {
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
    if (this.#isStopping || !isShort(request)) return false;
    const number = this.#options.inCharge(request);
    const peer = number === null ? undefined : this.#peers.get(number);
    if (!peer?.isUp) return false;
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.once("end", () => {
      const options = {
        isStopping: () => this.#isStopping,
        peerStops: () => peer.lose(),
        logger: this.#options.logger,
      };
      peer.send(request, Buffer.concat(pieces), new Answer(response, options));
    });
    return true;
  }
}

function socketOf(folder: string, number: number): string {
  return join(folder, `${number}.sock`);
}

/** Whether a request has a short body of known length, and is one that HTTP/1.1 allows. */
function isShort({ headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? 0);
  return length > 0 && length <= BODY_LIMIT_BYTES && headers.host !== undefined && headers.expect === undefined;
}

/** Another worker, as this one reaches it. */
class Peer {
  readonly #pool: Pool;
  #isUp = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(socketPath: string) {
    this.#pool = new Pool("http://worker", { socketPath, pipelining: 1 });
    this.#pool.on("disconnect", (_origin, _targets, error) => {
      // Connections that nobody used for long are closed in order.
      if (!(error instanceof errors.InformationalError)) this.lose();
    });
    this.#pool.on("connectionError", () => this.lose());
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Asks whether it is there, and again until it is. */
  look(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#pool.request({ method: "GET", path: "/healthz" }).then(
      async ({ body }) => {
        await body.dump();
        this.#isUp = !this.#isClosed;
      },
      () => this.lose(),
    );
  }

  send(request: IncomingMessage, body: Buffer, answer: Dispatcher.DispatchHandler): void {
    const headers: IncomingHttpHeaders = { ...request.headers, [ADDRESS_HEADER]: request.socket.remoteAddress ?? "" };
    for (const name of HOP_HEADERS) delete headers[name];
    const { method, url: path } = request;
    this.#pool.dispatch({ method: method as Dispatcher.HttpMethod, path: path!, headers, body }, answer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isUp = false;
    clearTimeout(this.#timer);
    await this.#pool.destroy();
  }

  /** Hands it nothing until it says that it is there. */
  lose(): void {
    this.#isUp = false;
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), LOOK_AGAIN_MS).unref();
  }
}

type AnswerOptions = {
  /** Whether this worker takes no further requests on the client's connection. */
  readonly isStopping: () => boolean;
  readonly peerStops: () => void;
  readonly logger: Logger;
};

/** The answer of another worker, on its way to the client. */
class Answer implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  readonly #options: AnswerOptions;
  #piece: Buffer | undefined;

  constructor(response: ServerResponse, options: AnswerOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** A client that goes meanwhile is no reason to break off: undici's other reason to be told of the start. */
  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (headers.connection === "close") this.#options.peerStops();
    for (const name of HOP_HEADERS) delete headers[name];
    if (this.#options.isStopping()) headers.connection = "close";
    this.#response.writeHead(status, headers);
  }

  /** Written with what follows: a short answer goes out in one piece. */
  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#piece !== undefined) this.#response.write(this.#piece);
    this.#piece = piece;
  }

  onResponseEnd(): void {
    this.#response.end(this.#piece);
  }

  /** The other worker has gone, perhaps after it did what was asked for. */
  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#response.headersSent) {
      this.#response.destroy();
      return;
    }
    const requestId = randomUUID();
    this.#options.logger.error({ err: cause, request_id: requestId }, "the worker that had a request in hand ended");
    const { status, message, code } = new NodalError(
      "unavailable",
      "The process that had this request in hand has ended, perhaps after it did what was asked. " +
        "Send the same request again, with the same reference or Idempotency-Key: it is done once.",
    );
    const body = JSON.stringify({ status: 0, error: message, code, request_id: requestId });
    this.#response.writeHead(status, {
      "content-length": Buffer.byteLength(body),
      "content-type": "application/json; charset=utf-8",
      "retry-after": "1",
      "x-request-id": requestId,
      "x-content-type-options": "nosniff",
    });
    this.#response.end(body);
  }
}
