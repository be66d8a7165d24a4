// Amounts that are each allowed and add up to more than a sum can hold: refused with what to do, and everything read
// still. What one amount may be is amounts.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices, PLAIN } from "../support/invoices.ts";
import { recordEventsOf } from "../support/record-events.ts";

const LARGE = { ...PLAIN, particular_rows: [{ item: "Work", total_amount: "9999999999999.99" }] };
/** In paise: what a sum holds, and a sum to which two more such amounts can be added, but not three. */
const MAX_PAISE = 9_223_372_036_854_775_807n;
const NEARLY_PAISE = MAX_PAISE - 2_500_000_000_000_000n;

let site: Installation;
let invoices: Invoices;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
});
afterAll(() => site?.stop());

/** Does so while the sums of every day and month are this much higher, as thousands of invoices would make them. */
async function withSums(morePaise: bigint, work: () => Promise<void>): Promise<void> {
  const raise = async (paise: bigint): Promise<void> => {
    for (const table of ["invoice_day", "invoice_month"]) {
      const text = `update ${table} set billed_paise = billed_paise + $2, due_paise = due_paise + $2 where merchant_id = $1`;
      await site.pool.query(text, [invoices.merchant.id, paise]);
    }
  };
  await raise(morePaise);
  await work();
  await raise(-morePaise);
}

test("invoices of a day that add up to more are refused with 422, in a batch and alone, and change nothing", async () => {
  const nextMonth = { bill_date: "2026-07-01", due_date: "2026-08-01" };
  await invoices.add();
  await invoices.add(nextMonth);
  const refusal = { status: 422, body: { errcode: "limit_exceeded", srvrsp: null } };
  await withSums(NEARLY_PAISE, async () => {
    const refused = await invoices.unmoved(() => invoices.save([LARGE, LARGE, LARGE]));
    expect(refused).toMatchObject(refusal);
    expect(refused.body["errmsg"]).toMatch(/total above the largest possible.*split the request/);
    expect((await invoices.save([LARGE, LARGE])).status).toBe(200);
    expect(await invoices.unmoved(() => invoices.save([LARGE]))).toMatchObject(refusal);
    // Where there is room, others are taken: of another month, and small ones.
    expect((await invoices.save([{ ...LARGE, ...nextMonth }])).status).toBe(200);
    expect((await invoices.save([PLAIN])).status).toBe(200);
    const totals = (await owner.get("/invoices/totals")).body["totals"] as { billed: string };
    expect(BigInt(totals.billed.replace(".", ""))).toBeGreaterThan(MAX_PAISE);
  });
});

test("what is read of invoices adds them up, however large", async () => {
  const change =
    "update invoice set amount_paise = amount_paise + $2, sub_total_paise = sub_total_paise + $2 where merchant_id = $1";
  const morePaise = 9_000_000_000_000_000_000n;
  await site.pool.query(change, [invoices.merchant.id, morePaise]);
  const named = "select customer_id from customer where merchant_id = $1";
  const { rows } = await site.pool.query<{ customer_id: bigint }>(named, [invoices.merchant.id]);
  const paths = [
    "/session/home/balances",
    "/session/home/balance-days",
    "/session/home/billing",
    "/session/home/waiting",
    "/invoices",
    "/customers",
  ];
  for (const path of [...paths, `/customers/${rows[0]!.customer_id}`]) {
    expect([path, (await owner.get(path)).status]).toEqual([path, 200]);
  }
  await site.pool.query(change, [invoices.merchant.id, -morePaise]);
  // They may have been sealed as they were meanwhile.
  const all = "select invoice_id from invoice where merchant_id = $1";
  const changed = (await site.pool.query<{ invoice_id: bigint }>(all, [invoices.merchant.id])).rows;
  await recordEventsOf(
    site.pool,
    invoices.merchant.id,
    "invoice.created",
    changed.map((row) => row.invoice_id),
  );
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await site.findProblems()).toEqual([]);
});
