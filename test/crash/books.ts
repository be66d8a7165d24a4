// What must hold after a crash, by the journal of the load: nothing acknowledged is lost, nothing is done twice. What
// must hold of each is in *-books.ts.
import { inspect } from "node:util";
import { JOIN_PAYEE, PAYEE_COLUMNS } from "../../src/payouts/transfer-store.ts";
import { findDuePayouts } from "../../src/franchises/franchise-store.ts";
import { findDueMerchants } from "../../src/subscriptions/subscription-store.ts";
import { nodalJson } from "../support/nodal.ts";
import { readWithPayees } from "../support/payees.ts";
import { expectBillingKept } from "./billing-books.ts";
import { expectStatementAddsUp } from "./event-books.ts";
import { describeEntry, expectHolds, expectSame } from "./expectations.ts";
import type { Entry } from "./journal.ts";
import type { Load } from "./load.ts";
import { expectPartiesKept } from "./party-books.ts";
import { expectPayoutsKept } from "./payout-books.ts";
import type { ProviderBanks } from "./provider-banks.ts";
import { PAYEES, until, type CrashSite } from "./site.ts";
import { ofWhole } from "./whole-tables.ts";
import { WRITES } from "./writes.ts";

const UNSETTLED = ofWhole(
  ["transfer", "transfer_dispatch", "simulator.payment", "beneficiary"],
  `
  select transfer.bucket, transfer.merchant_id, transfer.transfer_id, transfer.state, transfer.beneficiary_id,
    ${PAYEE_COLUMNS}, transfer.claim_id, q.due_at::text, q.attempts, p.status as booked, p.delivered
  from transfer
  left join transfer_dispatch q using (bucket, merchant_id, transfer_id)
  left join payment p using (bucket, merchant_id, transfer_id)
  ${JOIN_PAYEE}
  where transfer.state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING') or p.next_status is not null or not p.delivered`,
);

/**
 * Waits until all that is due is billed and paid out, and no transfer is open but for those that the bank leaves open for
 * ever. Where calls break off, a few are unlucky many times in a row, and the pauses between tries grow.
 */
export async function settle(site: CrashSite, timeoutMs = 300_000): Promise<void> {
  const isBilled = async (): Promise<boolean> => {
    const now = Temporal.Now.instant();
    if ((await findDueMerchants(site.pool, now)).length > 0) return false;
    // By the merchants' own clocks: what is paid out later than this would be found half way.
    return (await findDuePayouts(site.pool, now, null, 1)).length === 0;
  };
  await until(isBilled, timeoutMs, "all that is due is billed and paid out");
  let left: object[] = [];
  const isSettled = async (): Promise<boolean> => {
    const opened = await readWithPayees(site.pool, UNSETTLED);
    left = opened.filter(({ payee }) => payee.accountNumber !== PAYEES.staysPending.accountNumber);
    return left.length === 0;
  };
  await until(isSettled, timeoutMs, "everything has settled").catch((error: Error) => {
    const rows = left.slice(0, 20).map((row) => inspect(row, { breakLength: Infinity }));
    throw new Error(`${error.message}; ${left.length} left:\n${rows.join("\n")}\n${site.server.output.slice(-3000)}`);
  });
}

/** Settles, and checks the journal against the books, the books against the bank's, and all sums. */
export async function expectNothingLost(
  site: CrashSite,
  load: Load,
  banks: ProviderBanks | null = null,
): Promise<void> {
  await banks?.calm(site);
  await settle(site);
  const { entries } = load;
  for (const entry of entries) expectAnswered(entry);
  await expectPayoutsKept(site, entries, banks);
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
