// Converts a stream of bytes to sealed chunks of bounded size, and back. seal.ts protects the chunks, frames.ts has the
// format of the bytes.
import { damaged, CHUNK_OVERHEAD, HEADER_BYTES, openSeal, readChunkHead, type Seal } from "./seal.ts";

const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file: its header and the source in sealed chunks. The last one may be empty. */
export async function* sealChunks(source: AsyncIterable<Buffer>, seal: Seal): AsyncGenerator<Buffer> {
  yield seal.header;
  const reader = new ByteReader(source);
  let chunk = await reader.take(CHUNK_BYTES);
  for (let index = 0; ; index += 1) {
    const next = await reader.take(CHUNK_BYTES);
    yield seal.seal(index, next.length === 0, chunk);
    if (next.length === 0) return;
    chunk = next;
  }
}

/**
 * The sealed bytes, each only after its chunk was verified to be intact and in order.
 * @throws BackupError for a file that is no backup, can't be opened with the passphrase, or is damaged anywhere
 */
export async function* openChunks(file: AsyncIterable<Buffer>, passphrase: string | null): AsyncGenerator<Buffer> {
  const reader = new ByteReader(file);
  const seal = await openSeal(await reader.take(HEADER_BYTES), passphrase);
  for (let index = 0; ; index += 1) {
    const head = await reader.take(CHUNK_OVERHEAD.before);
    if (head.length < CHUNK_OVERHEAD.before) throw damaged("its end is missing");
    const { length, isLast } = readChunkHead(head);
    if (length > CHUNK_BYTES) throw damaged(`chunk ${index} is not what was written`);
    const rest = await reader.take(length + CHUNK_OVERHEAD.after);
    if (rest.length < length + CHUNK_OVERHEAD.after) throw damaged("its end is missing");
    yield seal.open(index, isLast, rest.subarray(0, length), rest.subarray(length));
    if (isLast) break;
  }
  if ((await reader.take(1)).length > 0) throw damaged("there is something after its end");
}

/** Reads a stream of pieces as a run of bytes. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** The next `length` bytes; fewer or none at the end of the stream. */
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
