// Reads a body in steps, so that a large one waits until its sender is known.
import type { Readable } from "node:stream";
import { NodalError } from "../errors.ts";
import type { IncomingMessage } from "node:http";

type Waiting = { readonly bytes: number; readonly resolve: () => void; readonly reject: (error: Error) => void };

/** Reads a request's body only as far as requested; the rest stays with the client. */
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

  /** Is the body complete? */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The bytes read so far. */
  get bytes(): Buffer {
    // Concatenated once, since it is read after each step.
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#length)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  /**
   * Reads until there are so many bytes, or the body ends. One call at a time. @throws NodalError `body_too_large`
   * beyond the limit; the stream's error if the client disconnects
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

  /** Drops what was read, and discards the rest. */
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

/** @throws NodalError `body_too_large` if the request's declared length is above this */
export function checkDeclaredLength(contentLength: string | undefined, limitBytes: number): void {
  if (Number(contentLength ?? 0) > limitBytes) throw tooLarge();
}

function tooLarge(): NodalError {
  return new NodalError("body_too_large", "The body is too large. Send a smaller one, or split it.");
}

/** The first pieces may be of any length, for clients that write a short body member by member. */
const FREE_PIECES = 1024;
/** The least average length of further pieces. Network packets and usual writes are longer. */
const MEAN_BYTES = 64;

/**
 * Fails the body's stream with `body_too_large` if it comes in too many short pieces. Call it before the body is read,
 * in the same turn in which its reader starts.
 */
export function limitPieces(body: IncomingMessage): void {
  let pieces = 0;
  let bytes = 0;
  const count = (piece: Buffer): void => {
    pieces += 1;
    bytes += piece.length;
    if (pieces <= FREE_PIECES + bytes / MEAN_BYTES) return;
    body.off("data", count);
    // Without a listener the request was already answered, so the rest is discarded.
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
