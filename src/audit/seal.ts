// Makes seals: keyed hashes over a range of the log and the previous seal. Also the links of the chain over the seals
// of all merchants, and the marks of the subjects of entries. The key is derived from the installation's secret, which
// is encrypted.
import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { MerchantKey } from "../merchants/index.ts";

/** The part of a merchant's journal that a seal covers: at least one entry. */
export type SealedRange = MerchantKey & {
  /** From 1, without gaps. */
  readonly sealNo: bigint;
  readonly firstEntryNo: bigint;
  readonly lastEntryNo: bigint;
  /** The number of things with a mark, up to here. */
  readonly things: bigint;
  /** The digest of the range's entries. */
  readonly digest: Buffer;
};

/** The length, in bytes, of each entry's truncated hash in `marks`. */
export const MARK_BYTES = 4;

/** Derives the key of an installation's seals from its secret. */
export function sealKey(installationSecret: Buffer): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", installationSecret, "", "nodal audit seal", 32)));
}

/** The seal of a range. `before` is the merchant's previous seal, empty for the first. */
export function makeSeal(key: KeyObject, range: SealedRange, before: Buffer): Buffer {
  const { bucket, merchantId, sealNo, firstEntryNo, lastEntryNo, things, digest } = range;
  const said = [bucket, merchantId, sealNo, firstEntryNo, lastEntryNo, things, digest.toString("hex")];
  return createHmac("sha256", key)
    .update(`${said.join(" ")} ${before.toString("hex")}`)
    .digest();
}

/** The digest of a link's seals: SHA-256 over a line for each, in key order. */
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

/** The current state of an entry's subject. A deleted row has no facts. */
export type ThingState = MerchantKey & {
  readonly kind: string;
  readonly thingId: bigint;
  /** The last entry about it. */
  readonly entryNo: bigint;
  /** Its current facts, made by `stampFacts`. */
  readonly facts: Buffer;
};

/** The content of a row: hashes of its facts, its decrypted values, and hashes of its items by name. */
export type RowDigests = {
  readonly digests: readonly Buffer[];
  readonly secrets: readonly string[];
  readonly items: ReadonlyMap<string, string>;
};

/** The length of a stamp: a fitting value can't be found by trial without writing to the row. */
export const STAMP_BYTES = 6;

/** A keyed hash of one fact. Equal facts have equal stamps, which reveal nothing without the key. */
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
 * The stamps of a row's content, which show later what has changed: facts, encrypted values, then name and content of
 * each item, in the order of the names' stamps.
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

/** The mark of a thing, which can't be forged with access to its row only. */
export function markThing(key: KeyObject, { bucket, merchantId, kind, thingId, entryNo, facts }: ThingState): Buffer {
  return createHmac("sha256", key)
    .update(`thing ${bucket} ${merchantId} ${kind} ${thingId} ${entryNo} `)
    .update(facts)
    .digest();
}
