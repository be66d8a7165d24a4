// Ten thousand documents of three merchants, saved, changed, credited by line and cancelled at the same time: documents, the tax
// register, its lines and the reports agree to the paisa. docs/rules/tax-register.md
import { afterAll, beforeAll, expect, test } from "vitest";
import { INVOICE_CHECKS } from "../src/invoices/index.ts";
import { verify } from "../src/payouts/verify/verify.ts";
import { chooseSeed } from "./crash/seed.ts";
import { seededRandom } from "./crash/load.ts";
import { Browser, newPerson } from "./support/dashboard.ts";
import { Installation, type Members } from "./support/installation.ts";
import { Invoices } from "./support/invoices.ts";

const DOCUMENTS = 10_000;
const BATCH = 50;
const WORKERS = 6;
const YEAR = "from_date=2026-04-01&to_date=2027-03-31";
const GSTINS = { Karnataka: "29AAACI1234K1ZN", Chandigarh: "04AAACI1234K1ZZ", Kerala: "32AAACI1234K1Z0" };
const HEADS = ["taxable", "igst", "cgst", "sgst", "cess"] as const;
type Sums = Readonly<Record<(typeof HEADS)[number], bigint>>;

let site: Installation;
let shops: readonly Shop[];
type Shop = { readonly invoices: Invoices; readonly owner: Browser };

beforeAll(async () => {
  site = await Installation.start();
  shops = await Promise.all(
    Object.entries(GSTINS).map(async ([state, gstin], index): Promise<Shop> => {
      const lut = index === 0 ? { lutNumber: "AD290326000001A", lutFrom: "2026-04-01", lutTo: "2027-03-31" } : {};
      const invoices = await Invoices.ofNewMerchant(site, { state, gstin, ...lut });
      for (const home of ["Karnataka", "Chandigarh", "Kerala", "Delhi"]) {
        await invoices.addCustomer({ customer_code: home, customer_name: `Shop in ${home}`, state: home });
      }
      const abroad = { customer_code: "ABROAD", customer_name: "Abroad", gst_category: "overseas" };
      await invoices.addCustomer({ ...abroad, state: "Other country", country: "Germany" });
      return { invoices, owner: await Browser.signIn(site, await newPerson(site, invoices.merchant.id)) };
    }),
  );
});
afterAll(() => site?.stop());

type Dice = (limit: number) => number;

function pick<T>(roll: Dice, values: readonly T[]): T {
  return values[roll(values.length)]!;
}

function randomRow(roll: Dice): Members {
  const base = { item: `Item ${roll(9)}`, sac_code: pick(roll, ["998311", "8471", "1006", "6907"]) };
  const rates = { gst: pick(roll, ["0", "5", "18", "40"]), cess_percentage: pick(roll, ["", "", "", "12"]) };
  const rupees = (limit: number) => `${roll(limit)}.${String(1 + roll(99)).padStart(2, "0")}`;
  const price = {
    quantity: `${1 + roll(20)}.${roll(1000).toString().padStart(3, "0")}`,
    unit: pick(roll, ["NOS", "KGS", "SQM", ""]),
    unit_price: rupees(2000),
    discount: pick(roll, ["", "", "10%", "0.01"]),
  };
  switch (roll(5)) {
    case 0:
      return { ...base, tax_treatment: pick(roll, ["nil", "exempt", "non_gst"]), total_amount: rupees(5000) };
    case 1:
      return { ...base, ...rates, total_amount: rupees(5000) };
    case 2:
      return { ...base, ...rates, ...price, price_includes_tax: "1" };
    default:
      return { ...base, ...rates, ...price };
  }
}

function randomInvoice(roll: Dice): Members {
  const day = new Date(Date.UTC(2026, 3, 1 + roll(200))).toISOString().slice(0, 10);
  return {
    customer_code: pick(roll, ["Karnataka", "Chandigarh", "Kerala", "Delhi", "ABROAD"]),
    bill_date: day,
    due_date: "2027-03-31",
    particular_rows: Array.from({ length: 1 + roll(4) }, () => randomRow(roll)),
    round_off: pick(roll, ["", "1"]),
  };
}

/** Saves a batch, and then changes, credits and cancels some of it, also two things at once. What is refused is refused. */
async function live({ invoices, owner }: Shop, roll: Dice): Promise<void> {
  const sent = Array.from({ length: BATCH }, () => randomInvoice(roll));
  const saved = await invoices.save(sent);
  if (saved.status !== 200) throw new Error(JSON.stringify(saved.body));
  const ids = (saved.body.srvrsp as { invoice_id: string }[]).map(({ invoice_id: id }) => id);
  for (const [index, id] of ids.entries()) {
    const count = (sent[index]!["particular_rows"] as unknown[]).length;
    const change = () => invoices.update(id, { particular_rows: [randomRow(roll), randomRow(roll)] });
    const credit = () => {
      const amount = `${1 + roll(500)}.${roll(90) + 10}`;
      const row = { row: 1 + roll(count), ...(roll(2) === 0 ? { quantity: "0.5" } : { amount }) };
      return owner.post("/credit-notes", { invoice_id: id, reason: "Returned", rows: [row] });
    };
    const debit = () => {
      const row = { row: 1 + roll(count), amount: `${1 + roll(500)}.${roll(90) + 10}` };
      return owner.post("/debit-notes", { invoice_id: id, reason: "Price raised", rows: [row] });
    };
    const acts: readonly (readonly (() => Promise<unknown>)[])[] = [
      [change],
      [() => invoices.cancel(id)],
      [credit, credit],
      [change, () => invoices.cancel(id)],
      [credit, change],
      [debit, debit],
    ];
    for (const act of acts[roll(25)] ?? []) if (roll(2) === 0) await act();
    await Promise.all((acts[roll(25)] ?? []).map((act) => act()));
  }
}

/** What the documents say of themselves. */
const OF_DOCUMENTS = `with document as (
    select invoice_id as id, 1 as sign, content from invoice
      where merchant_id = $1 and not (status = 'Cancelled' and credited_paise = 0)
    union all select credit_note_id, -1, content from credit_note where merchant_id = $1
  ), tax as (
    select id, case tax ->> 'name' when 'UTGST' then 'sgst' else lower(tax ->> 'name') end as head,
      sign * (tax ->> 'amountPaise')::bigint as paise
    from document, jsonb_array_elements(content -> 'taxes') as tax
  ), summed as (
    select id, sign, (select sum((row ->> 'amountPaise')::bigint) from jsonb_array_elements(content -> 'rows') as row) * sign as taxable
    from document
  )
  select id, taxable::text as taxable, ${["igst", "cgst", "sgst", "cess"]
    .map(
      (head) =>
        `(select coalesce(sum(paise), 0) from tax where tax.id = summed.id and head = '${head}')::text as ${head}`,
    )
    .join(", ")}
  from summed order by id`;

/** What the lines of the register say of the same documents. */
const OF_LINES = `with signed as (
    select document_id as id, case kind when 'credit_note' then -1 else 1 end as sign, lines from gst_document
    where merchant_id = $1 and is_current and cancelled_at is null
  )
  select id, ${HEADS.map((head) => `sum(sign * ${head}_paise)::text as ${head}`).join(", ")}
  from signed, unnest(lines) group by id order by id`;

type OfDocument = Readonly<Record<"id" | keyof Sums, string | bigint>>;

async function read(sql: string, { invoices }: Shop): Promise<OfDocument[]> {
  return (await site.pool.query<OfDocument>(sql, [invoices.merchant.id])).rows;
}

function sumOf(rows: readonly Readonly<Record<string, unknown>>[], nameOf: (head: keyof Sums) => string): Sums {
  const paise = (value: unknown): bigint => BigInt(String(value).replace(".", ""));
  const entries = HEADS.map((head) => [head, rows.reduce((sum, row) => sum + paise(row[nameOf(head)]), 0n)]);
  return Object.fromEntries(entries) as Sums;
}

const asReported = (head: keyof Sums): string => (head === "taxable" ? "taxable_value" : head);

test("documents, register, lines and reports agree", async () => {
  const seed = chooseSeed("tax-register");
  const batches = Array.from({ length: DOCUMENTS / BATCH }, (_, index) => index).values();
  const work = async (): Promise<void> => {
    for (const batch of batches) {
      const random = seededRandom(seed + batch);
      await live(shops[batch % shops.length]!, (limit) => Math.floor(random() * limit));
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  for (const shop of shops) {
    const { owner } = shop;
    const [documents, lines] = await Promise.all([read(OF_DOCUMENTS, shop), read(OF_LINES, shop)]);
    expect(documents.length).toBeGreaterThan(DOCUMENTS / 4);
    expect(lines).toEqual(documents);
    const expected = sumOf(documents, (head) => head);
    const report = async (name: string) =>
      (await owner.get(`/reports/${name}?${YEAR}`)).body as unknown as Record<string, Members[]>;
    const register = await report("sales-register");
    expect(sumOf([register["totals"] as unknown as Members], asReported)).toEqual(expected);
    expect(sumOf((await report("tax-summary"))["rates"]!, asReported)).toEqual(expected);
    const hsn = await report("hsn-summary");
    expect(sumOf([...hsn["b2b"]!, ...hsn["b2c"]!], asReported)).toEqual(expected);
    const { series } = (await report("document-series")) as unknown as { series: { net: number; missing: number }[] };
    expect(series.reduce((sum, { net }) => sum + net, 0)).toBe(documents.length);
    expect(series.reduce((sum, { missing }) => sum + missing, 0)).toBe(0);
  }
  const { violations } = await verify(site.pool, null, INVOICE_CHECKS);
  expect(violations).toEqual([]);
});
