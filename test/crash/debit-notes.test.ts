// kill -9 of the server while it issues debit notes: each is issued whole, with its rows, its journal and its number, or not at all.
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMerchantsWithTemplate } from "../../src/installation/index.ts";
import { profileRecord } from "../../src/merchants/index.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { countLockWaits } from "../support/held-rows.ts";
import { nodalJson, send, type Answer } from "../support/nodal.ts";
import { CrashSite, until } from "./site.ts";

const PROFILE = { ...profileRecord.blank, name: "Crash Traders", state: "Karnataka", timeZone: "Asia/Kolkata" };
const NOTES = 30;
const BEFORE = 5;
/** What each note charges, without tax, in rupees and in paise. */
const AMOUNT = "40.00";
const AMOUNT_PAISE = 4_000n;
const today = Temporal.Now.plainDateISO(PROFILE.timeZone).toString();

/** The invoice that a note is asked for, and the key of the request. */
type Asked = { readonly invoice_id: string; readonly key: string };

let site: CrashSite;
let headers: Readonly<Record<string, string>>;
let asked: Asked[];

beforeEach(async () => {
  site = await CrashSite.open();
  const [made] = await createMerchantsWithTemplate(site, [PROFILE]);
  const pair = Buffer.from(`${made!.accessKeyId}:${made!.secret}`).toString("base64");
  headers = { authorization: `Basic ${pair}` };
  await must("/api/v4/customers", { customer_code: "C1", customer_name: "Asha Rao" });
  const bill = { customer_code: "C1", bill_date: today, due_date: today };
  const invoice = { ...bill, particular_rows: [{ item: "Work", total_amount: "100.00" }] };
  const { invoices } = await must("/api/v4/invoices", { invoice: Array.from({ length: NOTES }, () => invoice) });
  asked = (invoices as { invoice_id: string }[]).map(({ invoice_id }) => ({ invoice_id, key: randomUUID() }));
});
afterEach(() => site.close());

async function must(path: string, body: object): Promise<Answer["body"]> {
  const answer = await send(site.baseUrl, "POST", path, body, headers);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

function issue({ invoice_id, key }: Asked): Promise<Answer> {
  const body = { invoice_id, reason: "Price agreed later", rows: [{ row: 1, amount: AMOUNT }] };
  return send(site.baseUrl, "POST", "/api/v4/debit-notes", body, { ...headers, "idempotency-key": key });
}

/** Asks for all these notes at once, and kills the server when it waits for a lock that the caller holds. */
async function killWhileIssuing(notes: readonly Asked[], lockedTable: string): Promise<void> {
  const answers = notes.map((each) => issue(each).catch((error: unknown) => error));
  await until(
    async () => (await countLockWaits(site.pool, lockedTable)) > 0,
    120_000,
    "a debit note waits for the lock",
  );
  await site.killServer();
  await Promise.all(answers);
}

/** How many notes there are: each of an invoice of its own, with its amount, its entries and numbers without gap. */
async function expectWholeNotes(): Promise<number> {
  const { rows } = await site.pool.query<{ number: string; original: bigint; amount: bigint; types: string[] }>(
    `select right(invoice_number, 5) as number, original_invoice_id as original, amount_paise as amount,
       (select array_agg(type order by entry_no) from journal
        where journal.merchant_id = invoice.merchant_id and subject_id = invoice_id) as types
     from invoice where original_invoice_id is not null order by invoice_number`,
  );
  expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_, place) => place + 1));
  expect(new Set(rows.map(({ original }) => original)).size).toBe(rows.length);
  for (const { amount, types } of rows) {
    expect([amount, types]).toEqual([AMOUNT_PAISE, ["debit_note.issued", "invoice.created"]]);
  }
  const { rows: told } = await site.pool.query("select from journal where type = 'debit_note.issued'");
  expect(told).toHaveLength(rows.length);
  return rows.length;
}

/** Starts the server again, and repeats all requests under their keys. */
async function finish(): Promise<void> {
  await site.start();
  const answers = await Promise.all(asked.map(issue));
  expect(answers.map(({ status, body }) => (status === 200 ? 200 : JSON.stringify(body)))).toEqual(
    asked.map(() => 200),
  );
  expect(await expectWholeNotes()).toBe(NOTES);
  expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true, violations: [] });
}

test("a debit note that is cut off halfway is not issued, and is issued once when it is asked for again", async () => {
  for (const note of asked.slice(0, BEFORE)) expect(await issue(note)).toMatchObject({ status: 200 });
  await inTransaction(site.pool, async (connection) => {
    await connection.query("select from number_counter for update");
    await killWhileIssuing(asked.slice(BEFORE), "number_counter");
  });
  expect(await expectWholeNotes()).toBe(BEFORE);
  await finish();
});

test("a server that is killed among many debit notes has issued each of them whole or not at all", async () => {
  const held = asked[NOTES / 2]!;
  await inTransaction(site.pool, async (connection) => {
    await connection.query("select from invoice where invoice_id = $1 for update", [held.invoice_id.slice(1)]);
    await killWhileIssuing(asked, "invoice");
  });
  expect(await expectWholeNotes()).toBeLessThan(NOTES);
  await finish();
});
