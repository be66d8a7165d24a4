// kill -9 of the server while it records receipts: each is recorded with all of its payments, or not at all.
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMerchantsWithTemplate } from "../../src/installation/index.ts";
import { profileRecord } from "../../src/merchants/index.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { countLockWaits } from "../support/held-rows.ts";
import { nodalJson, send, type Answer } from "../support/nodal.ts";
import { CrashSite, until } from "./site.ts";

const PROFILE = { ...profileRecord.blank, name: "Crash Traders", state: "Karnataka", timeZone: "Asia/Kolkata" };
const RECEIPTS = 30;
const BEFORE = 5;
/** Each pays the rest of one invoice of 100.00 and a part of the next. */
const AMOUNT = "150.00";
const today = Temporal.Now.plainDateISO(PROFILE.timeZone).toString();

let site: CrashSite;
let headers: Readonly<Record<string, string>>;
let customer_id: string;
let keys: string[];

beforeEach(async () => {
  site = await CrashSite.open();
  const [made] = await createMerchantsWithTemplate(site, [PROFILE]);
  const pair = Buffer.from(`${made!.accessKeyId}:${made!.secret}`).toString("base64");
  headers = { authorization: `Basic ${pair}` };
  const new_customer = { customer_code: "C1", customer_name: "Asha Rao" };
  await must("/api/v4/customers", new_customer);
  const bill = { customer_code: "C1", bill_date: today, due_date: today };
  const invoice = { ...bill, particular_rows: [{ item: "Work", total_amount: "100.00" }] };
  await must("/api/v4/invoices", { invoice: Array.from({ length: 40 }, () => invoice) });
  const { rows } = await site.pool.query<{ id: string }>("select customer_id::text as id from customer");
  customer_id = rows[0]!.id;
  keys = Array.from({ length: RECEIPTS }, () => randomUUID());
});
afterEach(() => site.close());

async function must(path: string, body: object): Promise<void> {
  const answer = await send(site.baseUrl, "POST", path, body, headers);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

function record(key: string): Promise<Answer> {
  const body = { customer_id, amount: AMOUNT, date: today, mode: "UPI" };
  return send(site.baseUrl, "POST", "/api/v4/receipts", body, { ...headers, "idempotency-key": key });
}

/** Records all these at once, and kills the server when it waits for a lock that the caller holds. */
async function killWhileRecording(asked: readonly string[], lockedTable: string): Promise<void> {
  const answers = asked.map((key) => record(key).catch((error: unknown) => error));
  await until(async () => (await countLockWaits(site.pool, lockedTable)) > 0, 120_000, "a receipt waits for the lock");
  await site.killServer();
  await Promise.all(answers);
}

/** How many receipts there are: each has used its money, and the invoices are paid by as much. */
async function expectWholeReceipts(): Promise<number> {
  const { rows } = await site.pool.query<{ receipts: number; used: string; paid: string; settled: string }>(
    `select
       (select count(*)::integer from receipt) as receipts,
       (select coalesce(sum(used_paise), 0)::text from receipt) as used,
       (select coalesce(sum(paid_paise), 0)::text from invoice) as paid,
       (select coalesce(sum(amount_paise), 0)::text from settlement) as settled`,
  );
  const { receipts, used, paid, settled } = rows[0]!;
  const expected = String(Math.min(receipts * 15_000, 400_000));
  expect([used, paid, settled]).toEqual([expected, expected, expected]);
  return receipts;
}

/** Starts the server again, and repeats all requests under their keys. */
async function finish(): Promise<void> {
  await site.start();
  const answers = await Promise.all(keys.map(record));
  expect(answers.map(({ status, body }) => (status === 200 ? 200 : JSON.stringify(body)))).toEqual(keys.map(() => 200));
  expect(await expectWholeReceipts()).toBe(RECEIPTS);
  const { rows } = await site.pool.query<{ number: string }>(
    "select right(receipt_number, 5) as number from receipt order by receipt_number",
  );
  expect(rows.map(({ number }) => Number(number))).toEqual(keys.map((_, place) => place + 1));
  expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true, violations: [] });
}

test("a receipt that is cut off halfway is not recorded, and is recorded once when it is asked for again", async () => {
  for (const key of keys.slice(0, BEFORE)) expect(await record(key)).toMatchObject({ status: 200 });
  await inTransaction(site.pool, async (connection) => {
    await connection.query("select from book_day for update");
    await killWhileRecording(keys.slice(BEFORE), "book_day");
  });
  expect(await expectWholeReceipts()).toBe(BEFORE);
  await finish();
});

test("a server that is killed among many receipts has recorded each of them whole or not at all", async () => {
  await inTransaction(site.pool, async (connection) => {
    const last = "select invoice_id from invoice order by due_date, invoice_id offset 20 limit 1";
    await connection.query(`select from invoice where invoice_id = (${last}) for update`);
    await killWhileRecording(keys, "invoice");
  });
  const recorded = await expectWholeReceipts();
  expect(recorded).toBeLessThan(RECEIPTS);
  await finish();
});

test("receipts of a file that a killed server had recorded in part are recorded once when the file is imported again", async () => {
  const line = { customer_id, amount: AMOUNT, date: today, mode: "UPI" };
  const receipt = keys.map((import_key) => ({ import_key, ...line }));
  const importAll = () => send(site.baseUrl, "POST", "/api/v4/receipts/batch", { receipt }, headers);
  await inTransaction(site.pool, async (connection) => {
    const later = "select invoice_id from invoice order by due_date, invoice_id offset 20 limit 1";
    await connection.query(`select from invoice where invoice_id = (${later}) for update`);
    const answer = importAll().catch((error: unknown) => error);
    await until(async () => (await countLockWaits(site.pool, "invoice")) > 0, 120_000, "a receipt waits for the lock");
    await site.killServer();
    await answer;
  });
  const recorded = await expectWholeReceipts();
  expect(recorded).toBeGreaterThan(0);
  expect(recorded).toBeLessThan(RECEIPTS);
  await site.start();
  for (const known of [recorded, RECEIPTS]) {
    const { body } = await importAll();
    const before = body.outcomes.filter((each: Answer["body"]) => each.recorded_before);
    expect(before).toHaveLength(known);
    expect(await expectWholeReceipts()).toBe(RECEIPTS);
  }
  expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true, violations: [] });
});
