// Receipts suggested for a line: by numbers in its narration, by its payer, and by amount and name. Never another merchant's, and
// none marked certain if something contradicts it.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { Invoicing } from "../../test/support/invoicing.ts";
import { recordReceipt, type Invoice } from "../invoices/index.ts";
import { NodalError } from "../platform/errors.ts";
import { readReceiptLine } from "./candidates.ts";
import { importStatement } from "./import-statement.ts";
import { reconcile } from "./reconcile.ts";
import { searchLines } from "./statement-store.ts";
import { csv, type Written } from "./testing.ts";

const DUE = 118_00n;
const DAY = Temporal.PlainDate.from("2026-11-20");
const BANK = {
  bankName: "",
  bankRefNo: "",
  chequeNo: "",
  cashPaidTo: "",
  reference: "",
  tdsPaise: 0n,
  tdsCode: "",
  importKey: null,
};

let db: LedgerDatabase;
let shop: Invoicing;
let lines = 0;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  shop = await Invoicing.ofNewMerchant(db);
});
afterAll(() => db.close());

/** Imports one line, and returns its number. */
async function take(line: Written, of = shop): Promise<bigint> {
  const context = { pool: db.server, ids: db.ids, merchant: of.merchant, accounts: db.server };
  lines += 1;
  const written = { reference: `LINE${String(lines).padStart(8, "0")}`, ...line };
  await importStatement(context, { account: "HDFC", fileName: "day.csv", bytes: csv([written]) });
  await reconcile(context);
  const all = { accountId: null, from: null, to: null, state: null, after: null, limit: 100 };
  return (await searchLines(db.server, of.merchant, all)).at(-1)!.lineId;
}

async function suggest(line: Written, of = shop) {
  return readReceiptLine({ pool: db.server, merchant: of.merchant }, await take(line, of));
}

/** The compared part of suggestions. */
async function brief(line: Written, of = shop) {
  const { suggestions } = await suggest(line, of);
  return suggestions.map(({ reason, isPossible, customer, invoices, advancePaise }) => ({
    reason,
    isPossible,
    customerId: customer.customerId,
    pays: invoices.map(({ invoice, paise }) => [invoice.invoiceId, paise]),
    advancePaise,
  }));
}

function record(customerId: bigint, statementLineId: bigint | null, amountPaise: bigint, bankRefNo = "") {
  const payment = { ...BANK, bankRefNo, amountPaise, paidDate: DAY, mode: "NEFT", statementLineId };
  return recordReceipt(shop.alone, { customerId, payment, allocations: null, advanceGst: null, notify: false });
}

/** The number as somebody types it: in lower case, with blanks. */
const typed = ({ invoiceNumber }: Invoice) => invoiceNumber.toLowerCase().replaceAll(/[-/]/g, " ");

test("numbers in the narration name invoices, whose dues are paid first; the rest is an advance", async () => {
  const first = await shop.save();
  const { customerId } = first;
  const [second, third] = [await shop.save({ customerId }), await shop.save({ customerId })];
  const named = { reason: "invoice_number", isPossible: false, customerId };
  const narration = `NEFT CR-HDFC0000002-ACME LTD-${typed(third)} and ${typed(first)}`;
  expect(await brief({ narration, in: 200_00n })).toEqual([
    {
      ...named,
      pays: [
        [first.invoiceId, DUE],
        [third.invoiceId, 82_00n],
      ],
      advancePaise: 0n,
    },
  ]);
  expect(await brief({ narration, in: 300_00n })).toEqual([
    {
      ...named,
      pays: [
        [first.invoiceId, DUE],
        [third.invoiceId, DUE],
      ],
      advancePaise: 64_00n,
    },
  ]);
  // The end of a number is certain only together with the amount.
  const ending = `INVOICE NO ${/0*(\d+)$/.exec(second.invoiceNumber)![1]!}`;
  expect(await brief({ narration: ending, in: DUE })).toEqual([
    { ...named, pays: [[second.invoiceId, DUE]], advancePaise: 0n },
  ]);
  expect(await brief({ narration: ending, in: 50_00n })).toMatchObject([{ isPossible: true }]);
  const { suggestions } = await suggest({ narration: ending, in: DUE });
  expect(suggestions[0]!.explanation).toBe(`The narration names ${second.invoiceNumber}.`);
  expect(await brief({ narration, out: 200_00n })).toEqual([]);
});

test("invoices of two customers, and a number that goes on, are possible only", async () => {
  const [one, other] = [await shop.save(), await shop.save()];
  const both = await brief({ narration: `${one.invoiceNumber} ${other.invoiceNumber}`, in: 236_00n });
  expect(both.map(({ isPossible }) => isPossible)).toEqual([true, true]);
  expect(await brief({ narration: `${one.invoiceNumber}-55`, in: 77_00n })).toMatchObject([{ isPossible: true }]);
});

test("a paid invoice, and one of another merchant, are not suggested", async () => {
  const paid = await shop.save();
  await shop.pay(paid, DUE);
  const other = await Invoicing.ofNewMerchant(db);
  await other.save();
  const foreign = await other.save();
  expect(await brief({ narration: `${paid.invoiceNumber} ${foreign.invoiceNumber}`, in: 10_00n })).toEqual([]);
});

test("a payer who paid before is known by UPI id, and by an amount that is due; a gateway is nobody", async () => {
  const { customerId } = await shop.save();
  await shop.save({ customerId });
  const narration = "UPI-SOMEBODY-mill.office@okaxis-HDFC0000002-";
  await record(customerId, await take({ narration: `${narration}632500000001`, in: 30_00n }), 30_00n);
  const later = (paise: bigint) => brief({ narration: `${narration}632500000002`, in: paise });
  expect(await later(DUE)).toMatchObject([{ reason: "known_payer", isPossible: false, customerId, advancePaise: 0n }]);
  expect(await later(206_00n)).toMatchObject([
    {
      isPossible: false,
      pays: [
        [expect.any(BigInt), 88_00n],
        [expect.any(BigInt), DUE],
      ],
    },
  ]);
  expect(await later(500_00n)).toMatchObject([{ reason: "known_payer", isPossible: true, advancePaise: 294_00n }]);
  const other = await Invoicing.ofNewMerchant(db);
  await other.save();
  expect(await brief({ narration: `${narration}632500000003`, in: DUE }, other)).toEqual([]);
  // The same payer pays for three more customers.
  for (const place of [4, 5, 6]) {
    const more = await shop.save();
    await record(more.customerId, await take({ narration: `${narration}63250000000${place}`, in: 10_00n }), 10_00n);
  }
  expect((await later(88_00n)).filter(({ reason }) => reason === "known_payer")).toEqual([]);
});

test("amount and name together are possible, one alone is nothing", async () => {
  const invoice = await shop.save({ billDate: DAY.subtract({ days: 20 }), dueDate: DAY.subtract({ days: 5 }) });
  const old = await shop.save({ billDate: DAY.subtract({ days: 200 }), dueDate: DAY.subtract({ days: 180 }) });
  expect(await brief({ narration: "NEFT-ASHA RAO", in: DUE })).toEqual([
    {
      reason: "amount_and_name",
      isPossible: true,
      customerId: invoice.customerId,
      pays: [[invoice.invoiceId, DUE]],
      advancePaise: 0n,
    },
  ]);
  expect(old.invoiceId).not.toBe(invoice.invoiceId);
  expect(await brief({ narration: "NEFT-RAVI KUMAR", in: DUE })).toEqual([]);
  expect(await brief({ narration: "NEFT-ASHA RAO", in: DUE + 1n })).toEqual([]);
});

test("money that was entered by hand with the line's UTR is not recorded twice, until that is reversed", async () => {
  const invoice = await shop.save();
  await record(invoice.customerId, null, 50_00n, "icicn-52026112000000077");
  const reference = "ICICN52026112000000077";
  const lineId = await take({ reference, narration: invoice.invoiceNumber, in: 50_00n });
  const { recorded, suggestions } = await readReceiptLine({ pool: db.server, merchant: shop.merchant }, lineId);
  expect(recorded).toMatchObject([{ kind: "receipt", amountPaise: 50_00n, paidDate: DAY }]);
  expect(suggestions.map(({ isPossible }) => isPossible)).toEqual([true]);
  const error: unknown = await record(invoice.customerId, lineId, 50_00n).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NodalError);
  expect((error as NodalError).errors[0]).toMatchObject({ field: "statement_line_id" });
  expect((error as NodalError).errors[0]!.problem).toContain(
    `as the receipt ${recorded[0]!.number}: set the line aside`,
  );
  const other = await Invoicing.ofNewMerchant(db);
  expect((await suggest({ reference, narration: "x", in: 50_00n }, other)).recorded).toEqual([]);
});
