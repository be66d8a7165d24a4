// The dashboard's list of invoices by amounts and by search texts, against a plain filter of the same; uploads as they
// are typed. The order of lists, their totals, and who sees which are in invoices.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

type Listed = {
  readonly invoice_id: string;
  readonly invoice_number: string;
  readonly status: string;
  readonly amount: string;
};
type Page = { readonly invoices: Listed[]; readonly next: string | null };

let site: Installation;
let invoices: Invoices;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const batch = Array.from({ length: 60 }, (_, index) => ({
    customer_code: "C1",
    bill_date: `2026-0${(index % 5) + 1}-1${index % 4}`,
    due_date: `2026-0${(index % 4) + 6}-0${(index % 7) + 1}`,
    particular_rows: [{ item: "Work", total_amount: `${100 + index}.25` }],
  }));
  await invoices.save(batch);
});
afterAll(() => site?.stop());

/** The whole list, gone through in small pages. */
async function walk(query: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let after = ""; ;) {
    const { status, body } = await owner.get(`/invoices?limit=7&${query}${after}`);
    expect([query, status]).toEqual([query, 200]);
    const page = body as Page;
    all.push(...page.invoices);
    if (page.next === null) return all;
    after = `&after=${page.next}`;
  }
}

test.each([
  ["amount_from=120.25&amount_to=140.25", (paise: bigint) => paise >= 120_25n && paise <= 140_25n],
  ["amount_from=150.25&sort=due_date", (paise: bigint) => paise >= 150_25n],
  ["amount_to=110.25&status=Overdue&date=due_date", (paise: bigint) => paise <= 110_25n],
  ["search=133.25", (paise: bigint) => paise === 133_25n],
  ["search=%E2%82%B9%20133.25", (paise: bigint) => paise === 133_25n],
])("with %s has what amounts to that, and its totals", async (query, isMeant) => {
  const everything = await walk("");
  const isOverdue = query.includes("Overdue");
  const wanted = everything.filter(
    ({ amount, status }) => isMeant(BigInt(amount.replace(".", ""))) && (!isOverdue || status === "Overdue"),
  );
  const listed = await walk(query);
  const idsOf = (rows: Listed[]): string[] => rows.map(({ invoice_id }) => invoice_id).sort();
  expect(idsOf(listed)).toEqual(idsOf(wanted));
  expect(listed.length).toBeGreaterThan(0);
  expect((await owner.get(`/invoices/totals?${query}`)).body.totals).toMatchObject({ invoices: listed.length });
});

test("is searched by the end or a part of a number, and by the customer's mobile number as it is typed", async () => {
  const everything = await walk("");
  const number = everything[30]!.invoice_number;
  const found = async (text: string): Promise<unknown[]> =>
    (await walk(`search=${encodeURIComponent(text)}`)).map(({ invoice_number }) => invoice_number);
  expect(await found(number.toLowerCase())).toEqual([number]);
  expect(await found(number.slice(-4))).toContain(number);
  expect(await found(number.slice(1, -1))).toContain(number);
  expect(await found("98111 00222")).toEqual([]);
  await invoices.addCustomer({ customer_code: "C3", customer_name: "Meera", mobile: "9811100222" });
  const { invoice_number: ofMeera } = await invoices.add({ customer_code: "C3", bill_date: "2026-01-31" });
  expect(await found("+91 98111-00222")).toEqual([ofMeera]);
  expect((await owner.get("/customers?search=98111%2000222")).body.customers).toMatchObject([{ customer_code: "C3" }]);
  expect((await owner.get("/customers?search=C3")).body.customers).toMatchObject([{ customer_code: "C3" }]);
});

test("takes dates, phones and PIN codes as spreadsheets write them, and refuses a month before the day", async () => {
  const check = (csv: string) => owner.post("/invoice-files/preview", Buffer.from(csv), { "content-type": "text/csv" });
  type Checked = {
    problems: { line: number; column: string }[];
    batches: { key: string; invoices: object[] }[];
  };
  const csv = [
    "customer_code,customer_name,mobile,zipcode,bill_date,due_date,item,total_amount",
    "N7,Typed Customer,+91 98111-00777,560 001,01-11-2026,16/11/2026,Work,10.00",
    "C1,,,,11/16/2026,2026-12-16,Work,10.00",
  ].join("\r\n");
  const checked = (await check(csv)).body as unknown as Checked;
  expect(checked.problems.map(({ line, column }) => `${line} ${column}`)).toEqual(["3 bill_date"]);
  const [{ key, invoices: invoice }] = checked.batches as [Checked["batches"][number]];
  const answer = await owner.post("/invoices", { request_key: key, template_id: "", invoice });
  const [made] = answer.body.invoices as { invoice_id: string }[];
  expect(await invoices.read(made!.invoice_id)).toMatchObject({ bill_date: "2026-11-01", due_date: "2026-11-16" });
  const { customers } = (await owner.get("/customers?search=N7")).body as { customers: object[] };
  expect(customers).toMatchObject([{ mobile: "9811100777", zipcode: "560001" }]);
});
