// Comparing hashes so that how long it takes does not tell how much of them is right.
import { timingSafeEqual } from "node:crypto";

/** Whether two hashes are the same, in constant time for those of one length. */
export function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
