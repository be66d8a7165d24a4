// Carried dues over HTTP: what is unpaid of a subscription's earlier invoices goes onto the next one.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { settledToday } from "../support/days.ts";
import { Installation } from "../support/installation.ts";
import "../support/merchant-wire.ts";
import { reverseSettlement } from "../../src/invoices/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { Biller, Subscriptions, type MadeInvoice, type Saved } from "../support/subscriptions.ts";

const TODAY = await settledToday();
const START = TODAY.add({ days: 1 });
/** One row of 100.00 with 18 % GST: 118.00 in all. */
const TAXED = { customer_code: "C1", particular_rows: [{ item: "Rent", gst: "18", total_amount: "100.00" }] };

let installation: Installation;
let biller: Biller;
let mine: Subscriptions;
let carrying: Saved;

beforeAll(async () => {
  installation = await Installation.shared();
  biller = new Biller(installation.serverUrl);
});
beforeEach(async () => {
  mine = await Subscriptions.ofNewMerchant(installation, biller);
  carrying = await mine.add({ carry_forword_dues: "1", invoice: TAXED });
});
afterAll(async () => {
  await biller.close();
  await installation.stop();
});

const idOf = (invoice: MadeInvoice): string => `R${String(invoice.invoice_id).padStart(9, "0")}`;

/** Bills so many occurrences and returns all invoices, in order. */
async function billTo(months: number): Promise<MadeInvoice[]> {
  await mine.advanceTo(START.add({ months }));
  return mine.made(carrying);
}

async function read(invoice: MadeInvoice) {
  const { status, amount, previous_dues, due_amount, paid_amount, tax_total } = await mine.invoices.read(idOf(invoice));
  return { status, amount, previous_dues, due_amount, paid_amount, tax_total };
}

async function reverseLast(invoice: MadeInvoice): Promise<void> {
  const { settlements } = await mine.invoices.read(idOf(invoice));
  const { transaction_id: id } = (settlements as { transaction_id: string }[]).at(-1)!;
  const merchant = await requireMerchant(biller.parts.pool, mine.merchantId);
  await reverseSettlement({ ...biller.parts, merchant }, { settlementId: BigInt(id), reason: "Cheque bounced" });
}

test("dues move once, untaxed, and the earlier invoice is no longer due by itself", async () => {
  const [first, second, third] = await billTo(2);
  expect(await read(first!)).toMatchObject({ status: "Carried forward", due_amount: "0.00", amount: "118.00" });
  expect(await read(second!)).toMatchObject({ status: "Carried forward", due_amount: "0.00", previous_dues: "118.00" });
  expect(await read(third!)).toMatchObject({
    status: "Unpaid",
    amount: "354.00",
    previous_dues: "236.00",
    due_amount: "354.00",
    tax_total: "18.00",
  });
  const { rows } = await installation.pool.query<{ invoice_id: bigint; carried_to: bigint | null }>(
    "select invoice_id, carried_to from invoice where merchant_id = $1",
    [mine.merchantId],
  );
  // Their ids are of several processes, and in the order of time only from second to second.
  expect(new Map(rows.map(({ invoice_id: id, carried_to: to }) => [id, to]))).toEqual(
    new Map([
      [first!.invoice_id, second!.invoice_id],
      [second!.invoice_id, third!.invoice_id],
      [third!.invoice_id, null],
    ]),
  );
  const settled = await mine.invoices.settle({ invoice_id: idOf(first!), amount: "1.00" });
  expect(settled).toBeFailure({ status: 409, code: "invoice_carried_forward" });
});

test("only what is still due moves, and nothing where all is paid", async () => {
  const [first] = await billTo(0);
  await mine.invoices.pay(idOf(first!), "18.00");
  const [, second] = await billTo(1);
  expect(await read(second!)).toMatchObject({ previous_dues: "100.00", amount: "218.00" });
  await mine.invoices.pay(idOf(second!), "218.00");
  const [, , third] = await billTo(2);
  expect(await read(third!)).toMatchObject({ previous_dues: "0.00", amount: "118.00" });
});

test("a payment of the later invoice settles the oldest dues first, and its reversal takes that back", async () => {
  const [first, second, third] = await billTo(2);
  await mine.invoices.pay(idOf(third!), "150.00");
  expect(await read(first!)).toMatchObject({ status: "Paid offline", paid_amount: "118.00" });
  expect(await read(second!)).toMatchObject({ status: "Carried forward" });
  expect(await read(third!)).toMatchObject({ status: "Partially paid", due_amount: "204.00" });
  await mine.invoices.pay(idOf(third!), "204.00");
  for (const invoice of [first!, second!, third!])
    expect(await read(invoice)).toMatchObject({ status: "Paid offline" });
  await reverseLast(third!);
  expect(await read(first!)).toMatchObject({ status: "Paid offline" });
  expect(await read(second!)).toMatchObject({ status: "Carried forward" });
  expect(await read(third!)).toMatchObject({ status: "Partially paid", due_amount: "204.00" });
  const [, , , fourth] = await billTo(3);
  expect(await read(fourth!)).toMatchObject({ previous_dues: "204.00", amount: "322.00" });
});

test("cancelling the later invoice makes the earlier ones due again, and the next one carries them", async () => {
  const [first, second] = await billTo(1);
  const cancelled = await mine.invoices.cancel(idOf(second!));
  expect(cancelled.status).toBe(200);
  expect(await read(first!)).toMatchObject({ status: "Unpaid", due_amount: "118.00" });
  const [, , third] = await billTo(2);
  expect(await read(third!)).toMatchObject({ previous_dues: "118.00", amount: "236.00" });
  expect(await read(first!)).toMatchObject({ status: "Carried forward" });
});

test("a start date in the past chains the dues of all invoices; previous dues that were sent are billed once", async () => {
  const theirs = await Subscriptions.ofNewMerchant(installation, biller);
  const saved = await theirs.add({
    mode: "Daily",
    start_date: TODAY.subtract({ days: 3 }).toString(),
    carry_forword_dues: 1,
    invoice: { ...TAXED, previous_dues: "50.00" },
  });
  const made = await theirs.made(saved);
  expect(made.map((invoice) => invoice.amount_paise)).toEqual(["16800", "28600", "40400", "52200"].map(BigInt));
  expect(made.map((invoice) => invoice.status)).toEqual([...Array<string>(3).fill("Carried forward"), "Unpaid"]);
});

test("dues of other subscriptions, and of those that do not carry, stay where they are", async () => {
  await mine.add({ carry_forword_dues: "0", invoice: TAXED });
  await mine.add({ carry_forword_dues: "1", invoice: TAXED });
  await billTo(1);
  const amounts = (await mine.made()).map((invoice) => invoice.amount_paise);
  expect(amounts).toEqual([11800n, 23600n, 11800n, 11800n, 11800n, 23600n]);
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
