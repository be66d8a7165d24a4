// Proof that the server wrote an entry or a funding: a keyed hash over its content. The key is not in the database. The
// effects of postings need no proof: balances and the bank's book show them.
import { Nonces, isSame } from "../platform/bytes.ts";
import type { Secrets } from "../platform/secrets/index.ts";

/** A nonce before each hash of an entry, and part of it, so that copied entries have equal proofs. */
const NONCE_BYTES = 8;
const nonces = new Nonces(NONCE_BYTES);

/** The content of an entry that the proof covers. */
export type ProvedEvent = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly type: string;
  readonly subjectId: bigint;
  readonly createdAt: Temporal.Instant;
  /** As JSON values. */
  readonly before: unknown;
  readonly after: unknown;
};

/** The key of a deposit's name, and the scope in which it is credited once: all fundings of an account, or of a merchant. */
export type DepositKey = { readonly scope: bigint; readonly depositKey: Uint8Array };

/**
 * The content of a funding that the proof covers: its row, and its rows of `deposit` in any order, which prevent a
 * second credit.
 */
export type ProvedFunding = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly fundingId: bigint;
  readonly amountPaise: bigint;
  readonly reference: string;
  readonly createdAt: Temporal.Instant;
  readonly deposits: readonly DepositKey[];
};

/** The proof of a new entry. It takes about 12 µs. */
export function proveEvent(secrets: Secrets, event: ProvedEvent): Buffer {
  return proofOfEvent(secrets, event, nonces.next());
}

/** Is this a proof of the entry? */
export function isEventProved(secrets: Secrets, event: ProvedEvent, proof: Buffer | null): boolean {
  return proof !== null && isSame(proofOfEvent(secrets, event, proof.subarray(0, NONCE_BYTES)), proof);
}

/** The proof of a funding. */
export function proveFunding(secrets: Secrets, funding: ProvedFunding): Buffer {
  const { bucket, merchantId, fundingId, amountPaise, reference, createdAt } = funding;
  const numbers = [bucket, merchantId, fundingId, amountPaise].map(String);
  const deposits = funding.deposits.map(
    ({ scope, depositKey }) => `${scope} ${Buffer.from(depositKey).toString("hex")}`,
  );
  return secrets.mac("funding.proof", [...numbers, reference, microsecondsOf(createdAt), ...deposits.toSorted()]);
}

/** Is this the proof of the funding? */
export function isFundingProved(secrets: Secrets, funding: ProvedFunding, proof: Buffer | null): boolean {
  return proof !== null && isSame(proveFunding(secrets, funding), proof);
}

function proofOfEvent(secrets: Secrets, event: ProvedEvent, nonce: Buffer): Buffer {
  const { bucket, merchantId, type, subjectId, createdAt, before, after } = event;
  const said = [String(bucket), String(merchantId), type, String(subjectId), microsecondsOf(createdAt)];
  const hash = secrets.mac("event.proof", [nonce, ...said, canonical(before), canonical(after)]);
  return Buffer.concat([nonce, hash]);
}

/** The precision of times in the database. */
function microsecondsOf(time: Temporal.Instant): string {
  return String(time.epochNanoseconds / 1000n);
}

/** JSON with sorted members, since jsonb does not keep their order. */
export function canonical(value: unknown): string {
  if (value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
