// Bytes of cryptography: nonces that never come again, and comparing hashes so that the time taken tells nothing of them.
import { randomFillSync, timingSafeEqual } from "node:crypto";

const AT_ONCE = 1024;

export class Nonces {
  readonly #length: number;
  readonly #pool: Buffer;
  #used: number;

  /** @param length of each, in bytes */
  constructor(length: number) {
    this.#length = length;
    this.#pool = Buffer.alloc(length * AT_ONCE);
    this.#used = this.#pool.length;
  }

  /** The next one. It is a view of bytes that are filled again later: copy what is to be kept. */
  next(): Buffer {
    if (this.#used === this.#pool.length) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    this.#used += this.#length;
    return this.#pool.subarray(this.#used - this.#length, this.#used);
  }
}

/** Whether two hashes or tokens are the same, in constant time for those of one length. */
export function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
