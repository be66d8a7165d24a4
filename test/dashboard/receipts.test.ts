// Receipts by API: docs/rules/receipts.md
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

type Body = Answer["body"];

const PAID = { date: "2026-07-01", mode: "NEFT", bank_ref_no: "UTR7788" };

let site: Installation;
let shop: Invoices;
let owner: Browser;
let call: Raw;
let customer_id: string;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  shop = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  call = rawOf(site, owner);
  customer_id = await customerId("C1");
});
afterAll(() => site?.stop());

async function customerId(code: string): Promise<string> {
  const { body } = await call("GET", "/customers");
  return body.customers.find((each: Body) => each.customer_code === code).customer_id;
}

/** An invoice of 100.00, due on a day of June. */
async function bill(day: number, members: object = {}): Promise<string> {
  return (await shop.add({ due_date: `2026-06-${day}`, ...members }))["invoice_id"]!;
}
const record = (members: object): Promise<Answer> => call("POST", "/receipts", { customer_id, ...PAID, ...members });
async function recorded(members: object): Promise<Body> {
  const { status, body } = await record(members);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.receipt;
}
const at = (receipt: Body, rest = ""): string => `/receipts/${receipt.receipt_id}${rest}`;
const read = async (receipt: Body): Promise<Body> => (await call("GET", at(receipt))).body.receipt;
const due = async (...ids: string[]): Promise<string[]> =>
  Promise.all(ids.map(async (id) => (await shop.read(id))["due_amount"] as string));
const trial = async (account: string): Promise<string[]> => {
  const { body } = await call("GET", "/reports/trial-balance");
  const { debit, credit } = body.accounts.find((each: Body) => each.account === account);
  return [debit, credit];
};
const refusal = ({ status, body }: Answer): unknown[] => [
  status,
  body.error.code,
  (body.error.fields ?? []).map(({ path }: Body) => path),
];
const sound = async () => expect(await site.findProblems()).toEqual([]);

describe("a receipt", () => {
  test("pays the customer's invoices, those due first in front, and keeps the rest as an advance", async () => {
    const ids = [await bill(20), await bill(10), await bill(30)];
    const receipt = await recorded({ amount: "240.00", tds_amount: "10.00", tds_code: "1027", reference: "June" });
    expect(receipt).toMatchObject({
      receipt_number: expect.stringMatching(/^RCT-2627-0*1$/),
      status: "Recorded",
      customer_code: "C1",
      amount: "240.00",
      tds_amount: "10.00",
      used_amount: "250.00",
      advance_amount: "0.00",
      bank_ref_no: "UTR7788",
      reference: "June",
    });
    expect(receipt.allocations.map((each: Body) => [each.invoice_id, each.amount, each.tds_amount])).toEqual([
      [ids[1], "96.00", "4.00"],
      [ids[0], "96.00", "4.00"],
      [ids[2], "48.00", "2.00"],
    ]);
    expect(await due(...ids)).toEqual(["0.00", "0.00", "50.00"]);
    expect(await read(receipt)).toEqual(receipt);

    const more = await recorded({ amount: "80.00" });
    expect(more).toMatchObject({ used_amount: "50.00", advance_amount: "30.00" });
    expect(await trial("advances")).toEqual(["0.00", "30.00"]);
    expect(await trial("receivable")).toEqual(["0.00", "0.00"]);
    expect(await trial("tds_receivable")).toEqual(["10.00", "0.00"]);
    expect(await trial("bank")).toEqual(["320.00", "0.00"]);

    const later = await bill(25);
    const used = await call("POST", at(more, "/allocate"), { date: "2026-07-03" });
    expect(used.body.receipt).toMatchObject({ used_amount: "80.00", advance_amount: "0.00" });
    expect(used.body.receipt.allocations.at(-1)).toMatchObject({
      invoice_id: later,
      amount: "30.00",
      date: "2026-07-03",
    });
    expect(await due(later)).toEqual(["70.00"]);
    await sound();
  });

  test("pays what it is told to, in the order that is given", async () => {
    const ids = [await bill(20), await bill(10)];
    const receipt = await recorded({
      amount: "90.00",
      tds_amount: "10.00",
      tds_code: "1027",
      allocations: [{ invoice_id: ids[0], amount: "40.00", tds_amount: "5.00" }],
    });
    expect(receipt).toMatchObject({ used_amount: "45.00", advance_amount: "55.00" });
    expect(await due(...ids)).toEqual(["55.00", "100.00"]);
    expect(await recorded({ amount: "5.00", allocations: [] })).toMatchObject({
      allocations: [],
      advance_amount: "5.00",
    });
    const { body } = await call("GET", `/receipts?customer_id=${customer_id}&kind=with_advance`);
    expect(body.receipts.map((each: Body) => each.advance_amount)).toEqual(["5.00", "55.00"]);
    expect((await call("GET", "/receipts?customer_id=1")).body.receipts).toEqual([]);
    await sound();
  });

  test("is one voucher for Tally as an advance, a journal for each use, and a payment where money leaves", async () => {
    await bill(20);
    const receipt = await recorded({ amount: "150.00" });
    await call("POST", at(receipt, "/refund"), { ...PAID, amount: "20.00", bank_ref_no: "BACK1" });
    const { status, bytes } = await owner.getFile(
      "/reports/tally-vouchers.xml?from_date=2026-07-01&to_date=2026-07-01",
    );
    expect(status).toBe(200);
    const vouchers = [
      ...Buffer.from(bytes)
        .toString("utf8")
        .matchAll(/<VOUCHER .*?<\/VOUCHER>/g),
    ].map(([voucher]) => ({
      type: /VCHTYPE="(.*?)"/.exec(voucher)![1]!,
      bills: [...voucher.matchAll(/<BILLTYPE>(.*?)<\/BILLTYPE><AMOUNT>(.*?)</g)].map(
        ([, type, amount]) => `${type} ${amount}`,
      ),
    }));
    expect(vouchers.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      { type: "Journal", bills: ["Agst Ref 100.00", "Agst Ref -100.00"] },
      { type: "Payment", bills: ["Agst Ref -20.00"] },
      { type: "Receipt", bills: ["Advance 150.00"] },
    ]);
  });

  test("is one line of the customer's statement, and each posting is in the day book", async () => {
    await bill(20);
    const receipt = await recorded({ amount: "150.00" });
    await call("POST", at(receipt, "/refund"), { ...PAID, amount: "20.00", bank_ref_no: "BACK1" });
    const period = "from_date=2026-07-01&to_date=2026-07-01";
    const { body } = await call("GET", `/customers/${customer_id}/statement?${period}`);
    expect(body).toMatchObject({ opening_balance: "100.00", closing_balance: "-30.00" });
    const lines = body.lines.map((line: Body) => [line.voucher_type, line.number, line.reference, line.invoice_id]);
    expect(lines).toEqual([
      ["Receipt", receipt.receipt_number, "NEFT UTR7788", ""],
      ["Receipt refunded", receipt.receipt_number, "NEFT BACK1", ""],
    ]);
    const { body: book } = await call("GET", `/reports/day-book?${period}`);
    const entries = book.entries.map((each: Body) => [each.voucher_type, each.lines.map((line: Body) => line.account)]);
    expect(entries).toEqual([
      ["Receipt", ["bank", "advances"]],
      ["Receipt refunded", ["bank", "advances"]],
      ["Advance used", ["receivable", "advances"]],
    ]);
    await sound();
  });

  test("is recorded once under its key", async () => {
    await bill(20);
    const headers = { "idempotency-key": "receipt-key-1" };
    const sent = { customer_id, ...PAID, amount: "30.00" };
    const answers = await Promise.all([1, 2, 3].map(() => call("POST", "/receipts", sent, headers)));
    expect(new Set(answers.map(({ body }) => body.receipt.receipt_id)).size).toBe(1);
    expect((await call("GET", "/receipts")).body.receipts).toHaveLength(1);
  });

  test("a hundred at once over the same invoices use no more than is due, and each paisa once", async () => {
    const ids = await Promise.all([11, 12, 13, 14, 15].map((day) => bill(day)));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, place) =>
        place % 2 === 0
          ? record({ amount: "7.00" })
          : record({ amount: "7.00", allocations: [{ invoice_id: ids[place % 5], amount: "7.00" }] }),
      ),
    );
    const taken = answers.filter(({ status }) => status === 200).length;
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer.status).toBeLessThan(500);
    expect(taken).toBeGreaterThanOrEqual(72);
    expect(await due(...ids)).toEqual(ids.map(() => "0.00"));
    expect(await trial("advances")).toEqual(["0.00", `${taken * 7 - 500}.00`]);
    const { rows } = await site.pool.query<{ number: string }>(
      "select right(receipt_number, 5) as number from receipt where merchant_id = $1 order by receipt_number",
      [shop.merchant.id],
    );
    expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_, place) => place + 1));
    await sound();
  });
});

describe("taking back", () => {
  test("a reversal of the receipt makes every invoice due again", async () => {
    const ids = [await bill(10), await bill(20)];
    const receipt = await recorded({ amount: "250.00" });
    const { body } = await call("POST", at(receipt, "/reverse"), { reason: "Cheque bounced" });
    expect(body.receipt).toMatchObject({
      status: "Reversed",
      reversal_reason: "Cheque bounced",
      used_amount: "0.00",
      advance_amount: "0.00",
      allocations: [{ status: "Reversed" }, { status: "Reversed" }],
    });
    expect(await due(...ids)).toEqual(["100.00", "100.00"]);
    for (const account of ["advances", "bank"]) expect(await trial(account)).toEqual(["0.00", "0.00"]);
    for (const [path, sent] of [
      ["/reverse", { reason: "Again" }],
      ["/allocate", {}],
      ["/refund", { ...PAID, amount: "1.00" }],
    ] as const) {
      expect(refusal(await call("POST", at(receipt, path), sent))).toEqual([409, "receipt_reversed", []]);
    }
    await sound();
  });

  test("a reversal of one allocation gives its amount back to the advance", async () => {
    const ids = [await bill(10), await bill(20)];
    const receipt = await recorded({ amount: "150.00", tds_amount: "15.00" });
    const { transaction_id } = receipt.allocations[0];
    const url = `/invoices/${ids[0]}/payments/${transaction_id}/reverse`;
    expect((await call("POST", url, { reason: "Wrong invoice" })).status).toBe(200);
    expect(await read(receipt)).toMatchObject({ used_amount: "65.00", advance_amount: "100.00", status: "Recorded" });
    expect(await due(...ids)).toEqual(["100.00", "35.00"]);
    expect(await trial("bank")).toEqual(["150.00", "0.00"]);
    await call("POST", at(receipt, "/allocate"), { allocations: [{ invoice_id: ids[1], amount: "35.00" }] });
    expect(await due(...ids)).toEqual(["100.00", "0.00"]);
    await sound();
    await call("POST", at(receipt, "/reverse"), { reason: "Cheque bounced" });
    expect(await due(...ids)).toEqual(["100.00", "100.00"]);
    await sound();
  });

  test("an advance is given back, as far as money is left, and then the receipt stays", async () => {
    await bill(10);
    const receipt = await recorded({ amount: "150.00", tds_amount: "10.00" });
    const back = { date: "2026-07-02", mode: "Cash", cash_paid_to: "Asha" };
    expect(refusal(await call("POST", at(receipt, "/refund"), { ...back, amount: "60.00" }))).toEqual([
      422,
      "receipt_exceeded",
      ["amount"],
    ]);
    expect(
      refusal(await call("POST", at(receipt, "/refund"), { ...back, amount: "1.00", date: "2026-06-30" })),
    ).toEqual([400, "validation_failed", ["date"]]);
    const { body } = await call("POST", at(receipt, "/refund"), { ...back, amount: "50.00" });
    expect(body.receipt).toMatchObject({
      refunded_amount: "50.00",
      refunds: [{ amount: "50.00", cash_paid_to: "Asha" }],
    });
    expect(await trial("cash")).toEqual(["0.00", "50.00"]);
    expect(refusal(await call("POST", at(receipt, "/reverse"), { reason: "Bounced" }))).toEqual([
      409,
      "receipt_refunded",
      [],
    ]);
    await sound();
  });
});

describe("bad input", () => {
  test("is refused by the name of the field, and changes nothing", async () => {
    const [open, cancelled] = [await bill(10), await bill(11)];
    await shop.cancel(cancelled);
    await shop.addCustomer({ customer_code: "C2", customer_name: "Vikram" });
    const theirs = await bill(12, { customer_code: "C2" });
    const other = await Invoices.ofNewMerchant(site);
    const foreign = (await other.add())["invoice_id"];
    const to = (...allocations: object[]) => ({ amount: "500.00", allocations });
    for (const [sent, refused] of [
      [{ amount: "0.00" }, [400, "validation_failed", ["amount"]]],
      [{ amount: "5.00", mode: "Gold" }, [400, "validation_failed", ["mode"]]],
      [{ amount: "5.00", date: "2026-02-30" }, [400, "validation_failed", ["date"]]],
      [{ amount: "5.00", tds_code: "1027" }, [400, "validation_failed", ["tds_amount"]]],
      [{ amount: "5.00", customer_id: "7" }, [404, "customer_not_found", ["customer_id"]]],
      [to({ invoice_id: open, amount: "100.01" }), [422, "settlement_exceeds_due", ["allocations[0].amount"]]],
      [to({ invoice_id: cancelled, amount: "1.00" }), [409, "invoice_cancelled", ["allocations[0].invoice_id"]]],
      [to({ invoice_id: theirs, amount: "1.00" }), [404, "invoice_not_found", ["allocations[0].invoice_id"]]],
      [to({ invoice_id: foreign, amount: "1.00" }), [404, "invoice_not_found", ["allocations[0].invoice_id"]]],
      [
        to({ invoice_id: open, amount: "1.00" }, { invoice_id: open, amount: "1.00" }),
        [400, "validation_failed", ["allocations[1].invoice_id"]],
      ],
      [
        { amount: "50.00", allocations: [{ invoice_id: open, amount: "50.01" }] },
        [422, "receipt_exceeded", ["allocations[0].amount"]],
      ],
      [
        { amount: "50.00", allocations: [{ invoice_id: open, amount: "50.00", tds_amount: "1.00" }] },
        [422, "receipt_exceeded", ["allocations[0].tds_amount"]],
      ],
    ] as const) {
      expect(refusal(await shop.unmoved(() => record(sent))), JSON.stringify(sent)).toEqual(refused);
    }
    const { body } = await record({ amount: "5.00", date: "2090-01-01" });
    expect(body.warnings).toMatchObject([{ field: "date" }]);
  });

  test("another merchant's receipt is not found", async () => {
    const receipt = await recorded({ amount: "10.00" });
    const other = await Invoices.ofNewMerchant(site);
    const outside = rawOf(site, await Browser.signIn(site, await newPerson(site, other.merchant.id)));
    for (const [method, path, sent] of [
      ["GET", "", undefined],
      ["POST", "/allocate", {}],
      ["POST", "/refund", { ...PAID, amount: "1.00" }],
      ["POST", "/reverse", { reason: "Mine" }],
    ] as const) {
      expect(refusal(await outside(method, at(receipt, path), sent))).toEqual([404, "receipt_not_found", []]);
    }
    expect(refusal(await outside("POST", "/receipts", { customer_id, ...PAID, amount: "5.00" }))).toEqual([
      404,
      "customer_not_found",
      ["customer_id"],
    ]);
    expect(refusal(await call("POST", at(receipt, "/allocate"), {}))).toEqual([422, "receipt_exceeded", []]);
    expect(await read(receipt)).toMatchObject({ advance_amount: "10.00" });
  });
});

test("a merchant without a template is asked to make one first", async () => {
  const bare = await site.newMerchant();
  const theirs = rawOf(site, await Browser.signIn(site, await newPerson(site, bare.id)));
  const made = await theirs("POST", "/customers", { customer_code: "C1", customer_name: "Asha Rao" });
  const answer = await theirs("POST", "/receipts", { customer_id: made.body.customer_id, ...PAID, amount: "10.00" });
  expect(answer).toMatchObject({ status: 404, body: { error: { code: "template_not_found" } } });
});
