// What must hold after a crash, by the journal of the load: nothing acknowledged is lost, nothing is paid twice.
// What belongs here: reading the books once everything has settled, and the assertions on them.
import { inspect } from "node:util";
import { expect } from "vitest";
import { BENEFICIARY_SECRETS, TRANSFER_SECRETS } from "../../src/payouts/index.ts";
import { nodalJson } from "../support/nodal.ts";
import { openRows } from "../support/secrets.ts";
import { accountOf, type Entry, type Load } from "./load.ts";
import { PAYEES, until, type CrashSite } from "./site.ts";

type TransferRow = {
  readonly bucket: number;
  readonly transfer_id: bigint;
  readonly merchant_id: bigint;
  readonly kind: string;
  readonly reference_id: string | null;
  readonly beneficiary_id: bigint | null;
  readonly account_number: string | null;
  readonly upi: string | null;
  readonly amount_paise: bigint;
  readonly state: string;
  readonly utr: string | null;
};

/** Which final states an acknowledged status may become. */
const MAY_BECOME: Readonly<Record<string, readonly string[]>> = {
  // What the bank leaves open for ever may just have been asked about without an answer.
  PENDING: ["PENDING", "UNKNOWN", "SUCCESS", "FAILED", "REVERSED"],
  SUCCESS: ["SUCCESS", "REVERSED"],
  FAILED: ["FAILED"],
  REVERSED: ["REVERSED"],
};

const UNSETTLED = `
  select t.bucket, t.merchant_id, t.transfer_id, t.state, t.account_number, t.upi, q.claimed_by, q.due_at::text,
    q.attempts, p.status as booked, p.delivered
  from transfer t
  left join transfer_dispatch q using (bucket, merchant_id, transfer_id)
  left join simulator.payment p using (bucket, merchant_id, transfer_id)
  where t.state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING') or p.next_status is not null or not p.delivered`;

/**
 * Waits until no transfer is open, but for those that the bank leaves open for ever. Where calls break off, a few are
 * unlucky many times in a row, and the pauses between tries grow.
 */
export async function settle(site: CrashSite, timeoutMs = 120_000): Promise<void> {
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
  const stored = await site.pool.query<TransferRow>("select * from transfer order by transfer_id");
  const rows = await openRows(site.pool, TRANSFER_SECRETS, stored.rows);
  expectJournalKept(load, rows);
  await expectBeneficiariesKept(site, load);
  await expectBankAgrees(site, rows);
  await expectSumsHold(site);
  expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true });
}

function describeEntry(entry: Entry): string {
  const { kind, referenceId, idempotencyKey, answers, outcome, ids } = entry;
  return JSON.stringify({ kind, referenceId, idempotencyKey, answers, outcome, ids: [...ids] });
}

function expectJournalKept({ entries }: Load, rows: readonly TransferRow[]): void {
  const byId = new Map(rows.map((row) => [String(row.transfer_id), row]));
  const byReference = Map.groupBy(rows, (row) => `${row.merchant_id} ${row.reference_id ?? `id ${row.transfer_id}`}`);
  for (const found of byReference.values()) expect(found, "transfers of one reference").toHaveLength(1);
  const acknowledged = new Set<string>();
  for (const entry of entries.filter(({ kind }) => kind === "transfer" || kind === "withdrawal")) {
    const what = describeEntry(entry);
    expect(entry.ids.size, what).toBe(entry.outcome === "acknowledged" ? 1 : 0);
    const reference = entry.referenceId && byReference.get(`${entry.merchant.merchantId} ${entry.referenceId}`)?.[0];
    if (entry.outcome === "refused") {
      expect(entry.answers.at(-1), what).toBe("422 insufficient_balance");
      if (entry.referenceId !== null) expect(reference, what).toBeUndefined();
    }
    if (entry.outcome !== "acknowledged") continue;
    const [id] = entry.ids;
    expect(acknowledged.has(id!), `${what} has a transfer of its own`).toBe(false);
    acknowledged.add(id!);
    const row = byId.get(id!);
    expect(row, what).toMatchObject({
      merchant_id: entry.merchant.merchantId,
      kind: entry.kind,
      reference_id: entry.referenceId,
      beneficiary_id: entry.beneficiaryId === null ? null : BigInt(entry.beneficiaryId),
      amount_paise: entry.amountPaise,
    });
    expect(MAY_BECOME[entry.status], `${what} was ${entry.status}`).toContain(row!.state);
    if (entry.utr !== "") expect(row!.utr, what).toBe(entry.utr);
  }
  // What nobody was told of can only be what could not be asked for again.
  const lost = entries.filter((entry) => entry.outcome === "unknown");
  const untold = rows.filter((row) => !acknowledged.has(String(row.transfer_id)));
  for (const row of untold) expect(row, "a transfer that nobody asked for").toMatchObject({ kind: "withdrawal" });
  expect(untold.length, `of ${lost.length} requests without an answer`).toBeLessThanOrEqual(lost.length);
}

async function expectBeneficiariesKept(site: CrashSite, { entries }: Load): Promise<void> {
  const { rows } = await site.pool.query<{ merchant_id: bigint; beneficiary_id: bigint; account_number: string }>(
    "select bucket, merchant_id, beneficiary_id, account_number from beneficiary where account_number is not null",
  );
  const byAccount = Map.groupBy(
    await openRows(site.pool, BENEFICIARY_SECRETS, rows),
    (row) => `${row.merchant_id} ${row.account_number}`,
  );
  const saved = new Map(
    [...byAccount].map(([account, found]) => [account, found.map((row) => String(row.beneficiary_id))]),
  );
  entries.forEach((entry, index) => {
    if (entry.kind !== "beneficiary") return;
    expect(entry.outcome, describeEntry(entry)).toBe("acknowledged");
    expect(saved.get(`${entry.merchant.merchantId} ${accountOf(index)}`), describeEntry(entry)).toEqual([...entry.ids]);
  });
}

/** The simulated bank has paid each SUCCESS transfer once, as asked, and nothing else. */
async function expectBankAgrees(site: CrashSite, rows: readonly TransferRow[]): Promise<void> {
  const booked = await site.pool.query<TransferRow & { status: string }>(
    `select transfer_id, merchant_id, amount_paise, account_number, upi, utr from simulator.payment
     where status = 'SUCCESS' order by transfer_id`,
  );
  const pick = (row: TransferRow): string =>
    [row.transfer_id, row.merchant_id, row.amount_paise, row.account_number ?? row.upi, row.utr].join(" ");
  expect(booked.rows.map(pick)).toEqual(rows.filter((row) => row.state === "SUCCESS").map(pick));
}

async function expectSumsHold(site: CrashSite): Promise<void> {
  const { rows } = await site.pool.query(
    `select m.merchant_id::text,
       (select sum(amount_paise) from funding f where f.merchant_id = m.merchant_id)
       - (select available_paise + held_paise from ledger_book b where b.merchant_id = m.merchant_id)
       - coalesce((select sum(amount_paise) from transfer t
         where t.merchant_id = m.merchant_id and state = 'SUCCESS'), 0) as missing_paise,
       (select min(running) from (
         select sum(case when credit_kind = 'available' then amount_paise
           when debit_kind = 'available' then -amount_paise else 0 end) over (order by posting_no) as running
         from ledger_posting p where p.merchant_id = m.merchant_id) as history) >= 0 as never_negative
     from merchant m`,
  );
  for (const row of rows) expect(row).toMatchObject({ missing_paise: "0", never_negative: true });
}
