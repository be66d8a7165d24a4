// Writes a batch of payouts in one transaction: locks the books, reads the facts, decides and writes.
import { BatchBook, eventWrites, lockBooks, slotsOf } from "../../ledger/index.ts";
import { nowOf, readActor, todayOf, type MerchantKey } from "../../merchants/index.ts";
import {
  inTwoRoundTrips,
  type Connection,
  type Pool,
  type Queryable,
  together,
  type Works,
} from "../../platform/database/pool.ts";
import { secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import { toMicrosecond } from "../../platform/time.ts";
import type { Claim } from "../claim-store.ts";
import type { AcceptOutcome, Report, TransferStatus } from "../transfer-store.ts";
import { BatchDraft, type Payer, type Request, type Terms } from "./batch-draft.ts";
import {
  findEarlier,
  findReported,
  readCountedDays,
  readPayers,
  readVerifiedPayees,
  type PayerFacts,
  type ReportedTransfer,
} from "./facts-store.ts";
import { countDays } from "./day-store.ts";
import { insertApprovals } from "./approval-store.ts";
import { makeWriteDraft } from "./write-store.ts";

/** The requests of a batch in order of arrival, and its reports, at most one for each transfer. */
export type PayoutBatch = { readonly requests: readonly Request[]; readonly reports: readonly Report[] };

/** The results of a batch, in its order; `null` for a report on a transfer that its merchant doesn't have. */
export type PayoutResults = {
  readonly outcomes: readonly AcceptOutcome[];
  readonly statuses: readonly (TransferStatus | null)[];
};

/**
 * Writes a batch in a new transaction, in two round trips if the pool's connections are pipelined. Safe to repeat with a new claim
 * each time: it finds what an earlier attempt committed. Also returns the merchants' new balances.
 */
export async function writePayouts(
  pool: Pool,
  now: Temporal.Instant,
  claim: Claim | null,
  batch: PayoutBatch,
): Promise<PayoutResults & { readonly payers: readonly Payer[] }> {
  const secrets = await secretsOf(pool);
  return inTwoRoundTrips(
    pool,
    (connection) => decide(connection, now, batch),
    (connection, decided) => write(connection, secrets, claim, decided),
  );
}

/** The same in the caller's transaction, which holds the merchants' books from then on. */
export async function writePayoutsWithin(
  connection: Connection,
  now: Temporal.Instant,
  claim: Claim | null,
  batch: PayoutBatch,
): Promise<PayoutResults> {
  const decided = await decide(connection, now, batch);
  await together(connection, ...write(connection, await secretsOf(connection), claim, decided));
  return decided;
}

type Decided = PayoutResults & {
  readonly now: Temporal.Instant;
  readonly draft: BatchDraft;
  readonly payers: readonly Payer[];
  /** The transaction's actor; only read if something waits for approval. */
  readonly actor: string | null;
  /** Writes the entries of transfers that are queued as unsent but were sent. */
  readonly sendings: Works;
};

async function decide(
  connection: Connection,
  given: Temporal.Instant,
  { requests, reports }: PayoutBatch,
): Promise<Decided> {
  // The database's precision, so that rows and proofs have the same time.
  const now = toMicrosecond(given);
  const transfers = requests.map(({ transfer }) => transfer);
  const { merchants, slots } = slotsOf([...transfers, ...reports]);
  // The others are read once the books are held: an earlier snapshot would miss what another process has just committed.
  const [books, facts, earlier, reported] = await together(
    connection,
    () => lockBooks(connection, merchants),
    () => readPayers(connection, merchants),
    async () =>
      transfers.length === 0 ? [] : findEarlier(connection, merchants, slots.slice(0, transfers.length), transfers),
    async () =>
      reports.length === 0
        ? new Map<bigint, ReportedTransfer>()
        : findReported(connection, merchants, slots.slice(transfers.length), reports),
  );
  const terms = await readTerms(connection, now, merchants, facts);
  const payers = merchants.map((merchant, index) => ({
    ...facts[index]!,
    book: new BatchBook(merchant, index + 1, books[index]!),
    terms: terms[index]!,
  }));
  const payees = transfers.flatMap(({ bucket, merchantId, beneficiaryId }, place) =>
    beneficiaryId !== null && terms[slots[place]! - 1]?.verifiedPayeesOnly
      ? [{ bucket, merchantId, beneficiaryId }]
      : [],
  );
  const verified = payees.length > 0 ? await readVerifiedPayees(connection, payees) : new Set<bigint>();
  const draft = new BatchDraft(now, payers, verified);
  const earlierOf = new Map(earlier.map((found) => [found.place, found]));
  const outcomes = requests.map((request, place) => draft.accept(request, earlierOf.get(place) ?? null));
  const statuses = reports.map((report) => {
    const transfer = reported.get(report.transferId);
    return transfer ? draft.report(report, transfer) : null;
  });
  const actor = draft.asksForApproval ? await readActor(connection) : null;
  const sendings = await eventWrites(connection, draft.sendings);
  return { now, draft, payers, actor, sendings, outcomes, statuses };
}

/** The statements that write the decisions. Each is sent without waiting. */
function write(
  connection: Connection,
  secrets: Secrets,
  claim: Claim | null,
  { now, draft, actor, sendings }: Decided,
): (() => Promise<unknown>)[] {
  if (draft.isEmpty) return [];
  const writeDraft = makeWriteDraft(connection, secrets, now, claim, draft, true);
  return [
    writeDraft,
    ...(actor === null ? [] : [() => insertApprovals(connection, secrets, now, actor, draft)]),
    ...countDays(connection, draft.days),
    ...sendings,
  ];
}

/** The current policies of merchants, if they have one. */
export async function readTerms(
  connection: Queryable,
  now: Temporal.Instant,
  merchants: readonly MerchantKey[],
  facts: readonly PayerFacts[],
): Promise<(Terms | null)[]> {
  const terms = facts.map((payer) => (payer.policy ? termsOf(payer.policy, payer, now) : null));
  const limited = terms.flatMap((each, index) =>
    each && each.dailyLimitPaise !== null ? [{ ...merchants[index]!, day: each.today, terms: each }] : [],
  );
  if (limited.length > 0) {
    const counted = await readCountedDays(connection, limited);
    limited.forEach(({ terms: each }, index) => {
      each.leftPaise = each.dailyLimitPaise! - counted[index]!;
    });
  }
  return terms;
}

/** A policy with the current day in the merchant's time zone. */
function termsOf(policy: NonNullable<PayerFacts["policy"]>, payer: PayerFacts, now: Temporal.Instant): Terms {
  const expiresAt = nowOf(payer, now).add({ hours: policy.approvalExpiresHours });
  return { ...policy, today: todayOf(payer, now), timeZone: payer.timeZone, expiresAt, leftPaise: null };
}
