// SQL that writes the decisions on a batch of payouts: one statement, which also checks that the balance is sufficient and
// the terms have not changed.
import { addEntries, IS_OK, moveBooks, moveOwned } from "../../ledger/index.ts";
import { Parameters } from "../../platform/database/parameters.ts";
import type { Item } from "../../platform/database/table.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { pinTo, type BucketPin } from "../../platform/database/citus/index.ts";
import type { Secrets } from "../../platform/secrets/index.ts";
import type { Claim } from "../claim-store.ts";
import { sealOwnAccount, type NewTransfer } from "../transfer-store.ts";
import { ENDED_PROOF, formOf, proveInstruction, SENT_PROOF } from "../instruction-proof.ts";
import { proveUtr } from "../utr-proof.ts";
import type { BatchDraft } from "./batch-draft.ts";
import { KEEPS_REFERENCE } from "./facts-store.ts";

/** States without a final status from the bank. */
const OPEN_STATES = "('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')";

/** The statement's parameters for the merchants, by slot, and for the accepted transfers, if any, with their merchants' slots. */
type Keys = {
  readonly buckets: string;
  readonly merchantIds: string;
  readonly slots: string;
  readonly transferIds: string;
};
/** A part of the statement, for the rows of merchants whose books got entries. */
type Part = (parameters: Parameters, draft: BatchDraft, keys: Keys, now: string) => string;

/**
 * Writes a batch. Returns the places of the merchants that it was written for, with their available balance in paise (`null` if
 * the book got no entry). Rejects with a DatabaseError if a row exists already, or has changed since it was read.
 */
type WriteDraft = () => Promise<ReadonlyMap<number, bigint | null>>;

/**
 * Makes the statement that writes a batch, ready to be sent. Errors occur before anything is sent: if this statement were missing, a
 * pipelined commit would still commit the rest of the transaction.
 * @param isHeld whether the transaction has locked the books. If not, nothing is written for merchants with an insufficient
 * balance, a debt or changed terms: `moveBooks`
 */
export function makeWriteDraft(
  db: Queryable,
  secrets: Secrets,
  now: Temporal.Instant,
  claim: Claim | null,
  draft: BatchDraft,
  isHeld: boolean,
): WriteDraft {
  const { books, accepted, reported, asked, finished } = draft;
  const parameters = new Parameters();
  const pin = pinTo(db, books);
  const nowName = parameters.add("timestamptz", now.toString());
  const keys = {
    buckets: parameters.add(
      "smallint[]",
      books.map(({ bucket }) => bucket),
    ),
    merchantIds: parameters.add(
      "bigint[]",
      books.map(({ merchantId }) => merchantId),
    ),
    ...nameAccepted(parameters, draft),
  };
  const hasWithdrawals = accepted.some(({ transfer }) => transfer.beneficiaryId === null);
  const takesOn = accepted.some(({ state }) => state === "SUBMITTING");
  const hasWaiting = accepted.some(({ state }) => state === "RESERVED");
  const hasKeys = accepted.some(({ transfer }) => transfer.idempotency);
  const owned = moveOwned(parameters, pin, books);
  const parts: readonly [string, boolean, Part][] = [
    ["transfers", accepted.length > 0 && !hasWithdrawals, (...of) => insertTransfers(...of, proof(secrets), claim)],
    ["withdrawals", hasWithdrawals, (...given) => insertTransfers(...given, accountColumns(secrets), claim)],
    ["claim", takesOn, (...given) => insertClaim(...given, claim)],
    ["queue", hasWaiting, insertQueue],
    ["keys", hasKeys, insertKeys],
    ["reports", reported.length > 0, (...given) => updateTransfers(...given, pin, secrets)],
    ["finished", finished.length > 0, (...given) => deleteFromQueue(...given, pin)],
    ["open", asked.length > 0, askAgain],
  ];
  const used = parts.filter(([, isUsed]) => isUsed);
  const text = [
    moveBooks(parameters, pin, books, isHeld),
    addEntries(parameters, books, keys, nowName),
    ...(owned ? [owned.text] : []),
    ...used.map(([, , part]) => part(parameters, draft, keys, nowName)),
  ].join(", ");
  const wanted = (slots: readonly number[]): string =>
    `(select count(*) from unnest(${parameters.add("integer[]", slots)}) as slot where ${IS_OK})`;
  const checks = [
    ...(isHeld ? [mustBe("cardinality(slots)", parameters.add("integer", books.length))] : []),
    // With the books held they have been looked up already.
    ...(!isHeld && accepted.length > 0 ? [mustBe(countKept(parameters, accepted, keys, pin), "0")] : []),
    ...(reported.length > 0
      ? [mustBe("(select count(*) from reported)", wanted(reported.map(({ slot }) => slot)))]
      : []),
    ...(owned ? [mustBe(owned.count, wanted(owned.slots))] : []),
  ];
  const names = used.map(([name]) => name).join(" ");
  const statement = {
    name: pin.name(`write-payouts ${isHeld ? "held " : ""}${names}${owned ? " owned" : ""}`),
    text: `with ${text} select ${["slots", "available", ...checks].join(", ")} from ok`,
    values: parameters.values,
  };
  return async () => {
    const { rows } = await db.query<{ slots: number[]; available: (bigint | null)[] }>(statement);
    const { slots, available } = rows[0]!;
    return new Map(slots.map((slot) => [slot, available[slot - 1]!]));
  };
}

/** SQL that counts the accepted transfers whose reference belongs to a payout without a transfer. */
function countKept(parameters: Parameters, accepted: BatchDraft["accepted"], keys: Keys, pin: BucketPin): string {
  const references = parameters.add(
    "text[]",
    accepted.map(({ transfer }) => transfer.referenceId),
  );
  return `(
      select count(*) from unnest(${keys.slots}, ${references}) as item (slot, reference_id)
      join payout_batch_line line
        on line.bucket = (${keys.buckets})[slot] and line.merchant_id + 0 = (${keys.merchantIds})[slot]
        and line.reference_id = item.reference_id and ${KEEPS_REFERENCE}${pin.of("line")}
      where ${IS_OK})`;
}

function nameAccepted(parameters: Parameters, { accepted }: BatchDraft): Pick<Keys, "slots" | "transferIds"> {
  // An unused parameter has no type.
  if (accepted.length === 0) return { slots: "", transferIds: "" };
  return {
    slots: parameters.add(
      "integer[]",
      accepted.map(({ slot }) => slot),
    ),
    transferIds: parameters.add(
      "bigint[]",
      accepted.map(({ transfer }) => transfer.transferId),
    ),
  };
}

type Accepted = BatchDraft["accepted"][number];
/** A further column of the table, with its type and its value for a transfer. */
type Column = readonly [name: string, type: string, read: (item: Accepted) => Item];

const TRANSFER_COLUMNS: readonly Column[] = [
  ["kind", "text", ({ transfer }) => transfer.kind],
  ["reference_id", "text", ({ transfer }) => transfer.referenceId],
  ["beneficiary_id", "bigint", ({ transfer }) => transfer.beneficiaryId],
  ["franchise_id", "bigint", ({ transfer }) => transfer.franchiseId],
  ["mode", "text", ({ transfer }) => transfer.mode],
  ["rail", "text", ({ transfer }) => transfer.rail],
  ["rail_mode", "text", ({ transfer }) => transfer.railMode],
  ["amount_paise", "bigint", ({ transfer }) => transfer.amountPaise],
  ["narrative", "text", ({ transfer }) => transfer.narrative],
  ["state", "text", ({ state }) => state],
  ["counted_on", "date", ({ countedOn }) => countedOn?.toString() ?? null],
];

/** The column of the proof that the server wrote the instruction. */
function proof(secrets: Secrets): readonly Column[] {
  const prove = ({ transfer, state }: Accepted): Item => proveInstruction(secrets, transfer, formOf(state), 0);
  return [["instruction_proof", "bytea", prove]];
}

/** The account of a withdrawal. All others have a beneficiary. */
function accountColumns(secrets: Secrets): readonly Column[] {
  const ofWithdrawal =
    (read: (transfer: NewTransfer) => string | null) =>
    ({ transfer }: Accepted) =>
      transfer.beneficiaryId === null ? read(transfer) : null;
  return [
    ...proof(secrets),
    ["account_holder", "text", ofWithdrawal(({ payee }) => payee.name)],
    ["account_number", "text", ofWithdrawal((transfer) => sealOwnAccount(secrets, transfer))],
    ["ifsc", "text", ofWithdrawal(({ payee }) => payee.ifsc)],
  ];
}

function insertTransfers(
  parameters: Parameters,
  { accepted }: BatchDraft,
  keys: Keys,
  now: string,
  further: readonly Column[],
  claim: Claim | null,
): string {
  const columns = [...TRANSFER_COLUMNS, ...further];
  const names = columns.map(([name]) => name).join(", ");
  const arrays = columns.map(([, type, read]) => parameters.add(`${type}[]`, accepted.map(read)));
  return `accepted as (
      insert into transfer (bucket, merchant_id, added_at, claim_id, transfer_id, ${names})
      select
        (${keys.buckets})[slot], (${keys.merchantIds})[slot], ${now},
        case when state = 'SUBMITTING' then ${parameters.add("bigint", claim?.claimId ?? null)} end, transfer_id, ${names}
      from unnest(${keys.slots}, ${keys.transferIds}, ${arrays.join(", ")}) as item (slot, transfer_id, ${names})
      where ${IS_OK}
      returning 1
    )`;
}

/**
 * Inserts the process's claim on the accepted transfers, one row for all. Listed transfers count only if they carry the claim's id.
 */
function insertClaim(
  parameters: Parameters,
  _draft: BatchDraft,
  keys: Keys,
  _now: string,
  claim: Claim | null,
): string {
  if (!claim) throw new Error("a transfer is to be taken on, and no process does so");
  return `claim as (
      insert into dispatch_claim (process_id, claim_id, bucket, buckets, merchant_ids, slots, transfer_ids)
      values (
        ${parameters.add("bigint", claim.processId)}, ${parameters.add("bigint", claim.claimId)}, (${keys.buckets})[1],
        ${keys.buckets}, ${keys.merchantIds}, ${keys.slots}, ${keys.transferIds})
    )`;
}

/** Queues the transfers that aren't started at once. */
function insertQueue(parameters: Parameters, { accepted }: BatchDraft, keys: Keys, now: string): string {
  const waiting = accepted.filter(({ state }) => state === "RESERVED");
  return `queued as (
      insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at)
      select (${keys.buckets})[slot], (${keys.merchantIds})[slot], transfer_id, ${now}
      from unnest(
        ${parameters.add(
          "integer[]",
          waiting.map(({ slot }) => slot),
        )},
        ${parameters.add(
          "bigint[]",
          waiting.map(({ transfer }) => transfer.transferId),
        )})
        as item (slot, transfer_id)
      where ${IS_OK}
      returning 1
    )`;
}

function insertKeys(parameters: Parameters, { accepted }: BatchDraft, keys: Keys, now: string): string {
  const keyed = accepted.filter(({ transfer }) => transfer.idempotency);
  return `keyed as (
      insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, subject_id, created_at)
      select (${keys.buckets})[slot], (${keys.merchantIds})[slot], key, request_hash, subject_id, ${now}
      from unnest(
        ${parameters.add(
          "integer[]",
          keyed.map(({ slot }) => slot),
        )},
        ${parameters.add(
          "text[]",
          keyed.map(({ transfer }) => transfer.idempotency!.key),
        )},
        ${parameters.add(
          "bytea[]",
          keyed.map(({ transfer }) => transfer.idempotency!.requestHash),
        )},
        ${parameters.add(
          "bigint[]",
          keyed.map(({ transfer }) => transfer.transferId),
        )})
        as item (slot, key, request_hash, subject_id)
      where ${IS_OK}
      returning 1
    )`;
}

/**
 * Applies reports to transfers. If one was taken over, put back or finished by somebody else since it was read, the whole statement
 * fails, so that no queue entry outlives its transfer.
 */
function updateTransfers(
  parameters: Parameters,
  { reported }: BatchDraft,
  keys: Keys,
  now: string,
  pin: BucketPin,
  secrets: Secrets,
): string {
  const column = (type: string, read: (change: BatchDraft["reported"][number]) => Item): string =>
    parameters.add(type, reported.map(read));
  return `reported as (
      update transfer
      set
        state = change.state,
        utr = coalesce(change.utr, transfer.utr),
        utr_proof = coalesce(change.utr_proof, transfer.utr_proof),
        instruction_proof = case
          when change.was_open and change.state not in ${OPEN_STATES} then ${ENDED_PROOF}
          when transfer.state = 'RESERVED' and change.state <> 'RESERVED' then coalesce(change.sent_proof, ${SENT_PROOF})
          else transfer.instruction_proof end,
        reason = case when change.state = 'SUCCESS' then null else nullif(coalesce(change.reason, transfer.reason), '') end,
        acknowledged = transfer.acknowledged or change.acknowledged,
        processed_at = case when change.has_posted then ${now} else transfer.processed_at end,
        claim_id = null
      from unnest(
        ${column("integer[]", ({ slot }) => slot)}, ${column("bigint[]", ({ report }) => report.transferId)},
        ${column("text[]", ({ state }) => state)}, ${column("text[]", ({ report }) => report.utr)},
        ${column("text[]", reasonToWrite)}, ${column("boolean[]", ({ report }) => report.acknowledged)},
        ${column("boolean[]", ({ hasPosted }) => hasPosted)}, ${column("boolean[]", ({ wasOpen }) => wasOpen)},
        ${column("bigint[]", ({ claimId }) => claimId)},
        ${column("bytea[]", ({ report, provedUtr }) => (provedUtr === undefined ? null : proveUtr(secrets, report, provedUtr)))},
        ${column("bytea[]", ({ sentProof }) => sentProof)})
        as change (slot, transfer_id, state, utr, reason, acknowledged, has_posted, was_open, claim_id, utr_proof, sent_proof)
      where transfer.bucket = (${keys.buckets})[change.slot] and transfer.merchant_id = (${keys.merchantIds})[change.slot]
        and transfer.transfer_id = change.transfer_id and (transfer.state in ${OPEN_STATES}) = change.was_open
        and transfer.claim_id is not distinct from change.claim_id and ${IS_OK}${pin.of("transfer")}
      returning 1
    )`;
}

/** Clears the reason of a pending transfer that no longer waits; other reports without a reason keep the earlier one. */
function reasonToWrite({ report, state }: BatchDraft["reported"][number]): string | null {
  return report.status === "PENDING" && state === "PENDING" ? (report.reason ?? "") : report.reason;
}

/** Makes the whole statement fail if a count is wrong: it casts a text that is no number. */
function mustBe(found: string, wanted: string): string {
  return `case when ${found} = ${wanted} then 0 else (${found} || ' rows fit, and not ' || ${wanted})::integer end`;
}

function deleteFromQueue(
  parameters: Parameters,
  { finished }: BatchDraft,
  keys: Keys,
  _now: string,
  pin: BucketPin,
): string {
  return `finished as (
      delete from transfer_dispatch
      using unnest(
        ${parameters.add(
          "integer[]",
          finished.map(({ slot }) => slot),
        )},
        ${parameters.add(
          "bigint[]",
          finished.map(({ report }) => report.transferId),
        )}) as item (slot, transfer_id)
      where transfer_dispatch.bucket = (${keys.buckets})[item.slot]
        and transfer_dispatch.merchant_id = (${keys.merchantIds})[item.slot]
        and transfer_dispatch.transfer_id = item.transfer_id and ${IS_OK}${pin.of("transfer_dispatch")}
    )`;
}

/** Queues transfers that were claimed. Those that the bank reported on unasked are in the queue already. */
function askAgain(parameters: Parameters, { asked }: BatchDraft, keys: Keys, now: string): string {
  const column = (type: string, read: (change: BatchDraft["asked"][number]) => Item): string =>
    parameters.add(type, asked.map(read));
  return `asked_again as (
      insert into transfer_dispatch as waiting (bucket, merchant_id, transfer_id, due_at, attempts)
      select (${keys.buckets})[slot], (${keys.merchantIds})[slot], transfer_id, coalesce(due_at, ${now}), attempts
      from unnest(
        ${column("integer[]", ({ slot }) => slot)}, ${column("bigint[]", ({ report }) => report.transferId)},
        ${column("timestamptz[]", ({ report }) => report.dueAt?.toString() ?? null)},
        ${column("integer[]", ({ report }) => report.attempts)})
        as item (slot, transfer_id, due_at, attempts)
      where ${IS_OK}
      on conflict (bucket, merchant_id, transfer_id)
      do update set due_at = excluded.due_at, attempts = waiting.attempts + 1
      returning 1
    )`;
}
