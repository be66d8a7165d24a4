// Settling invoices over real HTTP, and the commission that it earns a franchise. Reversing is the command line's.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_SETTLE, Invoices, PAYMENT } from "../support/invoices.ts";
import { nodalJson } from "../support/nodal.ts";

const DETAILS = { bank_name: "SBI", bank_ref_no: "UTR001", cheque_no: "000123", cash_paid_to: "Asha" };

let installation: Installation;
let invoices: Invoices;

beforeAll(async () => {
  installation = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(installation);
  await invoices.addCustomer({ customer_code: "C2", customer_name: "Rajeev Kumar", email: "rajeev@example.com" });
});
afterAll(() => installation.stop());

describe("settle", () => {
  test("takes every field, and answers with what was recorded", async () => {
    const { invoice_id } = await invoices.add({ customer_code: "C2" });
    const empty = { bank_name: "", bank_ref_no: "", cheque_no: "", cash_paid_to: "", notify: "0" };
    const payment = { invoice_id, paid_date: "2026-06-10", amount: "100.00", mode: "Online", ...empty };
    const answer = await invoices.ask(INVOICE_SETTLE, payment);
    expect(answer).toBeSuccess("write");
    expect(answer.body.srvrsp).toStrictEqual({
      invoice_id,
      code: "C2",
      transaction_id: expect.stringMatching(/^[0-9]+$/) as string,
      paid_date: "2026-06-10",
      patron_name: "Rajeev Kumar",
      email_id: "rajeev@example.com",
      amount: "100.00",
      status: "Paid offline",
      paid_amount: "100.00",
      due_amount: "0.00",
    });
  });

  test.each(["Online", "Cash", "Cheque", "NEFT", "RTGS", "IMPS", "UPI", "Card"])("takes the mode %s", async (mode) => {
    const { invoice_id } = await invoices.add();
    const answer = await invoices.settle({ invoice_id, amount: 100, mode, ...DETAILS });
    expect(answer.body.srvrsp).toMatchObject({ status: "Paid offline" });
    const settlement = { mode, amount: "100.00", paid_date: PAYMENT.paid_date, status: "Recorded", ...DETAILS };
    expect(await invoices.read(invoice_id)).toMatchObject({ status: "Paid offline", settlements: [settlement] });
  });

  test("adds partial payments up, in numbers and strings, to the last paisa", async () => {
    const { invoice_id } = await invoices.add();
    const paid = async (amount: unknown, paid_date: string) => {
      const answer = await invoices.settle({ invoice_id, amount, paid_date });
      const { status, amount: taken, paid_amount, due_amount } = answer.body.srvrsp as Record<string, string>;
      return [status, taken, paid_amount, due_amount];
    };
    expect(await paid("0.01", "2026-06-20")).toEqual(["Partially paid", "0.01", "0.01", "99.99"]);
    expect(await paid(33.3, "2026-06-05")).toEqual(["Partially paid", "33.30", "33.31", "66.69"]);
    expect(await paid("66.68", "2026-06-10")).toEqual(["Partially paid", "66.68", "99.99", "0.01"]);
    expect(await paid("0.01", "2026-06-11")).toEqual(["Paid offline", "0.01", "100.00", "0.00"]);
    const { settlements, ...detail } = await invoices.read(invoice_id);
    expect((settlements as Members[]).map(({ amount }) => amount)).toEqual(["0.01", "33.30", "66.68", "0.01"]);
    expect(detail).toMatchObject({ paid_amount: "100.00", due_amount: "0.00", due: 0 });
  });

  test("counts the invoice on the latest day it was paid on", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const { invoice_id } = await mine.add();
    for (const paid_date of ["2026-06-20", "2026-06-05"]) await mine.settle({ invoice_id, amount: "1", paid_date });
    const on = async (date: string) => {
      const { body } = await mine.list({ filter_by: "paid_date", from_date: date, to_date: date });
      return body.total_records as number;
    };
    expect([await on("2026-06-05"), await on("2026-06-20")]).toEqual([0, 1]);
  });

  test("refuses more than is due, and says how much that is", async () => {
    const { invoice_id } = await invoices.add();
    const fields = ["amount settlement_exceeds_due"];
    const code = "settlement_exceeds_due";
    expect(await invoices.unmoved(() => invoices.settle({ invoice_id, amount: "100.01" }))).toBeFailure({
      status: 422,
      code,
      fields,
    });
    await invoices.pay(invoice_id, "60");
    expect(await invoices.unmoved(() => invoices.settle({ invoice_id, amount: "40.01" }))).toBeFailure({
      status: 422,
      code,
      fields,
    });
    expect((await invoices.settle({ invoice_id, amount: "50" })).body.errmsg).toContain("40.00");
  });

  test("refuses what is paid already, also where nothing was ever due", async () => {
    const { invoice_id } = await invoices.add();
    await invoices.pay(invoice_id, "100.00");
    expect(await invoices.unmoved(() => invoices.settle({ invoice_id, amount: "0.01" }))).toBeFailure({
      status: 409,
      code: "invoice_already_paid",
    });
    const free = await invoices.add({ particular_rows: [{ total_amount: "0.00" }] });
    const pay = () => invoices.settle({ invoice_id: free["invoice_id"], amount: "1" });
    expect(await invoices.unmoved(pay)).toBeFailure({ status: 409, code: "invoice_already_paid" });
  });

  test.each<[Members, string[]]>([
    [{ amount: "0" }, ["amount invalid"]],
    [{ amount: "-1" }, ["amount invalid"]],
    [{ amount: "1.005", mode: "Barter" }, ["amount invalid", "mode not_allowed"]],
    [{ mode: "online", paid_date: "2026-06-31" }, ["mode not_allowed", "paid_date invalid"]],
    [{ amount: "", mode: "", paid_date: "" }, ["amount required", "mode required", "paid_date required"]],
    [{ notify: "2", bank_ref_no: "x".repeat(51) }, ["notify not_allowed", "bank_ref_no too_long"]],
  ])("refuses %j, with all that is wrong", async (fault, fields) => {
    const { invoice_id } = await invoices.add();
    const settle = () => invoices.settle({ invoice_id, amount: "1", ...fault });
    expect(await invoices.unmoved(settle)).toBeFailure({ status: 400, code: "validation_failed", fields });
  });

  test("writes a receipt for the customer only where one is wanted", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const { invoice_id } = await mine.add();
    for (const notify of ["1", 1, "0", 0, ""]) await mine.settle({ invoice_id, amount: "1", notify });
    const { rows } = await installation.pool.query(
      `select kind, count(*)::int from notification
       join settlement on settlement.bucket = notification.bucket and settlement.merchant_id = notification.merchant_id and settlement_id = subject_id
       where notification.merchant_id = $1 group by kind`,
      [mine.merchant.id],
    );
    expect(rows).toEqual([{ kind: "receipt", count: 2 }]);
  });

  test("lets one of ten full payments at once pass, and of partial ones as many as fit", async () => {
    const at = async (amount: string, count: number) => {
      const { invoice_id } = await invoices.add();
      const settle = () => invoices.settle({ invoice_id, amount });
      const answers = await Promise.all(Array.from({ length: count }, settle));
      return answers.map(({ status }) => status).toSorted((a, b) => a - b);
    };
    expect(await at("100.00", 10)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect(await at("30.00", 6)).toEqual([200, 200, 200, 422, 422, 422]);
  });

  test("twice the same is two payments, but with an Idempotency-Key it is one, answered as at first", async () => {
    const { invoice_id } = await invoices.add();
    await invoices.settle({ invoice_id, amount: "10.00" });
    await invoices.settle({ invoice_id, amount: "10.00" });
    expect(await invoices.read(invoice_id)).toMatchObject({ paid_amount: "20.00" });
    const headers = { "idempotency-key": "settle-1" };
    const settle = () => invoices.settle({ invoice_id, amount: "30.00" }, headers);
    const [first] = await Promise.all([settle(), settle(), settle()]);
    await invoices.pay(invoice_id, "50.00");
    const again = await settle();
    expect(again.body.srvrsp).toEqual(first.body.srvrsp);
    expect(again.body.srvrsp).toMatchObject({ status: "Partially paid", paid_amount: "50.00", due_amount: "50.00" });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = () => invoices.settle({ invoice_id, amount: "31.00" }, headers);
    expect(await invoices.unmoved(other)).toBeFailure({ status: 409, code: "idempotency_conflict" });
  });
});

describe("a commission", () => {
  const FRANCHISE = {
    franchise_name: "Pune Branch",
    contact_person_name: "Meera Shah",
    email_id: "pune@example.com",
    mobile: "9876543210",
    settlement_type: "Manual",
  };
  const TAXED = [{ item: "Work", gst: "18", total_amount: "1000.00" }];

  async function addFranchise(terms: Members): Promise<string> {
    const answer = await invoices.merchant.post("/api/v1/franchise/save", { ...FRANCHISE, ...terms });
    expect(answer.status).toBe(200);
    return answer.body.franchise_id as string;
  }

  async function shown(franchise: string): Promise<unknown[]> {
    const merchant = ["--merchant", invoices.merchant.id, "--franchise", franchise];
    const state = await nodalJson<Record<string, string>>(installation.environment, "franchise", "show", ...merchant);
    return [state["commission_accrued"], state["commission_paid"], state["commission_due"]];
  }

  test("that is a percentage is earned on the taxable part of each payment", async () => {
    const terms = { franchise_code: "P", commission_type: "Percentage", commission: "7.5" };
    const franchise_id = await addFranchise(terms);
    const { invoice_id } = await invoices.add({ franchise_id, particular_rows: TAXED });
    const other = await invoices.add({ particular_rows: TAXED });
    await invoices.pay(other["invoice_id"], "1180.00");
    expect(await shown(franchise_id)).toEqual(["0.00", "0.00", "0.00"]);
    await invoices.pay(invoice_id, "590.00");
    expect(await shown(franchise_id)).toEqual(["37.50", "0.00", "37.50"]);
    await invoices.pay(invoice_id, "0.10");
    expect(await shown(franchise_id)).toEqual(["37.51", "0.00", "37.51"]);
    await invoices.pay(invoice_id, "589.90");
    expect(await shown(franchise_id)).toEqual(["75.00", "0.00", "75.00"]);
  });

  test("that is fixed is earned once, with the payment that completes the invoice", async () => {
    const terms = { franchise_code: "F", commission_type: "Fixed", commission: 25 };
    const franchise_id = await addFranchise(terms);
    const { invoice_id } = await invoices.add({ franchise_id, particular_rows: TAXED });
    await invoices.pay(invoice_id, "1179.99");
    expect(await shown(franchise_id)).toEqual(["0.00", "0.00", "0.00"]);
    await invoices.pay(invoice_id, "0.01");
    expect(await shown(franchise_id)).toEqual(["25.00", "0.00", "25.00"]);
  });

  test("goes to the franchise that the invoice has when it is paid, and is earned by many payments at once", async () => {
    const terms = { commission_type: "Percentage", commission: 10 };
    const [first, second] = [
      await addFranchise({ ...terms, franchise_code: "M1" }),
      await addFranchise({ ...terms, franchise_code: "M2" }),
    ];
    const { invoice_id } = await invoices.add({ franchise_id: first });
    await invoices.update(invoice_id, { franchise_id: second });
    const payments = Array.from({ length: 10 }, () => invoices.settle({ invoice_id, amount: "10.00" }));
    for (const answer of await Promise.all(payments)) expect(answer).toBeSuccess("write");
    expect(await shown(first)).toEqual(["0.00", "0.00", "0.00"]);
    expect(await shown(second)).toEqual(["10.00", "0.00", "10.00"]);
    const moved = await invoices.add({ franchise_id: second });
    await invoices.update(moved["invoice_id"], { franchise_id: "0" });
    await invoices.pay(moved["invoice_id"], "100.00");
    expect(await shown(second)).toEqual(["10.00", "0.00", "10.00"]);
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
