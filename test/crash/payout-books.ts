// What must hold of payouts after a crash, by the journal of the load: nothing acknowledged is lost, nothing is paid
// twice.
import { BENEFICIARY_SECRETS } from "../../src/payouts/index.ts";
import type { Payee } from "../../src/payouts/rails/rail.ts";
import { JOIN_PAYEE, PAYEE_COLUMNS } from "../../src/payouts/transfer-store.ts";
import { readWithPayees } from "../support/payees.ts";
import { openRows } from "../support/secrets.ts";
import { expectHolds, expectSame, describeEntry } from "./expectations.ts";
import type { Entry } from "./journal.ts";
import { accountOf } from "./payout-writes.ts";
import type { ProviderBanks } from "./provider-banks.ts";
import type { CrashSite } from "./site.ts";
import { ofWhole } from "./whole-tables.ts";

type TransferRow = {
  readonly bucket: number;
  readonly transfer_id: bigint;
  readonly merchant_id: bigint;
  readonly kind: string;
  readonly reference_id: string | null;
  readonly beneficiary_id: bigint | null;
  readonly payee: Payee;
  readonly amount_paise: bigint;
  readonly state: string;
  readonly utr: string | null;
};

/** What the bank's book has too. */
type Paid = Pick<TransferRow, "transfer_id" | "merchant_id" | "amount_paise" | "utr">;

/** Which final states an acknowledged status may become. */
const MAY_BECOME: Readonly<Record<string, readonly string[]>> = {
  // What the bank leaves open for ever may just have been asked about without an answer.
  PENDING: ["PENDING", "UNKNOWN", "SUCCESS", "FAILED", "REVERSED"],
  SUCCESS: ["SUCCESS", "REVERSED"],
  FAILED: ["FAILED"],
  REVERSED: ["REVERSED"],
};

/** Checks the journal of payouts against the books, and the books against the bank's: the simulated one's, or providers'. */
export async function expectPayoutsKept(
  site: CrashSite,
  entries: readonly Entry[],
  banks: ProviderBanks | null,
): Promise<void> {
  const rows = await readWithPayees<TransferRow>(
    site.pool,
    `select transfer.*, ${PAYEE_COLUMNS} from transfer ${JOIN_PAYEE} order by transfer_id`,
  );
  expectTransfersKept(entries, rows);
  await expectBeneficiariesKept(site, entries);
  await expectFundingsKept(site, entries);
  await (banks ? banks.expectAgree(site) : expectBankAgrees(site, rows));
  await expectSumsHold(site);
}

function expectTransfersKept(entries: readonly Entry[], rows: readonly TransferRow[]): void {
  const byId = new Map(rows.map((row) => [String(row.transfer_id), row]));
  const byReference = Map.groupBy(rows, (row) => `${row.merchant_id} ${row.reference_id ?? `id ${row.transfer_id}`}`);
  for (const found of byReference.values()) expectSame(found.length, 1, `transfers of ${found[0]!.reference_id}`);
  const acknowledged = new Set<string>();
  const sent = entries.filter(({ kind }) => kind === "transfer" || kind === "withdrawal");
  for (const entry of sent) {
    const what = describeEntry(entry);
    const reference = entry.referenceId && byReference.get(`${entry.merchant.merchantId} ${entry.referenceId}`)?.[0];
    if (entry.outcome === "refused" && reference) expectSame(reference, undefined, what);
    if (entry.outcome !== "acknowledged") continue;
    const [id] = entry.ids;
    expectHolds(!acknowledged.has(id!), `${what} has a transfer of its own`);
    acknowledged.add(id!);
    expectTransferKept(entry, byId.get(id!));
  }
  const lost = sent.filter((entry) => entry.outcome === "unknown").length;
  const untold = rows.filter((row) => !acknowledged.has(String(row.transfer_id)) && !isOurs(row));
  for (const row of untold) expectSame(row.kind, "withdrawal", `nobody asked for the transfer ${row.transfer_id}`);
  expectHolds(untold.length <= lost, `${untold.length} transfers for ${lost} requests that could not be sent again`);
}

function expectTransferKept(entry: Entry, row: TransferRow | undefined): void {
  const what = describeEntry(entry);
  const { merchant_id, kind, reference_id, beneficiary_id, amount_paise } = row ?? ({} as Partial<TransferRow>);
  expectSame(
    { merchant_id, kind, reference_id, beneficiary_id, amount_paise },
    {
      merchant_id: entry.merchant.merchantId,
      kind: entry.kind,
      reference_id: entry.referenceId,
      beneficiary_id: entry.beneficiaryId === null ? null : BigInt(entry.beneficiaryId),
      amount_paise: entry.amountPaise,
    },
    what,
  );
  expectHolds(MAY_BECOME[entry.status]!.includes(row!.state), `${what} was ${entry.status} and is ${row!.state}`);
  if (entry.utr !== "") expectSame(row!.utr, entry.utr, what);
}

/** What Nodal asks for by itself: commission, and refunds of credit notes. `verify` compares them with what was owed. */
function isOurs({ kind, reference_id: reference }: TransferRow): boolean {
  return kind === "commission" || (reference?.startsWith("refund-") ?? false);
}

async function expectBeneficiariesKept(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  const { rows } = await site.pool.query<{ merchant_id: bigint; beneficiary_id: bigint; account_number: string }>(
    `select bucket, merchant_id, beneficiary_id, account_number, name, ifsc from beneficiary
     where account_number is not null`,
  );
  const byAccount = Map.groupBy(
    await openRows(site.pool, BENEFICIARY_SECRETS, rows),
    (row) => `${row.merchant_id} ${row.account_number}`,
  );
  const saved = new Map(
    [...byAccount].map(([account, found]) => [account, found.map((row) => String(row.beneficiary_id))]),
  );
  for (const entry of entries.filter(({ kind }) => kind === "beneficiary")) {
    const found = saved.get(`${entry.merchant.merchantId} ${accountOf(entry)}`);
    expectSame(found, [...entry.ids], describeEntry(entry));
  }
}

async function expectFundingsKept(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  const { rows } = await site.pool.query<{ merchant_id: bigint; reference: string; id: string; amount_paise: bigint }>(
    `select merchant_id, reference, funding_id::text as id, amount_paise from funding
     where reference <> 'opening' and merchant_id = any ($1)`,
    [[...new Set(entries.map(({ merchant }) => merchant.merchantId))]],
  );
  const kept = rows.map((row) => [row.merchant_id, row.reference, row.id, row.amount_paise].join(" "));
  const asked = entries
    .filter(({ kind }) => kind === "funding")
    .map((entry) => [entry.merchant.merchantId, entry.referenceId, [...entry.ids].join(), entry.amountPaise].join(" "));
  expectSame(kept.toSorted(), asked.toSorted(), "money that came in, once for each reference");
}

/** The simulated bank has paid each SUCCESS transfer once, as asked, and nothing else. */
async function expectBankAgrees(site: CrashSite, rows: readonly TransferRow[]): Promise<void> {
  const booked = await site.pool.query<Paid & { account_number: string | null; upi: string | null }>(
    `select transfer_id, merchant_id, amount_paise, account_number, upi, utr from simulator.payment
     where status = 'SUCCESS' order by transfer_id`,
  );
  const pick = (row: Paid, to: string | null) =>
    [row.transfer_id, row.merchant_id, row.amount_paise, to, row.utr].join(" ");
  const paid = rows
    .filter((row) => row.state === "SUCCESS")
    .map((row) => pick(row, row.payee.accountNumber ?? row.payee.upi));
  const found = booked.rows.map((row) => pick(row, row.account_number ?? row.upi));
  const [atBank, inBooks] = [new Set(found), new Set(paid)];
  const differing = {
    onlyInBooks: paid.filter((line) => !atBank.has(line)),
    onlyAtBank: found.filter((line) => !inBooks.has(line)),
  };
  expectSame(differing, { onlyInBooks: [], onlyAtBank: [] }, "what the bank has paid, and what the books say");
  expectSame(found.length, paid.length, "how many payments the bank has made, and how many the books say");
}

async function expectSumsHold(site: CrashSite): Promise<void> {
  const { rows } = await site.pool.query<{ merchant_id: string; missing_paise: string; never_negative: boolean }>(
    ofWhole(
      ["merchant", "funding", "ledger_book", "journal", "transfer"],
      `select m.merchant_id::text,
       (select sum(amount_paise) from funding f where f.merchant_id = m.merchant_id)
       - (select available_paise + held_paise + owed_by_merchant_paise from ledger_book b where b.merchant_id = m.merchant_id)
       - coalesce((select sum(case when kind like '%returned' then -amount_paise else amount_paise end) from journal j
         where j.merchant_id = m.merchant_id and kind in (
           'fee', 'fee_tax', 'fee_unfunded', 'fee_tax_unfunded', 'fee_returned', 'fee_tax_returned')), 0)
       - coalesce((select sum(amount_paise) from transfer t
         where t.merchant_id = m.merchant_id and state = 'SUCCESS'), 0) as missing_paise,
       (select min(running) from (
         select sum(case when credit_kind = 'available' then amount_paise
           when debit_kind = 'available' then -amount_paise else 0 end) over (order by entry_no) as running
         from journal p where p.merchant_id = m.merchant_id) as history) >= 0 as never_negative
     from merchant m
     where exists (select from funding f where f.merchant_id = m.merchant_id)`,
    ),
  );
  for (const { merchant_id: id, ...sums } of rows) {
    expectSame(sums, { missing_paise: "0", never_negative: true }, `the money of the merchant ${id}`);
  }
}
