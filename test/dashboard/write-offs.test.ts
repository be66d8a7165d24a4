// Writing off what nobody pays any more: docs/rules/invoicing.md#write-offs
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices, PAYMENT } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

type Body = Answer["body"];

const REASON = "Bank charges of the customer";

let site: Installation;
let shop: Invoices;
let owner: Browser;
let call: Raw;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  shop = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  call = rawOf(site, owner);
});
afterAll(() => site?.stop());

/** An invoice of 100.00 with a payment of all but `rest`. */
async function bill(rest: string, members: Record<string, unknown> = {}): Promise<string> {
  const id = (await shop.add(members))["invoice_id"]!;
  const paid = (10_000n - BigInt(rest.replace(".", ""))).toString().padStart(3, "0");
  if (paid !== "000") await shop.pay(id, `${paid.slice(0, -2)}.${paid.slice(-2)}`);
  return id;
}
const writeOff = (id: string, members: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  call("POST", `/invoices/${id}/write-off`, { reason: REASON, ...members }, headers);
const invoice = async (id: string): Promise<Body> => (await call("GET", `/invoices/${id}`)).body;
const trial = async (account: string): Promise<string[]> => {
  const { body } = await call("GET", "/reports/trial-balance");
  const { debit, credit } = body.accounts.find((each: Body) => each.account === account);
  return [debit, credit];
};
const refusal = ({ status, body }: Answer): unknown[] => [status, body.error.code];
const sound = async () => expect(await site.findProblems()).toEqual([]);

test("what is due is written off, is an expense, and is due again once it is reversed", async () => {
  const id = await bill("2.50");
  const { status, body } = await writeOff(id, { date: "2026-07-01" });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.payment).toMatchObject({ amount: "2.50", paid_date: "2026-07-01", due_amount: "0.00" });
  const { transaction_id } = body.payment;
  const { settlements, status: shown } = await invoice(id);
  expect(shown).toBe("Paid offline");
  expect(settlements.at(-1)).toMatchObject({ transaction_id, mode: "Write-off", write_off_reason: REASON });
  expect(await trial("written_off")).toEqual(["2.50", "0.00"]);
  expect(await trial("receivable")).toEqual(["0.00", "0.00"]);
  expect(await trial("bank")).toEqual(["97.50", "0.00"]);
  const listed = await call("GET", "/payments?mode=Write-off");
  expect(listed.body.payments).toMatchObject([{ settlement_id: transaction_id, write_off_reason: REASON }]);
  expect(refusal(await writeOff(id))).toEqual([409, "invoice_already_paid"]);

  const back = await call("POST", `/invoices/${id}/payments/${transaction_id}/reverse`, { reason: "It came" });
  expect(back.status).toBe(200);
  expect(await shop.read(id)).toMatchObject({ due_amount: "2.50" });
  expect(await trial("written_off")).toEqual(["0.00", "0.00"]);
  await sound();
});

test("is no money: no collection of the day counts it, and Tally gets a journal", async () => {
  await shop.pay(await bill("100.00"), "99.00");
  const [open] = (await call("GET", "/invoices")).body.invoices;
  expect((await writeOff(open.invoice_id, { date: PAYMENT.paid_date })).status).toBe(200);
  const { rows } = await site.pool.query<{ days: string }>(
    "select string_agg(bank_paise || ' ' || written_off_paise, ',' order by day) as days from book_day where merchant_id = $1",
    [shop.merchant.id],
  );
  expect(rows[0]!.days).toContain("9900 100");
  const period = "from_date=2026-01-01&to_date=2027-03-31";
  const { body: xml } = await owner.get(`/reports/tally-vouchers.xml?${period}`);
  const voucher = (xml as string).split("<VOUCHER ").find((each) => each.includes("Written Off"))!;
  expect(voucher).toContain('VCHTYPE="Journal"');
  expect(voucher).toContain("<LEDGERNAME>Written Off</LEDGERNAME><ISDEEMEDPOSITIVE>Yes</ISDEEMEDPOSITIVE>");
  await sound();
});

test("at most the merchant's limit, and the limit is kept with who changed it", async () => {
  const id = await bill("100.00");
  const large = (await shop.add({}))["invoice_id"]!;
  expect((await call("GET", "/book-settings")).body).toEqual({ write_off_limit: "100.00", locked_until: "" });
  expect((await call("PUT", "/book-settings", { write_off_limit: "99.99" })).body).toEqual({
    write_off_limit: "99.99",
    locked_until: "",
  });
  const refused = await writeOff(id);
  expect(refusal(refused)).toEqual([422, "write_off_exceeds_limit"]);
  expect(refused.body.error.message).toContain("₹99.99");
  expect(await shop.read(id)).toMatchObject({ due_amount: "100.00" });
  expect((await call("PUT", "/book-settings", { write_off_limit: "-1" })).status).toBe(400);
  await call("PUT", "/book-settings", { write_off_limit: "100.00" });
  expect((await writeOff(id)).status).toBe(200);
  await call("PUT", "/book-settings", { write_off_limit: "0.00" });
  expect(refusal(await writeOff(large))).toEqual([422, "write_off_exceeds_limit"]);
  const audit = await call("GET", "/audit?type=book_setting.changed");
  expect(audit.body.entries.map(({ before, after }: Body) => [before, after])).toEqual([
    [{ write_off_limit: "100.00" }, { write_off_limit: "0.00" }],
    [{ write_off_limit: "99.99" }, { write_off_limit: "100.00" }],
    [{ write_off_limit: "100.00" }, { write_off_limit: "99.99" }],
  ]);
  await sound();
});

test("bad input, cancelled invoices and those of others are refused, and nothing changes", async () => {
  const id = await bill("5.00");
  expect((await call("POST", `/invoices/${id}/write-off`, {})).status).toBe(400);
  expect((await writeOff(id, { reason: " " })).status).toBe(400);
  expect((await writeOff(id, { date: "2026-02-30" })).status).toBe(400);
  const other = await Invoices.ofNewMerchant(site);
  const stranger = rawOf(site, await Browser.signIn(site, await newPerson(site, other.merchant.id)));
  const asked = await stranger("POST", `/invoices/${id}/write-off`, { reason: REASON });
  expect(refusal(asked)).toEqual([404, "invoice_not_found"]);
  const viewer = rawOf(site, await Browser.signIn(site, await newPerson(site, shop.merchant.id, "Viewer")));
  expect((await viewer("POST", `/invoices/${id}/write-off`, { reason: REASON })).status).toBe(403);
  expect((await viewer("PUT", "/book-settings", { write_off_limit: "1.00" })).status).toBe(403);
  const settle = await shop.settle({ invoice_id: id, amount: "1.00", mode: "Write-off" });
  expect(settle.status).toBe(400);
  expect(await shop.read(id)).toMatchObject({ due_amount: "5.00" });
  const cancelled = (await shop.add({}))["invoice_id"]!;
  await shop.cancel(cancelled);
  expect(refusal(await writeOff(cancelled))).toEqual([409, "invoice_cancelled"]);
});

test("a hundred at once write off once", async () => {
  const id = await bill("9.00");
  const answers = await Promise.all(Array.from({ length: 100 }, () => writeOff(id)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(answers.filter(({ status }) => status !== 200).map((each) => each.body.error.code))).toEqual(
    new Set(["invoice_already_paid"]),
  );
  expect(await trial("written_off")).toEqual(["9.00", "0.00"]);
  await sound();
});

test("a franchise earns nothing on it", async () => {
  const terms = { ...FRANCHISE_LEAST, commission_type: "Percentage", commission: "10" };
  const { body } = await shop.merchant.post("/api/v1/franchise/save", terms);
  const franchise_id = String(body.franchise_id);
  const id = await bill("10.00", { franchise_id });
  const accrued = async () =>
    (await call("GET", `/franchises/${franchise_id}`)).body.franchise.commission_accrued as string;
  const before = await accrued();
  expect((await writeOff(id)).status).toBe(200);
  expect(await accrued()).toBe(before);
  await sound();
});
