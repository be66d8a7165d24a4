// What must hold after a crash, by the journal of the load: nothing acknowledged is lost, nothing is done twice.
// What belongs here: waiting until everything has settled, and reading all the books. What must hold of each is in *-books.ts.
import { inspect } from "node:util";
import { TRANSFER_SECRETS } from "../../src/payouts/index.ts";
import { findDueMerchants } from "../../src/subscriptions/due-store.ts";
import { nodalJson } from "../support/nodal.ts";
import { openRows } from "../support/secrets.ts";
import { expectBillingKept } from "./billing-books.ts";
import { expectStatementAddsUp } from "./event-books.ts";
import { describeEntry, expectHolds, expectSame } from "./expectations.ts";
import type { Entry } from "./journal.ts";
import type { Load } from "./load.ts";
import { expectPartiesKept } from "./party-books.ts";
import { expectPayoutsKept } from "./payout-books.ts";
import { PAYEES, until, type CrashSite } from "./site.ts";
import { WRITES } from "./writes.ts";

const UNSETTLED = `
  select t.bucket, t.merchant_id, t.transfer_id, t.state, t.account_number, t.upi, q.claimed_by, q.due_at::text,
    q.attempts, p.status as booked, p.delivered
  from transfer t
  left join transfer_dispatch q using (bucket, merchant_id, transfer_id)
  left join simulator.payment p using (bucket, merchant_id, transfer_id)
  where t.state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING') or p.next_status is not null or not p.delivered`;
const COMMISSION_DUE = `
  select from franchise
  where settlement_type = 'Auto' and online_settlement and deleted_at is null and next_payout_at <= now()`;

/**
 * Waits until all that is due is billed and paid out, and no transfer is open but for those that the bank leaves open for
 * ever. Where calls break off, a few are unlucky many times in a row, and the pauses between tries grow.
 */
export async function settle(site: CrashSite, timeoutMs = 120_000): Promise<void> {
  const isBilled = async (): Promise<boolean> => {
    const due = await findDueMerchants(site.pool, Temporal.Now.instant());
    return due.length === 0 && (await site.pool.query(COMMISSION_DUE)).rows.length === 0;
  };
  await until(isBilled, timeoutMs, "all that is due is billed and paid out");
  let left: { account_number: string | null }[] = [];
  const isSettled = async (): Promise<boolean> => {
    const { rows } = await site.pool.query<{ account_number: string | null }>(UNSETTLED);
    const opened = await openRows(site.pool, TRANSFER_SECRETS, rows);
    left = opened.filter((row) => row.account_number !== PAYEES.staysPending.accountNumber);
    return left.length === 0;
  };
  await until(isSettled, timeoutMs, "everything has settled").catch((error: Error) => {
    const rows = left.slice(0, 20).map((row) => inspect(row, { breakLength: Infinity }));
    throw new Error(`${error.message}; ${left.length} left:\n${rows.join("\n")}\n${site.server.output.slice(-3000)}`);
  });
}

/** Settles, and checks the journal against the books, the books against the bank's, and all sums. */
export async function expectNothingLost(site: CrashSite, load: Load): Promise<void> {
  await settle(site);
  const { entries } = load;
  for (const entry of entries) expectAnswered(entry);
  await expectPayoutsKept(site, entries);
  await expectPartiesKept(site, entries);
  await expectBillingKept(site, entries);
  for (const { merchantId } of new Set(entries.map(({ merchant }) => merchant))) {
    await expectStatementAddsUp(site, merchantId);
  }
  const { ok, violations } = await nodalJson<{ ok: boolean; violations: unknown[] }>(site.environment, "verify");
  expectSame({ ok, violations }, { ok: true, violations: [] }, "nodal verify");
}

/** What can be asked for again has an answer in the end: one identity however often, or a refusal that it may meet. */
function expectAnswered(entry: Entry): void {
  const { kind, outcome, answers, ids } = entry;
  const what = describeEntry(entry);
  const isRepeatable = entry.referenceId !== null || entry.idempotencyKey !== null || entry.body === null;
  expectHolds(outcome === "acknowledged" || outcome === "refused" || !isRepeatable, `there is an answer: ${what}`);
  expectSame(ids.size, outcome === "acknowledged" ? 1 : 0, what);
  expectHolds(
    !answers.some((answer) => answer.startsWith("5") && answer !== "503 unavailable"),
    `no failure but 503: ${what}`,
  );
  const refusal = outcome === "refused" ? answers.at(-1)!.slice(4) : null;
  if (refusal !== null) expectHolds(WRITES[kind].mayMeet.includes(refusal), `refused as it may be: ${what}`);
}
