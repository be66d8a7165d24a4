// What a seal says and how it is made: a keyed hash over a range of the log and the seal before it.
// What belongs here: rules that need no database. The key is derived from the installation's secret, which is encrypted.
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { MerchantKey } from "../merchants/index.ts";

/** The part of a merchant's log that a seal covers. A range without events begins one after its end. */
export type SealedRange = MerchantKey & {
  /** From 1, without gaps. */
  readonly sealNo: bigint;
  readonly firstEventNo: bigint;
  readonly lastEventNo: bigint;
  readonly lastPostingNo: bigint;
  /** Over the events of the range, and the postings since the seal before. */
  readonly digest: Buffer;
};

/** The beginning of each event's own hash in `marks`, in bytes. */
export const MARK_BYTES = 4;

/** The key of all seals of an installation, for its secret. */
export function sealKey(installationSecret: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", installationSecret, "", "nodal audit seal", 32));
}

/** The seal of a range, after the merchant's seal before it, which is empty for the first. */
export function makeSeal(key: Buffer, range: SealedRange, before: Buffer): Buffer {
  const { bucket, merchantId, sealNo, firstEventNo, lastEventNo, lastPostingNo, digest } = range;
  const said = [bucket, merchantId, sealNo, firstEventNo, lastEventNo, lastPostingNo, digest.toString("hex")];
  return createHmac("sha256", key)
    .update(`${said.join(" ")} ${before.toString("hex")}`)
    .digest();
}

/** Whether two seals or digests are the same. */
export function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
