// SQL that writes what was decided on a batch of payouts: one statement, which also looks whether the books are still where
// they were read. What belongs here: that statement, and what only few batches need besides.
import { addEntries, IS_OK, moveBooks, moveOwned } from "../../ledger/index.ts";
import { Parameters } from "../../platform/database/parameters.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { Secrets } from "../../platform/secrets/index.ts";
import { sealPayee } from "../transfer-store.ts";
import type { BatchDraft, DayChange } from "./batch-draft.ts";

/** States of transfers on which the bank has yet to say the last word. */
const OPEN_STATES = "('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')";

type Keys = { readonly buckets: string; readonly merchantIds: string };
/** A part of the statement, for the rows of merchants whose books are still where they were. */
type Part = (parameters: Parameters, draft: BatchDraft, keys: Keys, now: string) => string;

/**
 * Writes a batch. Answers the places of the merchants for whom it was written: those whose books had not moved on since
 * they were read. Of the others nothing is written; where `all` is set, that is an error. Rejects with a DatabaseError where
 * a row is there already, or what there is is not what was read.
 */
type WriteDraft = (db: Queryable) => Promise<ReadonlySet<number>>;

/**
 * Makes the statement that writes a batch, ready to be sent. Whatever goes wrong here goes wrong before anything is sent: a
 * pipelined commit behind a statement that was never sent would keep the rest of the transaction.
 */
export function makeWriteDraft(
  secrets: Secrets,
  now: Temporal.Instant,
  processId: bigint,
  draft: BatchDraft,
  all: boolean,
): WriteDraft {
  const { books, accepted, reported, queue } = draft;
  const parameters = new Parameters();
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
  };
  const hasKeys = accepted.some(({ transfer }) => transfer.idempotency);
  const hasFinished = queue.some(({ isFinished }) => isFinished);
  const hasOpen = queue.some(({ isFinished }) => !isFinished);
  const owned = moveOwned(parameters, books, keys);
  const parts: readonly [string, boolean, Part][] = [
    ["transfers", accepted.length > 0, (...given) => insertTransfers(...given, secrets)],
    ["queue", accepted.length > 0, (...given) => insertQueue(...given, processId)],
    ["keys", hasKeys, insertKeys],
    ["reports", reported.length > 0, updateTransfers],
    ["finished", hasFinished, deleteFromQueue],
    ["open", hasOpen, askAgain],
  ];
  const used = parts.filter(([, isUsed]) => isUsed);
  const text = [
    moveBooks(parameters, books),
    addEntries(parameters, books, keys, nowName),
    ...(owned ? [owned.text] : []),
    ...used.map(([, , part]) => part(parameters, draft, keys, nowName)),
  ].join(", ");
  const wanted = (slots: readonly number[]): string =>
    `(select count(*) from unnest(${parameters.add("integer[]", slots)}) as slot where ${IS_OK})`;
  const checks = [
    ...(all ? [mustBe("cardinality(slots)", parameters.add("integer", books.length))] : []),
    ...(reported.length > 0
      ? [mustBe("(select count(*) from reported)", wanted(reported.map(({ slot }) => slot)))]
      : []),
    ...(owned ? [mustBe("(select count(*) from account)", wanted(owned.slots))] : []),
  ];
  const names = used.map(([name]) => name).join(" ");
  const statement = {
    name: `write-payouts ${all ? "all " : ""}${names}${owned ? " owned" : ""}`,
    text: `with ${text} select ${["slots", ...checks].join(", ")} from ok`,
    values: parameters.values,
  };
  return async (db) => {
    const { rows } = await db.query<{ slots: number[] }>(statement);
    return new Set(rows[0]!.slots);
  };
}

function insertTransfers(
  parameters: Parameters,
  { accepted }: BatchDraft,
  keys: Keys,
  now: string,
  secrets: Secrets,
): string {
  const rows = accepted.map(({ transfer, ...item }) => ({
    ...transfer,
    ...item,
    sealed: sealPayee(secrets, transfer, transfer.payee),
  }));
  const column = <T>(type: string, read: (row: (typeof rows)[number]) => T): string =>
    parameters.add(type, rows.map(read));
  return `accepted as (
      insert into transfer (
        bucket, merchant_id, transfer_id, kind, reference_id, beneficiary_id, payee_name, account_number, ifsc, upi, mode,
        rail, rail_mode, amount_paise, narrative, state, added_at, franchise_id, counted_on)
      select
        (${keys.buckets})[slot], (${keys.merchantIds})[slot], transfer_id, kind, reference_id, beneficiary_id, payee_name,
        account_number, ifsc, upi, mode, rail, rail_mode, amount_paise, narrative, state, ${now}, franchise_id, counted_on
      from unnest(
        ${column("integer[]", ({ slot }) => slot)}, ${column("bigint[]", ({ transferId }) => transferId)},
        ${column("text[]", ({ kind }) => kind)}, ${column("text[]", ({ referenceId }) => referenceId)},
        ${column("bigint[]", ({ beneficiaryId }) => beneficiaryId)}, ${column("text[]", ({ payee }) => payee.name)},
        ${column("text[]", ({ sealed }) => sealed.account_number)}, ${column("text[]", ({ payee }) => payee.ifsc)},
        ${column("text[]", ({ sealed }) => sealed.upi)}, ${column("text[]", ({ mode }) => mode)},
        ${column("text[]", ({ rail }) => rail)}, ${column("text[]", ({ railMode }) => railMode)},
        ${column("bigint[]", ({ amountPaise }) => amountPaise)}, ${column("text[]", ({ narrative }) => narrative)},
        ${column("text[]", ({ state }) => state)}, ${column("bigint[]", ({ franchiseId }) => franchiseId)},
        ${column("date[]", ({ countedOn }) => countedOn?.toString() ?? null)})
        as item (
          slot, transfer_id, kind, reference_id, beneficiary_id, payee_name, account_number, ifsc, upi, mode, rail,
          rail_mode, amount_paise, narrative, state, franchise_id, counted_on)
      where ${IS_OK}
    )`;
}

function insertQueue(
  parameters: Parameters,
  { accepted }: BatchDraft,
  keys: Keys,
  now: string,
  processId: bigint,
): string {
  const queued = accepted.filter(({ state }) => state !== "AWAITING_APPROVAL");
  return `queued as (
      insert into transfer_dispatch (bucket, merchant_id, transfer_id, claimed_by, due_at)
      select
        (${keys.buckets})[slot], (${keys.merchantIds})[slot], transfer_id,
        case when claimed then ${parameters.add("bigint", processId)} end, case when not claimed then ${now} end
      from unnest(
        ${parameters.add(
          "integer[]",
          queued.map(({ slot }) => slot),
        )},
        ${parameters.add(
          "bigint[]",
          queued.map(({ transfer }) => transfer.transferId),
        )},
        ${parameters.add(
          "boolean[]",
          queued.map(({ state }) => state === "SUBMITTING"),
        )})
        as item (slot, transfer_id, claimed)
      where ${IS_OK}
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
    )`;
}

function updateTransfers(parameters: Parameters, { reported }: BatchDraft, keys: Keys, now: string): string {
  const column = <T>(type: string, read: (change: BatchDraft["reported"][number]) => T): string =>
    parameters.add(type, reported.map(read));
  return `reported as (
      update transfer
      set
        state = change.state,
        utr = coalesce(change.utr, transfer.utr),
        reason = case when change.state = 'SUCCESS' then null else coalesce(change.reason, transfer.reason) end,
        acknowledged = transfer.acknowledged or change.acknowledged,
        processed_at = case when change.has_posted then ${now} else transfer.processed_at end
      from unnest(
        ${column("integer[]", ({ slot }) => slot)}, ${column("bigint[]", ({ report }) => report.transferId)},
        ${column("text[]", ({ state }) => state)}, ${column("text[]", ({ report }) => report.utr)},
        ${column("text[]", ({ report }) => report.reason)}, ${column("boolean[]", ({ report }) => report.acknowledged)},
        ${column("boolean[]", ({ hasPosted }) => hasPosted)}, ${column("boolean[]", ({ wasOpen }) => wasOpen)})
        as change (slot, transfer_id, state, utr, reason, acknowledged, has_posted, was_open)
      where transfer.bucket = (${keys.buckets})[change.slot] and transfer.merchant_id = (${keys.merchantIds})[change.slot]
        and transfer.transfer_id = change.transfer_id and (transfer.state in ${OPEN_STATES}) = change.was_open
        and ${IS_OK}
      returning 1
    )`;
}

/** Refuses the whole statement where a count is not what it must be: no number can be read from the sentence. */
function mustBe(found: string, wanted: string): string {
  return `case when ${found} = ${wanted} then 0 else (${found} || ' rows fit, and not ' || ${wanted})::integer end`;
}

function deleteFromQueue(parameters: Parameters, { queue }: BatchDraft, keys: Keys): string {
  const finished = queue.filter(({ isFinished }) => isFinished);
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
        and transfer_dispatch.transfer_id = item.transfer_id and ${IS_OK}
    )`;
}

function askAgain(parameters: Parameters, { queue }: BatchDraft, keys: Keys): string {
  const open = queue.filter(({ isFinished }) => !isFinished);
  return `asked_again as (
      update transfer_dispatch
      set claimed_by = null, due_at = item.due_at, attempts = transfer_dispatch.attempts + 1
      from unnest(
        ${parameters.add(
          "integer[]",
          open.map(({ slot }) => slot),
        )},
        ${parameters.add(
          "bigint[]",
          open.map(({ report }) => report.transferId),
        )},
        ${parameters.add(
          "timestamptz[]",
          open.map(({ report }) => report.dueAt!.toString()),
        )})
        as item (slot, transfer_id, due_at)
      where transfer_dispatch.bucket = (${keys.buckets})[item.slot]
        and transfer_dispatch.merchant_id = (${keys.merchantIds})[item.slot]
        and transfer_dispatch.transfer_id = item.transfer_id and ${IS_OK}
    )`;
}

/** Asks for the approvals of a batch that wait, in the name of whoever asked for each. */
export async function insertApprovals(db: Queryable, now: Temporal.Instant, { books, accepted }: BatchDraft) {
  const waiting = accepted.filter(({ expiresAt }) => expiresAt);
  const bookOf = new Map(books.map((book) => [book.slot, book]));
  await db.query({
    name: "insert-payout-approvals",
    text: `insert into approval (
        bucket, merchant_id, approval_id, kind, subject_id, requested_by, requested_at, expires_at)
      select bucket, merchant_id, transfer_id, kind, transfer_id, coalesce(actor, nodal_actor()), $1, expires_at
      from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::timestamptz[])
        as item (bucket, merchant_id, transfer_id, kind, actor, expires_at)`,
    values: [
      now.toString(),
      waiting.map(({ slot }) => bookOf.get(slot)!.bucket),
      waiting.map(({ slot }) => bookOf.get(slot)!.merchantId),
      waiting.map(({ transfer }) => transfer.transferId),
      waiting.map(({ transfer }) => transfer.kind),
      waiting.map(({ transfer }) => transfer.origin?.actor ?? null),
      waiting.map(({ expiresAt }) => expiresAt!.toString()),
    ],
  });
}

/**
 * The statements that count towards the limits of days: what is accepted, what comes back, and what was paid after all. None
 * where nothing counts.
 */
export function countDays(db: Queryable, days: readonly DayChange[]): (() => Promise<unknown>)[] {
  const sums = new Map<string, DayChange>();
  for (const change of days) {
    const key = `${change.merchantId} ${change.day.toString()}`;
    sums.set(key, { ...change, paise: (sums.get(key)?.paise ?? 0n) + change.paise });
  }
  const changed = [...sums.values()];
  const counted = changed.filter(({ paise }) => paise > 0n);
  const uncounted = changed.filter(({ paise }) => paise < 0n);
  const send = (statement: { readonly name: string; readonly text: string }, some: readonly DayChange[]) => () =>
    db.query({
      ...statement,
      values: [
        some.map(({ bucket }) => bucket),
        some.map(({ merchantId }) => merchantId),
        some.map(({ day }) => day.toString()),
        some.map(({ paise }) => paise),
      ],
    });
  return [
    ...(counted.length > 0 ? [send(COUNT_DAYS, counted)] : []),
    ...(uncounted.length > 0 ? [send(UNCOUNT_DAYS, uncounted)] : []),
  ];
}

const COUNT_DAYS = {
  name: "count-payout-days",
  text: `insert into payout_day as counted (bucket, merchant_id, day, counted_paise)
    select * from unnest($1::smallint[], $2::bigint[], $3::date[], $4::bigint[])
    on conflict (bucket, merchant_id, day)
    do update set counted_paise = counted.counted_paise + excluded.counted_paise`,
};
/** Less than nothing is not a row that could be inserted: what is given back was counted before. */
const UNCOUNT_DAYS = {
  name: "uncount-payout-days",
  text: `update payout_day
    set counted_paise = payout_day.counted_paise + change.paise
    from unnest($1::smallint[], $2::bigint[], $3::date[], $4::bigint[]) as change (bucket, merchant_id, day, paise)
    where payout_day.bucket = change.bucket and payout_day.merchant_id = change.merchant_id
      and payout_day.day = change.day`,
};
