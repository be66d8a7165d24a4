// Proof that the server wrote an entry or a funding: a keyed hash over what it says, whose key is not in the database.
// What a posting has made needs none: balances and the bank's book tell.
import { Nonces, isSame } from "../platform/bytes.ts";
import type { Secrets } from "../platform/secrets/index.ts";

/** Ahead of each hash of an entry, and in it, so that an entry that is copied is found by its proof. */
const NONCE_BYTES = 8;
const nonces = new Nonces(NONCE_BYTES);

/** What is proved of an entry. */
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

/** The key of one name of a deposit, and the fundings among which it is credited once: all of an account, or a merchant's. */
export type DepositKey = { readonly scope: bigint; readonly depositKey: Uint8Array };

/** What is proved of a funding: its row, and its rows of `deposit` in any order, which keep the money from being credited twice. */
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

/** Whether this is a proof of the entry. */
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

/** Whether this is the proof of the funding. */
export function isFundingProved(secrets: Secrets, funding: ProvedFunding, proof: Buffer | null): boolean {
  return proof !== null && isSame(proveFunding(secrets, funding), proof);
}

function proofOfEvent(secrets: Secrets, event: ProvedEvent, nonce: Buffer): Buffer {
  const { bucket, merchantId, type, subjectId, createdAt, before, after } = event;
  const said = [String(bucket), String(merchantId), type, String(subjectId), microsecondsOf(createdAt)];
  const hash = secrets.mac("event.proof", [nonce, ...said, canonical(before), canonical(after)]);
  return Buffer.concat([nonce, hash]);
}

/** As the database keeps times. */
function microsecondsOf(time: Temporal.Instant): string {
  return String(time.epochNanoseconds / 1000n);
}

/** JSON with its members in order: the database keeps them in one of its own. */
export function canonical(value: unknown): string {
  if (value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
