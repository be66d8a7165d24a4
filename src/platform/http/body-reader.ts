// A body that is read in steps, so that what is large waits until it is known who sends it.
import type { Readable } from "node:stream";
import { NodalError } from "../errors.ts";
import type { IncomingMessage } from "node:http";

type Waiting = { readonly bytes: number; readonly resolve: () => void; readonly reject: (error: Error) => void };

/** Reads a request's body no further than it was asked to; what nobody has asked for stays with the client. */
export class BodyReader {
  readonly #payload: Readable;
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  #length = 0;
  #isWhole = false;
  #failure: Error | null = null;
  #waiting: Waiting | null = null;

  constructor(payload: Readable, limitBytes: number) {
    this.#payload = payload;
    this.#limitBytes = limitBytes;
    payload.on("data", this.#take);
    payload.on("end", this.#end);
    payload.on("error", this.#fail);
    payload.pause();
  }

  /** Whether the body has come to its end. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** What has been read so far. */
  get bytes(): Buffer {
    // Put together once: it is asked for again after each step.
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#length)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  /**
   * Reads on until there are so many bytes, or the body ends. One reading at a time.
   * @throws NodalError `body_too_large` beyond the limit; the stream's error where the client breaks off
   */
  async readUpTo(bytes: number): Promise<void> {
    this.#check();
    if (this.#isWhole || this.#length >= bytes) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiting = { bytes, resolve, reject };
      this.#payload.resume();
    });
  }

  /** Reads the rest. @throws as `readUpTo` does */
  async readAll(): Promise<Buffer> {
    await this.readUpTo(Number.POSITIVE_INFINITY);
    return this.bytes;
  }

  /** Lets go of what was read; what still comes is thrown away. */
  giveUp(): void {
    this.#payload.off("data", this.#take);
    this.#payload.off("end", this.#end);
    this.#chunks = [];
    this.#payload.resume();
  }

  readonly #take = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const isTooLong = this.#length > this.#limitBytes;
    if (isTooLong) this.#failure = tooLarge();
    if (isTooLong || this.#length >= (this.#waiting?.bytes ?? 0)) this.#settle();
  };

  readonly #end = (): void => {
    this.#isWhole = true;
    this.#settle();
  };

  readonly #fail = (error: Error): void => {
    this.#failure = Object.assign(error, { statusCode: 400 });
    this.#settle();
  };

  #settle(): void {
    this.#payload.pause();
    const waiting = this.#waiting;
    this.#waiting = null;
    if (this.#failure) waiting?.reject(this.#failure);
    else waiting?.resolve();
  }

  #check(): void {
    if (this.#failure) throw this.#failure;
  }
}

/** @throws NodalError `body_too_large` where the request says that its body is longer than this */
export function checkDeclaredLength(contentLength: string | undefined, limitBytes: number): void {
  if (Number(contentLength ?? 0) > limitBytes) throw tooLarge();
}

function tooLarge(): NodalError {
  return new NodalError("body_too_large", "The body is too large. Send a smaller one, or split it.");
}

/** So many may be of any length: clients that write a short body member by member. */
const FREE_PIECES = 1024;
/** What further ones have at least, on average. A packet of the network, or what a client writes at once, has more. */
const MEAN_BYTES = 64;

/**
 * Gives the body of a request up, as its stream's error `body_too_large`, once it has come in too many short pieces. To
 * be called before anybody reads the body, in the same turn as its reader begins.
 */
export function limitPieces(body: IncomingMessage): void {
  let pieces = 0;
  let bytes = 0;
  const count = (piece: Buffer): void => {
    pieces += 1;
    bytes += piece.length;
    if (pieces <= FREE_PIECES + bytes / MEAN_BYTES) return;
    body.off("data", count);
    // Nobody listens once the request has been answered: what still comes is thrown away.
    if (body.listenerCount("error") === 0) body.destroy();
    else body.emit("error", tooManyPieces());
  };
  body.on("data", count);
}

function tooManyPieces(): NodalError {
  return new NodalError(
    "body_too_large",
    `The body has too many chunks. Send it with Content-Length, or in chunks of at least ${MEAN_BYTES} bytes.`,
  );
}
