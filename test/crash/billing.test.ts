// kill -9 of the server in the middle of billing subscriptions, again and again: each occurrence makes one invoice.
// Crashes under every kind of write are in crash.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMerchantsWithTemplate } from "../../src/installation/index.ts";
import { profileRecord, changeMerchant } from "../../src/merchants/index.ts";
import { nodalJson, send } from "../support/nodal.ts";
import { CUSTOMER_SAVE } from "../support/merchant-wire.ts";
import { SUBSCRIPTION_SAVE } from "../support/subscriptions.ts";
import { seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite, until } from "./site.ts";

const SUBSCRIPTIONS = 24;
/** How many of them carry dues: every fourth. */
const CARRYING = SUBSCRIPTIONS / 4;
const ROUNDS = 3;
const DAYS_PER_ROUND = 15;
const PROFILE = {
  ...profileRecord.blank,
  name: "Crash Traders",
  email: "crash@example.com",
  mobile: "",
  address: "",
  city: "",
  state: "Karnataka",
  zipcode: "",
  gstin: "29AAACI1234K1Z5",
  pan: "",
  bankAccount: "",
  ifsc: "",
  bankHolder: "",
  timeZone: "Asia/Kolkata",
};

let site: CrashSite;
beforeEach(async () => {
  site = await CrashSite.open();
});
afterEach(() => site.close());

type Made = { occurrence_no: number; bill_date: string; due_date: string; invoice_number: string; carried: string };

test("a catch-up that is killed again and again ends with exactly the right invoices", async () => {
  const random = seededRandom(chooseSeed("kill while billing"));
  const [made] = await createMerchantsWithTemplate(site, [PROFILE]);
  const { merchantId } = made!.merchant;
  const keys = { access_key_id: made!.accessKeyId, secret_access_key: made!.secret };
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await send(site.baseUrl, "POST", path, { ...keys, ...body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  const start = Temporal.Now.plainDateISO(PROFILE.timeZone).add({ days: 1 });
  await post(CUSTOMER_SAVE, { customer: [{ customer_code: "C1", customer_name: "Asha Rao" }] });
  for (let count = 0; count < SUBSCRIPTIONS; count += 1) {
    await post(SUBSCRIPTION_SAVE, {
      mode: "Daily",
      repeat_every: "1",
      start_date: start.toString(),
      due_date: start.add({ days: 5 }).toString(),
      end_mode: "Never",
      carry_forword_dues: count % 4 === 0 ? "1" : "0",
      invoice: { customer_code: "C1", particular_rows: [{ item: "Rent", gst: "18", total_amount: "10.00" }] },
    });
  }
  const count = async (): Promise<number> => {
    const { rows } = await site.pool.query<{ count: bigint }>("select count(*) as count from invoice");
    return Number(rows[0]!.count);
  };

  /** Kills the server and starts it again. It looks at once for what is due. */
  const restart = async (): Promise<void> => {
    await site.killServer();
    await site.pool.query("update schedule set next_run_at = now()");
    await site.start();
  };
  let interrupted = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = await count();
    await changeMerchant(
      { pool: site.pool, ids: site.ids, merchant: { merchantId } },
      { clockDate: start.add({ days: round * DAYS_PER_ROUND - 1 }) },
    );
    await restart();
    await until(async () => (await count()) > before, 60_000, "billing has begun");
    await sleep(random() * 150);
    if ((await count()) < round * DAYS_PER_ROUND * SUBSCRIPTIONS) interrupted += 1;
  }
  await restart();
  const expected = SUBSCRIPTIONS * ROUNDS * DAYS_PER_ROUND;
  await until(async () => (await count()) >= expected, 300_000, "all is billed");
  expect(interrupted).toBeGreaterThan(0);

  const { rows } = await site.pool.query<Made>(
    `select occurrence_no, invoice.bill_date::text, invoice.due_date::text, invoice_number, carried_to::text as carried
     from subscription_occurrence join invoice using (bucket, merchant_id, invoice_id)
     order by subscription_id, occurrence_no`,
  );
  const days = Array.from({ length: ROUNDS * DAYS_PER_ROUND }, (_, day) => start.add({ days: day }));
  const dates = days.map((day) => [day, day.add({ days: 5 })].join(" "));
  expect(rows.map((row) => `${row.bill_date} ${row.due_date}`)).toEqual(
    Array.from({ length: SUBSCRIPTIONS }, () => dates).flat(),
  );
  expect(await count()).toBe(expected);
  expect(rows.filter((row) => row.carried !== null)).toHaveLength(CARRYING * (dates.length - 1));
  const years = Map.groupBy(rows, (row) => row.invoice_number.slice(0, 9));
  for (const [prefix, numbered] of years) {
    const numbers = numbered.map((row) => row.invoice_number).toSorted();
    const wanted = numbered.map((_, index) => `${prefix}${String(index + 1).padStart(5, "0")}`);
    expect(numbers).toEqual(wanted);
  }
  expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true, violations: [] });
});
