// Receipts from files: docs/rules/receipts.md#files
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

type Body = Answer["body"];

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

const HEAD = "Date,Customer Code,Amount,TDS,TDS code,Mode,UTR,Invoice numbers,Note";

/** An invoice of 100.00, due on a day of June. */
const bill = (day: number) => shop.add({ due_date: `2026-06-${day}` });
const ask = (lines: readonly string[], query = ""): Promise<Answer> =>
  owner.post(`/receipt-files/preview${query}`, Buffer.from(`${lines.join("\n")}\n`), { "content-type": "text/csv" });
async function check(lines: readonly string[], query = ""): Promise<Body> {
  const { status, body } = await ask(lines, query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
const importGood = (checked: Body, headers = {}): Promise<Answer> =>
  call("POST", "/receipts/batch", { receipt: checked.good.map(({ receipt }: Body) => receipt) }, headers);
const listed = async (): Promise<Body[]> => (await call("GET", "/receipts?limit=100")).body.receipts;
const due = async (...bills: Record<string, string>[]): Promise<string[]> =>
  Promise.all(bills.map(async ({ invoice_id }) => (await shop.read(invoice_id!))["due_amount"] as string));
const places = (notes: Body): unknown[] => notes.map(({ line, field }: Body) => [line, field]);
const sound = async () => expect(await site.findProblems()).toEqual([]);

test("a file is checked by line, and its good lines pay the named invoices, or those due first", async () => {
  const bills = [await bill(10), await bill(20), await bill(25)];
  const [first, second, third] = bills.map((each) => each["invoice_number"]!);
  const checked = await check(
    [
      HEAD,
      `01/07/2026,C1,"₹ 120.00",,,neft,UTR1,${third} ${second},For two`,
      `2 Jul 2026,C1,90,10,194C,UPI,UTR2,,`,
      `2026-07-03,C9,10,,,Cash,,,`,
      `2026-07-03,C1,10,,,Barter,,,`,
      `2026-07-03,C1,10,,194C,Cash,,NO-17,`,
      `2026-07-03,C1,0,,,Cash,,,`,
    ],
    "?date_order=day-first",
  );
  expect(checked).toMatchObject({ lines: 6, bad_lines: 4, good_amount: "210.00", recorded: [], ignored: [] });
  expect(places(checked.errors)).toEqual([
    [4, "customer_code"],
    [5, "mode"],
    [6, "tds_amount"],
    [6, "invoice_numbers"],
    [7, "amount"],
  ]);
  expect(checked.good).toMatchObject([
    { line: 2, receipt: { date: "2026-07-01", amount: "120.00", mode: "NEFT", reference: "For two" } },
    { line: 3, receipt: { date: "2026-07-02", tds_amount: "10" } },
  ]);
  expect(await listed()).toEqual([]);

  const { status, body } = await importGood(checked);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.outcomes).toMatchObject([
    { receipt_number: expect.stringMatching(/1$/) as string, recorded_before: false, error: null },
    { receipt_number: expect.stringMatching(/2$/) as string, recorded_before: false, error: null },
  ]);
  // The third invoice first, then 20.00 of the second; the other receipt pays the first.
  expect(await due(...bills)).toEqual(["0.00", "80.00", "0.00"]);
  expect(await listed()).toMatchObject([
    { amount: "90.00", tds_amount: "10.00", tds_code: "194C", bank_ref_no: "UTR2", advance_amount: "0.00" },
    { amount: "120.00", mode: "NEFT", bank_ref_no: "UTR1", reference: "For two" },
  ]);
  expect(first).not.toBe(second);
  await sound();
});

test("a file that is imported again records nothing twice, also when it was corrected, and a reversed receipt once more", async () => {
  const lines = ["2026-07-01,C1,40,,,Cash,,,", "2026-07-01,C1,40,,,Cash,,,", "2026-07-02,C1,5,,,NEFT,U1,,"];
  const bad = "2026-07-02,C9,5,,,NEFT,U2,,";
  await importGood(await check([HEAD, ...lines, bad]));
  expect(await listed()).toHaveLength(3);

  const again = await check([HEAD, bad.replace("C9", "C1"), ...lines.toReversed()]);
  expect(again).toMatchObject({ lines: 4, bad_lines: 0, good: [{ line: 2, receipt: { bank_ref_no: "U2" } }] });
  expect(again.recorded.map(({ line }: Body) => line)).toEqual([3, 4, 5]);
  await importGood(again);
  expect(await listed()).toHaveLength(4);

  const [newest] = again.recorded;
  const reversed = await call("POST", `/receipts/${newest.receipt_id}/reverse`, { reason: "Bounced" });
  expect(reversed.status).toBe(200);
  const third = await check([HEAD, ...lines]);
  expect(third.good).toMatchObject([{ line: 4, receipt: { bank_ref_no: "U1" } }]);
  await importGood(third);
  expect((await listed()).map(({ status }) => status)).toEqual([
    "Recorded",
    "Recorded",
    "Reversed",
    "Recorded",
    "Recorded",
  ]);
  await sound();
});

test("a hundred at once, each sent several times at once, are recorded once and pay each invoice once", async () => {
  const bills = await Promise.all(Array.from({ length: 5 }, (_, place) => bill(10 + place)));
  const lines = Array.from({ length: 100 }, (_, place) => `2026-07-01,C1,6.00,,,UPI,REF${place},,`);
  const checked = await check([HEAD, ...lines]);
  const good = checked.good.map(({ receipt }: Body) => receipt) as object[];
  const parts = Array.from({ length: 10 }, (_, part) => good.slice(part * 10, part * 10 + 10));
  const answers = await Promise.all(
    [...parts, ...parts.toReversed(), ...parts].map((receipt) => call("POST", "/receipts/batch", { receipt })),
  );
  const outcomes = answers.flatMap(({ body }) => body.outcomes as Body[]);
  expect(outcomes.filter(({ error }) => error !== null)).toEqual([]);
  expect(outcomes.filter(({ recorded_before }) => !recorded_before)).toHaveLength(100);
  expect(new Set(outcomes.map(({ receipt_id }) => receipt_id)).size).toBe(100);
  expect(await due(...bills)).toEqual(bills.map(() => "0.00"));
  const all = await listed();
  expect(all).toHaveLength(100);
  expect(new Set(all.map(({ receipt_number }) => receipt_number)).size).toBe(100);
  const advances = all.reduce((sum, { advance_amount }) => sum + BigInt(advance_amount.replace(".", "")), 0n);
  expect(advances).toBe(100n * 600n - 5n * 10_000n);
  await sound();
});

test("one that is refused leaves the others, and a repeated request is answered as the first", async () => {
  const one = { import_key: "key-0001", customer_id: "0", date: "2026-07-01", amount: "5.00", mode: "Cash" };
  const customer_id = (await call("GET", "/customers")).body.customers[0].customer_id as string;
  const other = { ...one, import_key: "key-0002", customer_id };
  const batch = {
    receipt: [{ ...one, customer_id: "99" }, other, { ...other, import_key: "key-0003", tds_code: "1" }],
  };
  const headers = { "idempotency-key": "batch-1" };
  const [answer, again] = [
    await call("POST", "/receipts/batch", batch, headers),
    await call("POST", "/receipts/batch", batch, headers),
  ];
  expect(answer.body.outcomes).toMatchObject([
    { import_key: "key-0001", receipt_id: null, error: { field: "customer_id" } },
    { import_key: "key-0002", error: null },
    { import_key: "key-0003", error: { field: "tds_amount" } },
  ]);
  expect(again.body).toEqual(answer.body);
  expect(await listed()).toHaveLength(1);
  await sound();
});

test("another merchant's customers and invoices are unknown, and its keys are its own", async () => {
  const mine = await bill(10);
  const checked = await check([HEAD, `2026-07-01,C1,5,,,Cash,,${mine["invoice_number"]},`]);
  await importGood(checked);
  const other = await Invoices.ofNewMerchant(site);
  const stranger = rawOf(site, await Browser.signIn(site, await newPerson(site, other.merchant.id)));
  const { import_key } = checked.good[0].receipt;
  const sent = { ...checked.good[0].receipt, invoice_ids: undefined };
  const refused = await stranger("POST", "/receipts/batch", { receipt: [sent] });
  expect(refused.body.outcomes).toMatchObject([{ import_key, receipt_id: null, error: { field: "customer_id" } }]);
  const customer_id = (await stranger("GET", "/customers")).body.customers[0].customer_id as string;
  const invoice_ids = [mine["invoice_id"]];
  const foreign = await stranger("POST", "/receipts/batch", { receipt: [{ ...sent, customer_id, invoice_ids }] });
  expect(foreign.body.outcomes).toMatchObject([{ receipt_id: null, error: { field: "invoice_ids[0]" } }]);
  const own = await stranger("POST", "/receipts/batch", { receipt: [{ ...sent, customer_id }] });
  expect(own.body.outcomes).toMatchObject([{ recorded_before: false, error: null }]);
  await sound();
});

test("files without a column that is needed, with one twice, or of nothing due are refused with the remedy", async () => {
  const problems = async (lines: readonly string[]) => (await ask(lines)).body.error;
  expect(await problems(["customer_code,amount,mode", "C1,5,Cash"])).toMatch(/lacks date/);
  expect(await problems(["date,amount,mode", "2026-07-01,5,Cash"])).toMatch(/lacks customer_code/);
  expect(await problems(["date,customer_code,amount,mode,utr,bank_ref_no", "2026-07-01,C1,5,Cash,1,2"])).toMatch(
    /two columns for bank_ref_no/,
  );
  const paid = await bill(10);
  await importGood(await check([HEAD, `2026-07-01,C1,100,,,Cash,,${paid["invoice_number"]},`]));
  const next = await check([HEAD, `2026-07-02,C1,100,,,Cash,,${paid["invoice_number"]},`]);
  expect(next.errors).toMatchObject([{ line: 2, field: "invoice_numbers" }]);
  expect(next.errors[0].message).toMatch(/nothing is due on .*Remove it/);
  const future = Temporal.Now.plainDateISO().add({ years: 1 }).toString();
  const warned = await check(["date,customer_code,amount,mode", `${future},C1,5,Cash`]);
  expect(warned).toMatchObject({ bad_lines: 0, warnings: [{ line: 2, field: "date" }] });
});
