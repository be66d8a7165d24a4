// What a seal says and how it is made: a keyed hash over a range of the log and the seal before it; the links of the
// chain over the seals of all merchants; and the marks of what entries are about. The key is derived from the
// installation's secret, which is encrypted.
import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { MerchantKey } from "../merchants/index.ts";

/** The part of a merchant's journal that a seal covers: at least one entry. */
export type SealedRange = MerchantKey & {
  /** From 1, without gaps. */
  readonly sealNo: bigint;
  readonly firstEntryNo: bigint;
  readonly lastEntryNo: bigint;
  /** How many things the merchant's entries were about so far, of those that have a mark. */
  readonly things: bigint;
  /** Over the entries of the range. */
  readonly digest: Buffer;
};

/** The beginning of each entry's own hash in `marks`, in bytes. */
export const MARK_BYTES = 4;

/** The key of all seals of an installation, for its secret. */
export function sealKey(installationSecret: Buffer): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", installationSecret, "", "nodal audit seal", 32)));
}

/** The seal of a range, after the merchant's seal before it, which is empty for the first. */
export function makeSeal(key: KeyObject, range: SealedRange, before: Buffer): Buffer {
  const { bucket, merchantId, sealNo, firstEntryNo, lastEntryNo, things, digest } = range;
  const said = [bucket, merchantId, sealNo, firstEntryNo, lastEntryNo, things, digest.toString("hex")];
  return createHmac("sha256", key)
    .update(`${said.join(" ")} ${before.toString("hex")}`)
    .digest();
}

/** What a link says of the seals that it covers: SHA-256 over a line for each, in the order of their keys. */
export function digestSeals(
  seals: readonly (MerchantKey & { readonly sealNo: bigint; readonly seal: Buffer })[],
): Buffer {
  const hash = createHash("sha256");
  for (const { bucket, merchantId, sealNo, seal } of seals) {
    hash.update(`${bucket} ${merchantId} ${sealNo} ${seal.toString("hex")}\n`);
  }
  return hash.digest();
}

/** The head of the chain after a link: over all seals of all merchants until then. `before` is empty for the first. */
export function makeHead(key: KeyObject, linkNo: bigint, digest: Buffer, before: Buffer): Buffer {
  return createHmac("sha256", key)
    .update(`link ${linkNo} ${digest.toString("hex")} ${before.toString("hex")}`)
    .digest();
}

/** What an entry is about, as its row says it now. A row that is gone has no facts. */
export type ThingState = MerchantKey & {
  readonly kind: string;
  readonly thingId: bigint;
  /** The last entry about it. */
  readonly entryNo: bigint;
  /** What it says by now, as `stampFacts` makes it. */
  readonly facts: Buffer;
};

/** What a row says, as it is read: hashes of its facts, its encrypted values opened, and hashes of its items by their names. */
export type RowDigests = {
  readonly digests: readonly Buffer[];
  readonly secrets: readonly string[];
  readonly items: ReadonlyMap<string, string>;
};

/** The length of a stamp: nobody can try which value fits without writing it into the row. */
export const STAMP_BYTES = 6;

/** A keyed hash of one thing that a row says: the same for the same, and to nobody without the key a sign of what it is. */
export function stampOf(
  key: KeyObject,
  { bucket, merchantId, kind, thingId }: Omit<ThingState, "entryNo" | "facts">,
  place: string,
  value: Buffer | string,
): Buffer {
  return createHmac("sha256", key)
    .update(`fact ${bucket} ${merchantId} ${kind} ${thingId} ${place} ${Buffer.byteLength(value)} `)
    .update(value)
    .digest()
    .subarray(0, STAMP_BYTES);
}

/**
 * What a row says, stamp by stamp, so that what has changed of it is known from what was sealed: facts, encrypted values,
 * then for each item its name and what it says, in the order of the names' stamps.
 */
export function stampFacts(
  key: KeyObject,
  thing: Omit<ThingState, "entryNo" | "facts">,
  { digests, secrets, items }: RowDigests,
): Buffer {
  const ofItems = [...items].map(([name, digest]) =>
    Buffer.concat([stampOf(key, thing, "item", name), stampOf(key, thing, `item ${name}`, digest)]),
  );
  return Buffer.concat([
    ...digests.map((digest, place) => stampOf(key, thing, `fact ${place}`, digest)),
    ...secrets.map((secret, place) => stampOf(key, thing, `secret ${place}`, secret)),
    ...ofItems.sort((one, other) => one.compare(other)),
  ]);
}

/** The mark of a thing, which nobody makes who can change its row alone. */
export function markThing(key: KeyObject, { bucket, merchantId, kind, thingId, entryNo, facts }: ThingState): Buffer {
  return createHmac("sha256", key)
    .update(`thing ${bucket} ${merchantId} ${kind} ${thingId} ${entryNo} `)
    .update(facts)
    .digest();
}
