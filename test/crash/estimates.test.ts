// kill -9 of the server while it makes invoices of estimates: each estimate becomes one invoice, or is open and can still become one.
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMerchantsWithTemplate } from "../../src/installation/index.ts";
import { profileRecord } from "../../src/merchants/index.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { countLockWaits } from "../support/held-rows.ts";
import { nodalJson, send, type Answer } from "../support/nodal.ts";
import { CrashSite, until } from "./site.ts";

const PROFILE = { ...profileRecord.blank, name: "Crash Traders", state: "Karnataka", timeZone: "Asia/Kolkata" };
const ESTIMATES = 30;
const BEFORE = 5;
const today = Temporal.Now.plainDateISO(PROFILE.timeZone);

/** An estimate, and the key with which its invoice is asked for. */
type Offer = { readonly id: string; readonly key: string };
type State = { readonly state: string; readonly invoice_id: bigint | null };

let site: CrashSite;
let headers: Readonly<Record<string, string>>;
let offers: Offer[];

beforeEach(async () => {
  site = await CrashSite.open();
  const [made] = await createMerchantsWithTemplate(site, [PROFILE]);
  const keys = Buffer.from(`${made!.accessKeyId}:${made!.secret}`).toString("base64");
  headers = { authorization: `Basic ${keys}` };
  const new_customer = { customer_code: "C1", customer_name: "Asha Rao" };
  const ROW = { item: "Work", total_amount: "1000.00" };
  const dates = { estimate_date: today.toString(), valid_until: today.add({ days: 30 }).toString() };
  offers = [];
  for (let count = 0; count < ESTIMATES; count += 1) {
    const customer = count === 0 ? { new_customer } : { customer_code: "C1" };
    const body = { ...dates, invoice: { ...customer, particular_rows: [ROW] } };
    const answer = await send(site.baseUrl, "POST", "/api/v4/estimates", body, headers);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    offers.push({ id: answer.body.estimate.estimate_id, key: randomUUID() });
  }
});
afterEach(() => site.close());

const makeInvoice = ({ id, key }: Offer): Promise<Answer> =>
  send(site.baseUrl, "POST", `/api/v4/estimates/${id}/invoice`, {}, { ...headers, "idempotency-key": key });

/** Asks for the invoices of all these estimates at once, and kills the server when it waits for a lock that the caller holds. */
async function killWhileMaking(asked: readonly Offer[], lockedTable: string): Promise<void> {
  const answers = asked.map((each) => makeInvoice(each).catch((error: unknown) => error));
  await until(async () => (await countLockWaits(site.pool, lockedTable)) > 0, 120_000, "an invoice waits for the lock");
  await site.killServer();
  await Promise.all(answers);
}

async function readStates(): Promise<State[]> {
  const { rows } = await site.pool.query<State>("select state, invoice_id from estimate order by estimate_id");
  return rows;
}

async function countInvoices(): Promise<number> {
  const { rows } = await site.pool.query<{ count: number }>("select count(*)::integer as count from invoice");
  return rows[0]!.count;
}

/** Each estimate that was accepted has an invoice of its own, and there is no other invoice. */
async function expectNoneOrOneEach(): Promise<number> {
  const made = (await readStates()).filter(({ state }) => state === "Accepted").map(({ invoice_id: id }) => id);
  expect(new Set(made).size).toBe(made.length);
  expect(await countInvoices()).toBe(made.length);
  return made.length;
}

/** Starts the server again, and repeats all requests under their keys. */
async function finish(): Promise<void> {
  await site.start();
  const answers = await Promise.all(offers.map(makeInvoice));
  expect(answers.map(({ status, body }) => (status === 200 ? 200 : JSON.stringify(body)))).toEqual(
    offers.map(() => 200),
  );
  expect(await expectNoneOrOneEach()).toBe(ESTIMATES);
  const { rows } = await site.pool.query<{ number: string }>("select right(invoice_number, 5) as number from invoice");
  const numbers = rows.map(({ number }) => Number(number)).toSorted((a, b) => a - b);
  expect(numbers).toEqual(offers.map((_, place) => place + 1));
  expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true, violations: [] });
}

test("an invoice that is cut off halfway is not made, and is made once when it is asked for again", async () => {
  for (const offer of offers.slice(0, BEFORE)) expect(await makeInvoice(offer)).toMatchObject({ status: 200 });
  await inTransaction(site.pool, async (connection) => {
    await connection.query("select from number_counter for update");
    await killWhileMaking(offers.slice(BEFORE), "number_counter");
  });
  expect(await expectNoneOrOneEach()).toBe(BEFORE);
  await finish();
});

test("a server that is killed among many invoices has made none or one of each estimate", async () => {
  const held = offers[ESTIMATES / 2]!;
  await inTransaction(site.pool, async (connection) => {
    await connection.query("select from estimate where estimate_id = $1 for update", [held.id]);
    await killWhileMaking(offers, "estimate");
  });
  const made = await expectNoneOrOneEach();
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(ESTIMATES);
  await finish();
});
