// The search over everything through the dashboard's API: what a text finds, and that nobody finds what is not his to
// see. How it is used is test/browser/finding.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fundMerchant } from "../../src/ledger/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type Members } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

type Found = Readonly<Record<string, readonly Members[]>>;

const SOUTH = { email: "search.south@example.com", password: "a long password" };

let site: Installation;
let invoices: Invoices;
let owner: Browser;
let numbers: string[];
let utr: string;
let whole: string;
let franchiseId: string;

beforeAll(async () => {
  site = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  const { merchant } = invoices;
  const { bucket, merchantId } = await requireMerchant(site.pool, BigInt(merchant.id));
  const opening = { bucket, merchantId, amountPaise: 5_000_000n, reference: "opening" };
  await fundMerchant(site.pool, new IdSource(site.pool), opening);
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  await invoices.addCustomer({
    customer_code: "C2",
    customer_name: "Bharat Nair",
    mobile: "9876501234",
    email: "bharat@nair.example",
  });
  franchiseId = await saveFranchiseWithLogin(site, merchant, SOUTH, {
    franchise_code: "SOUTH",
    franchise_name: "Southern Star",
  });
  const batch = Array.from({ length: 12 }, (_, index) => ({
    customer_code: index % 2 === 0 ? "C1" : "C2",
    bill_date: "2026-06-01",
    due_date: "2026-06-15",
    franchise_id: index === 3 ? franchiseId : "0",
    particular_rows: [{ item: "Work", total_amount: `${1000 + index}.75` }],
  }));
  const answer = await invoices.save(batch);
  const made = answer.body.srvrsp as { invoice_id: string; invoice_number: string }[];
  numbers = made.map(({ invoice_number }) => invoice_number);
  await invoices.settle({ invoice_id: made[1]!.invoice_id, amount: "333.25", bank_ref_no: "NEFTIN77120" });
  const payee = await merchant.addBeneficiary({ ...GOOD_ACCOUNT, name: "Meera Shah", mobile: "9123456780" });
  await owner.post("/transfers", { beneficiary_id: payee, amount: "590.25", reference_id: "ORDER-7788" });
  await owner.post("/transfers", { beneficiary_id: payee, amount: "1500.00", reference_id: "WHOLE-RUPEES" });
  const rupees = { customer_code: "C1", bill_date: "2026-06-01", due_date: "2026-06-15" };
  const saved = await invoices.save([{ ...rupees, particular_rows: [{ item: "Work", total_amount: "1500" }] }]);
  whole = (saved.body.srvrsp as { invoice_number: string }[])[0]!.invoice_number;
  const { body } = await owner.get("/transfers?search=ORDER-7788");
  utr = (body.transfers as Members[])[0]!["utr"] as string;
});
afterAll(() => site?.stop());

async function find(text: string, as = owner): Promise<Found> {
  const { status, body } = await as.get(`/search?text=${encodeURIComponent(text)}`);
  expect(status).toBe(200);
  return body as Found;
}

/** The kinds of which something was found, with one member of each. */
async function names(text: string, as = owner): Promise<Record<string, unknown[]>> {
  const shown: Record<string, string> = {
    payouts: "reference_id",
    beneficiaries: "name",
    customers: "customer_name",
    invoices: "invoice_number",
    payments: "bank_ref_no",
    credit_notes: "credit_note_number",
    franchises: "franchise_name",
  };
  const found = Object.entries(await find(text, as)).filter(([, rows]) => rows.length > 0);
  return Object.fromEntries(found.map(([kind, rows]) => [kind, rows.map((row) => row[shown[kind]!])]));
}

describe("what is found", () => {
  test("an invoice by the end of its number, however many zeros it has, by its beginning and as a whole", async () => {
    const sixth = numbers[5]!;
    const digits = /[0-9]+$/.exec(sixth)![0];
    expect((await names(digits)).invoices).toEqual([sixth]);
    expect((await names(String(Number(digits)))).invoices).toContain(sixth);
    expect((await names(sixth.toLowerCase())).invoices).toEqual([sixth]);
    expect((await names(sixth.slice(0, -1))).invoices).toContain(sixth);
  });

  test.each([
    ["ORDER-77", { payouts: ["ORDER-7788"] }],
    ["590.25", { payouts: ["ORDER-7788"] }],
    ["₹ 590.25", { payouts: ["ORDER-7788"] }],
    ["NEFTIN77120", { payments: ["NEFTIN77120"] }],
    ["333.25", { payments: ["NEFTIN77120"] }],
    ["bharat", { customers: ["Bharat Nair"] }],
    ["C2", { customers: ["Bharat Nair"] }],
    ["+91 98765-01234", { customers: ["Bharat Nair"] }],
    ["098765 01234", { customers: ["Bharat Nair"] }],
    ["@nair.example", { customers: ["Bharat Nair"] }],
    ["meera", { beneficiaries: ["Meera Shah"] }],
    ["91234 56780", { beneficiaries: ["Meera Shah"] }],
    ["southern", { franchises: ["Southern Star"] }],
    ["nobody at all", {}],
    ["100%_", {}],
  ])("%s", async (text, wanted) => {
    expect(await names(text)).toEqual(wanted);
  });

  test("an invoice by its amount, as people write it", async () => {
    expect((await names("1,004.75")).invoices).toEqual([numbers[4]]);
  });

  test("a payout by its UTR or its id", async () => {
    expect((await names(utr)).payouts).toEqual(["ORDER-7788"]);
    const [payout] = (await find("ORDER-7788"))["payouts"]!;
    expect((await names(payout!["transfer_id"] as string)).payouts).toEqual(["ORDER-7788"]);
  });

  test("a beneficiary by the last digits of the account, which is shown by its end alone", async () => {
    const [found] = (await find(GOOD_ACCOUNT.account_number.slice(-4)))["beneficiaries"]!;
    expect(found!["name"]).toBe("Meera Shah");
    expect(JSON.stringify(found)).not.toContain(GOOD_ACCOUNT.account_number);
  });

  test("an amount without paise finds payouts and invoices of whole rupees", async () => {
    for (const text of ["1500", "1,500", "₹1500", "1500.00", "1500.0"]) {
      const found = await names(text);
      expect([found["payouts"], found["invoices"]], text).toEqual([["WHOLE-RUPEES"], [whole]]);
      const { body } = await owner.get(`/transfers?search=${encodeURIComponent(text)}`);
      expect(
        (body.transfers as Members[]).map((each) => each["reference_id"]),
        text,
      ).toEqual(["WHOLE-RUPEES"]);
      const { body: listed } = await owner.get(`/invoices?search=${encodeURIComponent(text)}`);
      expect(
        (listed.invoices as Members[]).map((each) => each["invoice_number"]),
        text,
      ).toEqual([whole]);
    }
  });

  const { account_number: account, ifsc } = GOOD_ACCOUNT;
  test.each([
    ["account and IFSC", `${account} ${ifsc}`],
    ["IFSC and account", `${ifsc} / ${account}`],
    ["IFSC in lower case", ifsc.toLowerCase()],
    ["the account alone", account],
    ["the account in groups", `${account.slice(0, 4)} ${account.slice(4, 8)}-${account.slice(8)}`],
  ])("a beneficiary and its payouts by %s", async (_, text) => {
    const found = await names(text);
    expect(found["beneficiaries"]).toEqual(["Meera Shah"]);
    expect(found["payouts"]).toEqual(expect.arrayContaining(["ORDER-7788", "WHOLE-RUPEES"]));
    const { body } = await owner.get(`/beneficiaries?search=${encodeURIComponent(text)}`);
    expect((body.beneficiaries as Members[]).map(({ name }) => name)).toEqual(["Meera Shah"]);
    const { body: listed } = await owner.get(`/transfers?search=${encodeURIComponent(text)}`);
    expect((listed.transfers as Members[]).length).toBe(2);
  });

  test("an account of another IFSC, and a part of an account, are no account", async () => {
    for (const text of [`${account} HDFC0000001`, account.slice(0, -1), "HDFC0000001"]) {
      expect((await names(text))["beneficiaries"], text).toBeUndefined();
    }
  });

  test("nothing is answered to no text, or to one that is too long", async () => {
    for (const text of ["", "%20", "x".repeat(101)]) {
      const { status, body } = await owner.get(`/search?text=${text}`);
      expect([status, body.code]).toEqual([400, "validation_failed"]);
    }
  });
});

describe("who finds what", () => {
  test("another merchant finds nothing of it", async () => {
    const other = await site.newMerchant();
    const stranger = await Browser.signIn(site, await newPerson(site, other.id));
    const { account_number: account, ifsc } = GOOD_ACCOUNT;
    for (const text of [numbers[5]!, "bharat", "meera", "southern", "ORDER-7788", utr, "333.25", account, ifsc]) {
      expect(await names(text, stranger)).toEqual({});
    }
  });

  test("a role finds what its pages show, and nothing else", async () => {
    await owner.post("/roles", { name: "Bills", permissions: ["invoices.view"] });
    const bills = await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Bills"));
    expect(await names(numbers[5]!, bills)).toEqual({ invoices: [numbers[5]] });
    for (const text of ["bharat", "meera", "southern", "ORDER-7788"]) expect(await names(text, bills)).toEqual({});
  });

  test("a franchise finds its own invoices and their customers", async () => {
    const own = await Browser.signIn(site, { ...SOUTH, merchant: invoices.merchant.id });
    expect(await names(numbers[3]!, own)).toEqual({ invoices: [numbers[3]] });
    expect(await names("bharat", own)).toEqual({ customers: ["Bharat Nair"] });
    for (const text of [numbers[5]!, "Asha", "meera", "southern", "ORDER-7788", "333.25"]) {
      expect(await names(text, own)).toEqual({});
    }
  });
});
