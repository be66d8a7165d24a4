// A year of billing, with the server killed again and again: invoices, changes, notes, payments and receipts with TDS, advances,
// write-offs, reversals, cancellations and dues that are carried on, many at once. On every day of it the trial balance is
// zero, and it, ageing, statements and taxes are those of the documents by SQL. docs/accounts.md
// NODAL_YEAR_INVOICES says how many invoices; CRASH_SEED repeats a run.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMerchantsWithTemplate } from "../../src/installation/index.ts";
import { profileRecord } from "../../src/merchants/index.ts";
import type { Members } from "../support/installation.ts";
import { nodal, nodalJson } from "../support/nodal.ts";
import { seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite } from "./site.ts";
import { ADVANCE_TAXES, AGEING, BY_CUSTOMER, BY_DAY, keepMoves, MOVED, TAXES } from "./year-documents.ts";
import { BATCH, DAYS_BACK, YearLoad } from "./year-load.ts";

const INVOICES = Number(process.env["NODAL_YEAR_INVOICES"] ?? 1000);
const BATCHES = Math.ceil(INVOICES / BATCH);
const KILLS = Math.max(4, Math.ceil(BATCHES / 100));
const WORKERS = 6;
/** For a slow and busy machine: it is there for a server that hangs. */
const TIMEOUT_MS = 600_000 + INVOICES * 60;
const CUSTOMERS = Math.max(24, Math.ceil(INVOICES / 400));
const PROFILE = {
  ...profileRecord.blank,
  name: "Year Traders",
  state: "Karnataka",
  gstin: "29AAACI1234K1Z5",
  timeZone: "Asia/Kolkata",
};
/** Months that are billed ahead of today by subscriptions that carry dues. */
const MONTHS_AHEAD = 2;
const today = Temporal.Now.plainDateISO(PROFILE.timeZone);
const last = today.add({ months: MONTHS_AHEAD, days: 3 });
const days = Array.from({ length: DAYS_BACK + today.until(last).days + 2 }, (_, place) =>
  today
    .subtract({ days: DAYS_BACK + 1 })
    .add({ days: place })
    .toString(),
);
/** The end of the server's log, in the message of a failure. */
const SHOWN_OF_LOG = 5000;
const TAX_HEADS = ["cgst", "sgst", "utgst", "igst", "cess", "other"];

let site: CrashSite;
let load: YearLoad;
let merchantId: bigint;

beforeAll(async () => {
  site = await CrashSite.open();
  const [made] = await createMerchantsWithTemplate(site, [PROFILE]);
  merchantId = made!.merchant.merchantId;
  const pair = Buffer.from(`${made!.accessKeyId}:${made!.secret}`).toString("base64");
  load = new YearLoad(site.baseUrl, { authorization: `Basic ${pair}` }, today, CUSTOMERS);
});
afterAll(() => site?.close());

async function billTheYear(): Promise<void> {
  const seed = chooseSeed("year");
  const batches = Array.from({ length: BATCHES }, (_, index) => index).values();
  let lived = 0;
  let killing: Promise<unknown> = Promise.resolve();
  const kill = async (): Promise<void> => {
    await site.killServer();
    await site.start();
  };
  const work = async (): Promise<void> => {
    for (const batch of batches) {
      const random = seededRandom(seed + batch);
      await load.live(batch / BATCHES, (limit) => Math.floor(random() * limit));
      lived += 1;
      // The others are in the middle of their batches.
      if (Math.floor((lived * (KILLS + 1)) / BATCHES) > Math.floor(((lived - 1) * (KILLS + 1)) / BATCHES)) {
        killing = killing.then(() => (load.server = kill().then(() => site.baseUrl)));
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  await killing;
}

/** Two months more, in which subscriptions carry on what is due; some of it is paid with the last invoice. */
async function carryOn(): Promise<void> {
  for (const code of load.codes.slice(0, 6)) {
    const invoice = { customer_code: code, particular_rows: [{ item: "Rent", gst: "18", total_amount: "500.00" }] };
    const start = today.add({ days: 1 });
    const rhythm = { mode: "Monthly", repeat_every: "1", end_mode: "Never", carry_forword_dues: "1" };
    const dates = { start_date: start.toString(), due_date: start.add({ days: 5 }).toString() };
    await load.write("subscription", "POST", "/subscriptions", { ...rhythm, ...dates, invoice });
  }
  await nodalJson(site.environment, "clock", "advance", "--merchant", String(merchantId), "--to", last.toString());
  const { rows } = await site.pool.query<{ id: string; amount: string }>(
    `select invoice_id::text as id, (amount_paise / 100.0)::numeric(20, 2)::text as amount from invoice
     where merchant_id = $1 and carried_paise > 0 and status = 'Unpaid' order by invoice_id`,
    [merchantId],
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { id, amount } of rows.slice(1)) {
    const paid = { amount, paid_date: last.toString(), mode: "NEFT" };
    await load.write("payment of carried dues", "POST", `/invoices/R${id.padStart(9, "0")}/payments`, paid);
  }
}

const paiseOf = (rupees: unknown): bigint => BigInt(String(rupees).replace(".", ""));

async function read<Row>(sql: string, ...values: readonly unknown[]): Promise<Row[]> {
  return (await site.pool.query(sql, [...values])).rows as Row[];
}

type Amounts = Record<string, bigint>;
type Tax = { readonly day: string; readonly head: string; readonly paise: bigint };

/** Adds amounts to running sums. */
function addTo(sums: Amounts, more: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  for (const name of names) sums[name] = (sums[name] ?? 0n) + BigInt((more[name] ?? 0n) as bigint);
}

/** The trial balance by SQL, for each day. */
async function* trialBalances(): AsyncGenerator<readonly [string, Amounts]> {
  const moved = Map.groupBy(await read<Members & { day: string }>(BY_DAY), ({ day }) => day);
  const taxes = Map.groupBy(await read<Tax>(TAXES, merchantId), ({ day }) => day);
  const ofAdvances = Map.groupBy(await read<Tax>(ADVANCE_TAXES, merchantId), ({ day }) => day);
  const sums: Amounts = Object.fromEntries(
    ["advance_tax", ...MOVED, ...TAX_HEADS.map((head) => `output_${head}`)].map((n) => [n, 0n]),
  );
  for (const day of days) {
    for (const row of moved.get(day) ?? []) addTo(sums, row, MOVED);
    for (const { head, paise } of taxes.get(day) ?? []) addTo(sums, { [`output_${head}`]: -paise }, [`output_${head}`]);
    for (const { head, paise } of ofAdvances.get(day) ?? []) {
      addTo(sums, { advance_tax: paise, [`output_${head}`]: -paise }, ["advance_tax", `output_${head}`]);
    }
    yield [day, { ...sums }];
  }
}

test("a year of billing under kills is whole", { timeout: TIMEOUT_MS }, async () => {
  await load.begin();
  await billTheYear();
  await carryOn();
  process.stdout.write(
    `${JSON.stringify(Object.fromEntries(load.done))} ${JSON.stringify(Object.fromEntries(load.refused))}\n`,
  );
  const kinds =
    "change,cancellation,payment with TDS,write-off,reversal,credit note,debit note,receipt,taxed advance,use of an advance";
  for (const kind of [...kinds.split(","), "refund", "receipt reversed", "payment of carried dues"]) {
    expect([kind, load.done.get(kind) ?? 0]).not.toEqual([kind, 0]);
  }
  const { code, stdout, stderr } = await nodal(site.environment, "verify", "--json");
  expect(code, `${stderr}${stdout}\n${site.server.output.slice(-SHOWN_OF_LOG)}`).toBe(0);
  await site.pool.query(keepMoves(merchantId));
});

test("the trial balance of every day is zero, and that of the documents", { timeout: TIMEOUT_MS }, async () => {
  for await (const [day, expected] of trialBalances()) {
    expect([day, Object.values(expected).reduce((sum, paise) => sum + paise, 0n)]).toEqual([day, 0n]);
    const { accounts } = (await load.get(`/reports/trial-balance?as_of=${day}`)).body as { accounts: Members[] };
    const found = accounts.map(({ account, debit, credit }) => [account, paiseOf(debit) - paiseOf(credit)] as const);
    // Nothing was paid out, and no franchise earned: those accounts are 0, as all that this year has nothing of.
    const others = Object.fromEntries(found.map(([account]) => [account, 0n]));
    expect([day, Object.fromEntries(found)]).toEqual([day, { ...others, ...expected }]);
  }
});

const AGES = ["not_due", "days_1_to_30", "days_31_to_60", "days_61_to_90", "over_90_days", "total"];

async function readAgeing(day: string): Promise<Members[]> {
  const found: Members[] = [];
  for (let after = ""; ;) {
    const { body } = await load.get(`/reports/ageing?as_of=${day}&limit=200${after}`);
    const { customers, next } = body as { customers: Members[]; next: string | null };
    found.push(...customers);
    if (next === null) return found;
    after = `&after=${next}`;
  }
}

test("ageing of every day is that of the documents", { timeout: TIMEOUT_MS }, async () => {
  for (const day of days) {
    const expected = (await read<Members>(AGEING, merchantId, day)).map((row) => [
      row["customer_code"],
      ...AGES.map((age) => row[age]),
    ]);
    const found = (await readAgeing(day)).map((row) => [row["customer_code"], ...AGES.map((age) => paiseOf(row[age]))]);
    const byCode = (one: readonly unknown[], other: readonly unknown[]): number =>
      String(one[0]) < String(other[0]) ? -1 : 1;
    expect([day, found.sort(byCode)]).toEqual([day, expected.sort(byCode)]);
  }
});

test("statements of account begin and end with what the documents say", async () => {
  const [from, to] = [days[100]!, days[220]!];
  const moved = Map.groupBy(
    await read<{ day: string; customer_id: string; owed: bigint }>(BY_CUSTOMER),
    ({ customer_id: id }) => id,
  );
  expect(moved.size).toBeGreaterThan(CUSTOMERS / 2);
  for (const [id, rows] of moved) {
    const until = (holds: (day: string) => boolean): bigint =>
      rows.filter(({ day }) => holds(day)).reduce((sum, { owed }) => sum + BigInt(owed), 0n);
    const { body } = await load.get(`/customers/${id}/statement?from_date=${from}&to_date=${to}`);
    const { opening_balance, closing_balance } = body as Members;
    const expected = [until((day) => day < from), until((day) => day <= to)];
    expect([id, paiseOf(opening_balance), paiseOf(closing_balance)]).toEqual([id, ...expected]);
  }
});

test("each month's tax is that of the documents", async () => {
  const taxes = await read<Tax>(TAXES, merchantId);
  const months = Map.groupBy(taxes, ({ day }) => day.slice(0, 7));
  expect(months.size).toBeGreaterThan(8);
  for (const [month, rows] of months) {
    const end = Temporal.PlainYearMonth.from(month);
    const period = `from_date=${month}-01&to_date=${month}-${end.daysInMonth}`;
    const { rates } = (await load.get(`/reports/tax-summary?${period}`)).body as { rates: Members[] };
    for (const head of ["igst", "cgst", "sgst", "cess"]) {
      const expected = rows.filter((row) => row.head === head).reduce((sum, { paise }) => sum + BigInt(paise), 0n);
      const found = rates.reduce((sum, row) => sum + paiseOf(row[head]), 0n);
      expect([month, head, found]).toEqual([month, head, expected]);
    }
  }
});
