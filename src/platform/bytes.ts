// Bytes for cryptography: unique nonces, and comparison of hashes in constant time.
import { randomFillSync, timingSafeEqual } from "node:crypto";

const AT_ONCE = 1024;

export class Nonces {
  readonly #length: number;
  readonly #pool: Buffer;
  #used: number;

  /** @param length of each nonce, in bytes */
  constructor(length: number) {
    this.#length = length;
    this.#pool = Buffer.alloc(length * AT_ONCE);
    this.#used = this.#pool.length;
  }

  /** The next nonce. It is a view of a buffer that is reused later: copy it to keep it. */
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
