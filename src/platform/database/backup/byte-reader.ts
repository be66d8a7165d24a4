// Taking exact numbers of bytes from a stream that comes in pieces of any size.
// What belongs here: that and nothing that knows what the bytes mean.

/** Reads a stream of pieces as a run of bytes. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** The next `length` bytes; fewer, or none, where the stream ends before. */
  async take(length: number): Promise<Buffer> {
    const pieces = [this.#rest];
    let held = this.#rest.length;
    while (held < length) {
      const next = await this.#pieces.next();
      if (next.done) break;
      pieces.push(next.value);
      held += next.value.length;
    }
    const all = pieces.length === 1 ? this.#rest : Buffer.concat(pieces, held);
    this.#rest = all.subarray(length);
    return all.subarray(0, length);
  }
}
