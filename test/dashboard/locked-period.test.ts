// A locked period of the books: nothing more is posted to it, by any entrance. docs/accounts.md#locked-periods
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices, PLAIN } from "../support/invoices.ts";
import { nodal, nodalJson, type Answer } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";
import { settledToday } from "../support/days.ts";
import { Biller, Subscriptions } from "../support/subscriptions.ts";

type Body = Answer["body"];

const LOCK = "2026-06-30";
const OPEN = "2026-07-01";

let site: Installation;
let shop: Invoices;
let call: Raw;
let customer_id: string;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  shop = await Invoices.ofNewMerchant(site);
  call = rawOf(site, await Browser.signIn(site, await newPerson(site, shop.merchant.id)));
  const { body } = await call("GET", "/customers");
  customer_id = body.customers[0].customer_id;
});
afterAll(() => site?.stop());

const setLock = (locked_until: string): Promise<Answer> => call("PUT", "/book-settings", { locked_until });
async function lock(locked_until: string): Promise<void> {
  const { status, body } = await setLock(locked_until);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toEqual({ write_off_limit: "100.00", locked_until });
}
async function done(answer: Promise<Answer>): Promise<Body> {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
/** What a request that posts to the locked period is answered with: the code, and the field of the date. */
async function refused(ask: () => Promise<Answer>): Promise<string | null> {
  const { status, body } = await shop.unmoved(ask);
  expect([status, codeOf(body)], JSON.stringify(body)).toEqual([409, "period_locked"]);
  expect(JSON.stringify(body)).toContain(LOCK);
  expect(JSON.stringify(body)).toContain("unlock the period");
  return body.error?.fields?.[0]?.path ?? body.errlist?.[0]?.keypath ?? null;
}
/** By either API. */
const codeOf = (body: Body): string => body.error?.code ?? body.errcode;
const sound = async () => expect(await site.findProblems()).toEqual([]);
const receipt = (members: object = {}): Promise<Answer> =>
  call("POST", "/receipts", { customer_id, date: OPEN, amount: "10.00", mode: "NEFT", allocations: [], ...members });

describe("what is dated in it is refused, names its date, and leaves everything as it was", () => {
  test("invoices, by each API, one line among several", async () => {
    await lock(LOCK);
    expect(await refused(() => shop.save([PLAIN]))).toBe("invoice[0].bill_date");
    const later = { ...PLAIN, bill_date: OPEN, due_date: OPEN };
    expect(await refused(() => shop.save([later, PLAIN]))).toBe("invoice[1].bill_date");
    expect(await refused(() => call("POST", "/invoices", { invoice: [PLAIN] }))).toMatch(/bill_date$/);
    expect((await shop.save([later])).status).toBe(200);
    await sound();
  });

  test("changes, cancellations and payments of an invoice", async () => {
    const id = (await shop.add())["invoice_id"]!;
    const other = (await shop.add())["invoice_id"]!;
    const paid = (await shop.pay(other, "40.00"))["transaction_id"]!;
    const open = (await shop.add({ bill_date: OPEN, due_date: OPEN }))["invoice_id"]!;
    await lock(LOCK);
    const dearer = { particular_rows: [{ item: "Work", total_amount: "200.00" }] };
    expect(await refused(() => shop.update(id, dearer))).toBe(null);
    expect(await refused(() => shop.update(id, { bill_date: OPEN, due_date: OPEN }))).toBe(null);
    expect(await refused(() => shop.update(open, { bill_date: LOCK }))).toMatch(/bill_date$/);
    expect(await refused(() => shop.cancel(id))).toBe(null);
    expect(await refused(() => shop.settle({ invoice_id: id, amount: "1.00" }))).toBe("paid_date");
    expect(await refused(() => call("POST", `/invoices/${id}/write-off`, { reason: "Lost", date: LOCK }))).toBe("date");
    // What posts nothing, and what is dated in the open period, is done.
    expect((await shop.update(id, { due_date: "2026-08-01" })).status).toBe(200);
    expect((await shop.settle({ invoice_id: id, amount: "1.00", paid_date: OPEN })).status).toBe(200);
    await done(call("POST", `/invoices/${other}/payments/${paid}/reverse`, { reason: "Bounced" }));
    await sound();
  });

  test("notes and opening balances", async () => {
    const id = (await shop.add())["invoice_id"]!;
    const credit = (date: string) => ({ amount: "10.00", reason: "Return", date });
    const note = await done(call("POST", `/invoices/${id}/credit-notes`, credit("2026-06-20")));
    await lock(LOCK);
    expect(await refused(() => call("POST", `/invoices/${id}/credit-notes`, credit(LOCK)))).toBe("date");
    expect(await refused(() => call("POST", `/credit-notes/${note.credit_note_id}/cancel`, {}))).toBe(null);
    const rows = [{ row: 1, amount: "5.00" }];
    const debit = (date: string) => call("POST", "/debit-notes", { invoice_id: id, rows, reason: "Price", date });
    expect(await refused(() => debit(LOCK))).toBe("date");
    await done(debit(OPEN));
    await done(call("POST", `/invoices/${id}/credit-notes`, credit(OPEN)));
    const opening = { customer_code: "C1", date: LOCK, due_date: OPEN, amount: "50.00" };
    expect(await refused(() => call("POST", "/opening-balances", opening))).toMatch(/date$/);
    const { opening_balance } = await done(call("POST", "/opening-balances", { ...opening, date: OPEN }));
    const change = () => call("PUT", `/opening-balances/${opening_balance.opening_balance_id}`, { date: LOCK });
    expect(await refused(change)).toBe("date");
    await sound();
  });

  test("receipts, their use and refunds", async () => {
    const first = (await done(receipt({ date: "2026-06-10" }))).receipt;
    const id = (await shop.add())["invoice_id"]!;
    await lock(LOCK);
    const at = `/receipts/${first.receipt_id}`;
    expect(await refused(() => receipt({ date: LOCK }))).toBe("date");
    const allocations = [{ invoice_id: id, amount: "4.00" }];
    expect(await refused(() => call("POST", `${at}/allocate`, { date: LOCK, allocations }))).toBe("date");
    const refund = (date: string) => call("POST", `${at}/refund`, { amount: "1.00", date, mode: "Cash" });
    expect(await refused(() => refund(LOCK))).toBe("date");
    await done(call("POST", `${at}/allocate`, { date: OPEN, allocations }));
    await done(receipt({ date: OPEN }));
    // A reversal has no date of its own: it is today's.
    await done(call("POST", `${at}/reverse`, { reason: "Bounced" }));
    await sound();
  });
});

test("it is locked and unlocked by those who may change the settings of the books, and both are in the audit log", async () => {
  const viewer = rawOf(site, await Browser.signIn(site, await newPerson(site, shop.merchant.id, "Viewer")));
  expect((await viewer("PUT", "/book-settings", { locked_until: LOCK })).status).toBe(403);
  expect((await setLock("2026-06-31")).status).toBe(400);
  const late = await setLock("2099-01-01");
  expect([late.status, late.body.error.fields[0].path]).toEqual([400, "locked_until"]);
  await lock(LOCK);
  await lock(LOCK);
  await done(call("PUT", "/book-settings", { write_off_limit: "100.00" }));
  expect((await call("GET", "/book-settings")).body.locked_until).toBe(LOCK);
  await lock("");
  expect((await shop.save([PLAIN])).status).toBe(200);
  const { entries } = (await call("GET", "/audit?type=book_setting.changed")).body;
  expect(entries.map(({ before, after }: Body) => [before, after])).toEqual([
    [{ locked_until: LOCK }, { locked_until: null }],
    [{ locked_until: null }, { locked_until: LOCK }],
  ]);
  await sound();
});

test("nothing slips under a lock that was confirmed, with many at once", async () => {
  const posted = async (): Promise<string> => {
    const { rows } = await site.pool.query<{ sum: string }>(
      "select count(*)::text as sum from book_entry where merchant_id = $1 and entry_date <= $2",
      [shop.merchant.id, LOCK],
    );
    return rows[0]!.sum;
  };
  const ids = await Promise.all(Array.from({ length: 40 }, async () => (await shop.add())["invoice_id"]!));
  const others = await Invoices.ofNewMerchant(site);
  const work = ids.flatMap((id) => [
    shop.save([PLAIN]),
    shop.settle({ invoice_id: id, amount: "1.00" }),
    receipt({ date: LOCK }),
    others.save([PLAIN]),
  ]);
  await work[0];
  await lock(LOCK);
  const confirmed = await posted();
  const answers = await Promise.all(work);
  expect(await posted()).toBe(confirmed);
  // Others' saves, which share transactions with the refused ones, are all written.
  expect(answers.filter((_answer, place) => place % 4 === 3).map(({ status }) => status)).toEqual(ids.map(() => 200));
  const codes = answers.flatMap(({ status, body }) => (status === 200 ? [] : [codeOf(body)]));
  expect(new Set([...codes, "period_locked"])).toEqual(new Set(["period_locked"]));
  await sound();
});

test("a subscription bills an occurrence of a locked period on the first open day, and the log has both dates", async () => {
  const today = await settledToday();
  const biller = new Biller(site.serverUrl);
  try {
    const theirs = await Subscriptions.ofNewMerchant(site, biller);
    const ask = rawOf(site, await Browser.signIn(site, await newPerson(site, theirs.invoices.merchant.id)));
    const days = (count: number): string => today.add({ days: count }).toString();
    await done(ask("PUT", "/book-settings", { locked_until: days(-2) }));
    const saved = await theirs.add({ mode: "Daily", start_date: days(-3), due_date: days(-3) });
    expect(saved).toMatchObject({ status: "Active", invoices_created: 4, parked: null });
    const made = await theirs.made(saved);
    expect(made.map(({ bill_date, due_date }) => [bill_date, due_date])).toEqual(
      [days(-1), days(-1), days(-1), days(0)].map((day) => [day, day]),
    );
    const { entries } = (await ask("GET", "/audit?type=subscription.billed")).body;
    expect(entries.map(({ after }: Body) => after).toReversed()).toEqual([
      { planned_date: days(-3), bill_date: days(-1) },
      { planned_date: days(-2), bill_date: days(-1) },
      null,
      null,
    ]);
    await sound();
  } finally {
    await biller.close();
  }
});

test("commands show, lock and unlock it", async () => {
  const book = (...args: string[]) => nodalJson(site.environment, "book", ...args, "--merchant", shop.merchant.id);
  expect(await book("show")).toEqual({ write_off_limit: "100.00", locked_until: null });
  expect(await book("set", "--locked-until", LOCK)).toEqual({ write_off_limit: "100.00", locked_until: LOCK });
  expect(await refused(() => shop.save([PLAIN]))).toBe("invoice[0].bill_date");
  const nothing = await nodal(site.environment, "book", "set", "--merchant", shop.merchant.id);
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining("Nothing to change")]);
  expect(await book("set", "--locked-until", "off", "--write-off-limit", "5")).toEqual({
    write_off_limit: "5.00",
    locked_until: null,
  });
  expect((await shop.save([PLAIN])).status).toBe(200);
});
