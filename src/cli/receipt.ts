// `nodal receipt`: money that customers paid, for several invoices or in advance. docs/rules/receipts.md
import { findCustomers, findCustomersByCode } from "../customers/index.ts";
import {
  advanceGstFields,
  allocateReceipt,
  allocationFields,
  describeReceipt,
  pageReceipts,
  receiptFields,
  recordReceipt,
  refundReceipt,
  reverseReceipt,
  toAllocations,
  toNewReceipt,
  toReceipt,
  toReceiptRefund,
} from "../invoices/index.ts";
import { todayOf, type Answered, type Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { fieldRefusal } from "../platform/errors.ts";
import { optional, requiredText } from "../platform/http/fields.ts";
import { flag, group, id, merchantCommand, option, type MerchantScope } from "./command.ts";
import { fromText, type Reading } from "./given-file.ts";
import { formatRecord, formatTable, listAnswer, paragraphs, type Answer } from "./output.ts";
import { receiptContext } from "./receipt-context.ts";
import { importReceiptFile } from "./receipt-import.ts";

const LISTED = 1000;
const COLUMNS = [
  "receipt_id",
  "receipt_number",
  "date",
  "customer_code",
  "customer_name",
  "amount",
  "tds_amount",
  "advance_amount",
  "status",
] as const;

const CODE_LENGTH = 45;
const RECEIPT = id("a receipt's id, which `nodal receipt list` shows");
const MONEY = {
  amount: option("<rupees>", "the money, without TDS", receiptFields.amount),
  date: option("<date>", "the day of the payment, such as 2026-04-28", receiptFields.date),
  mode: option("<mode>", "Online, Cash, Cheque, NEFT, RTGS, IMPS, UPI or Card", receiptFields.mode),
  bankName: option("<name>", "the bank", receiptFields.bank_name),
  bankRefNo: option("<text>", "the bank's reference, such as the UTR", receiptFields.bank_ref_no),
  chequeNo: option("<text>", "the cheque's number", receiptFields.cheque_no),
  cashPaidTo: option("<name>", "who took the cash", receiptFields.cash_paid_to),
  reference: option("<text>", "a note of your own", receiptFields.reference),
};
const USE = {
  allocate: option(
    "<invoice=rupees[,TDS]>",
    "let this invoice use so much; can be repeated; default: invoices due first",
    fromText(receiptFields.allocations, readAllocations),
    { named: "allocations", isRepeated: true },
  ),
  notify: flag("mail the customer about each invoice that is paid"),
};

const create = merchantCommand({
  description: "record money of a customer; what no invoice uses is an advance",
  example: "--customer ACME --amount 2500.00 --date 2026-04-28 --mode NEFT --allocate R000029148=1080.00,100.00",
  options: {
    customer: option("<code>", "the customer's code", requiredText(CODE_LENGTH)),
    ...MONEY,
    tdsAmount: option("<rupees>", "the tax that the customer deducted", receiptFields.tds_amount),
    tdsCode: option("<code>", "the tax's section or payment code, such as 194C", receiptFields.tds_code),
    ...USE,
    line: option(
      "<id>",
      "the line of a bank statement that shows it, which `nodal reconcile list` shows",
      receiptFields.statement_line_id,
      { named: "statement_line_id" },
    ),
    gst: option(
      "<percent>",
      "the GST in the advance, for services: 18 while the rate is not known; issues a receipt voucher",
      optional(advanceGstFields.rate),
      { named: "advance_gst.rate" },
    ),
    services: option("<text>", "what the advance is for", advanceGstFields.description, {
      named: "advance_gst.description",
    }),
    place: option("<state>", "the place of supply; default: from the customer", advanceGstFields.place_of_supply, {
      named: "advance_gst.place_of_supply",
    }),
    advance: flag("let no invoice use it yet", ["allocate"]),
  },
  async run(scope, { customer: code, allocate, advance, line, gst, services, place, ...given }) {
    const customer = await findByCode(scope, code);
    if (!customer) {
      throw fieldRefusal("validation_failed", "customer", ": the merchant has no customer with this code.");
    }
    const request = toNewReceipt({
      customer_id: String(customer.customerId),
      ...toMoney(given),
      tds_amount: given.tdsAmount,
      tds_code: given.tdsCode,
      allocations: advance ? [] : allocate,
      advance_gst: toAdvanceGst(gst, services, place),
      statement_line_id: line,
      notify: given.notify,
    });
    return describe(scope, await recordReceipt(receiptContext(scope), request));
  },
});

const allocate = merchantCommand({
  description: "use what is left of a receipt for further invoices",
  example: "--receipt 1000310 --allocate R000029148=200.00",
  options: {
    receipt: RECEIPT,
    date: option("<date>", "the day of use; default: today", allocationFields.date),
    ...USE,
  },
  async run(scope, { receipt: receiptId, date, allocate: invoices, notify }) {
    const use = {
      allocations: toAllocations(invoices),
      date: date ?? todayOf(scope.merchant),
      notify: notify ?? false,
    };
    return describe(scope, await allocateReceipt(receiptContext(scope), { receiptId, ...use }));
  },
});

const refund = merchantCommand({
  description: "record that money of a receipt that no invoice uses was given back",
  example: "--receipt 1000310 --amount 40.00 --date 2026-04-30 --mode NEFT",
  options: { receipt: RECEIPT, ...MONEY },
  async run(scope, { receipt: receiptId, ...given }) {
    const details = toReceiptRefund(toMoney(given));
    return describe(scope, await refundReceipt(receiptContext(scope), { receiptId, refund: details }));
  },
});

const reverse = merchantCommand({
  description: "reverse a receipt and every payment by it: the invoices are due again",
  example: '--receipt 1000310 --reason "Cheque bounced"',
  options: { receipt: RECEIPT, reason: option("<text>", "why, such as a bounced cheque", requiredText(500)) },
  run: async (scope, { receipt: receiptId, reason }) =>
    describe(scope, await reverseReceipt(receiptContext(scope), { receiptId, reason })),
});

const list = merchantCommand({
  description: `list a merchant's receipts, newest first, at most ${LISTED}`,
  options: {
    customer: option("<code>", "only those of this customer, by the code", optional(requiredText(CODE_LENGTH))),
    hasAdvance: flag("only those of which something is left"),
  },
  async run({ pool, merchant }, { customer: code, hasAdvance }) {
    const customer = code === null ? null : await findByCode({ pool, merchant }, code);
    const filter = { customerId: customer?.customerId ?? null, kind: hasAdvance ? ("with_advance" as const) : null };
    const isUnknown = code !== null && !customer;
    const found = isUnknown ? [] : await pageReceipts(pool, merchant, filter, { after: null, limit: LISTED });
    const customers = await findCustomers(pool, merchant, [...new Set(found.map(({ customerId }) => customerId))]);
    const receipts = found.map((receipt) => toReceipt(receipt, merchant, customers.get(receipt.customerId)!));
    return listAnswer(receipts, "No receipt matches.", COLUMNS);
  },
});

const show = merchantCommand({
  description: "show a receipt with the payments by it and its refunds",
  example: "--receipt 1000310",
  options: { receipt: RECEIPT },
  run: ({ pool, merchant }, { receipt }) => describeById(pool, merchant, receipt),
});

export const receiptCommands = group("record money of customers, for several invoices or in advance", {
  create,
  import: importReceiptFile,
  list,
  show,
  allocate,
  refund,
  reverse,
});

async function findByCode({ pool, merchant }: Pick<MerchantScope, "pool" | "merchant">, code: string) {
  return (await findCustomersByCode(pool, merchant, [code])).get(code) ?? null;
}

/** Allocations given as `R000029148=1080.00` or, with TDS, `R000029148=1080.00,100.00`, one per line. */
function readAllocations(text: string): Reading<unknown> {
  const found = text.split("\n").map((line) => {
    const { invoice_id, amount, tds_amount } =
      /^\s*(?<invoice_id>[^=,]+)=(?<amount>[^,]+)(,(?<tds_amount>[^,]+))?$/.exec(line)?.groups ?? {};
    return amount === undefined ? null : { invoice_id, amount, ...(tds_amount === undefined ? {} : { tds_amount }) };
  });
  if (found.every((line) => line !== null)) return { value: found };
  return { mustBe: 'an invoice\'s id with rupees, such as "R000029148=1080.00", and TDS behind a comma' };
}

type Money = Parameters<typeof toReceiptRefund>[0];

function toMoney(given: {
  readonly amount: Money["amount"];
  readonly date: Money["date"];
  readonly mode: Money["mode"];
  readonly bankName: Money["bank_name"];
  readonly bankRefNo: Money["bank_ref_no"];
  readonly chequeNo: Money["cheque_no"];
  readonly cashPaidTo: Money["cash_paid_to"];
  readonly reference: Money["reference"];
}): Money {
  const { amount, date, mode, bankName, bankRefNo, chequeNo, cashPaidTo, reference } = given;
  return {
    amount,
    date,
    mode,
    bank_name: bankName,
    bank_ref_no: bankRefNo,
    cheque_no: chequeNo,
    cash_paid_to: cashPaidTo,
    reference,
  };
}

/** The GST in an advance. @throws NodalError `validation_failed` for a purpose or place without a rate */
function toAdvanceGst(
  rate: bigint | null,
  description: string | null,
  place_of_supply: NonNullable<Parameters<typeof toNewReceipt>[0]["advance_gst"]>["place_of_supply"],
) {
  if (rate !== null) return { rate, description, place_of_supply };
  if (description === null && place_of_supply === null) return null;
  throw fieldRefusal(
    "validation_failed",
    "advance_gst.rate",
    "is required beside --services and --place: send 18 if it is not known.",
  );
}

function describe({ pool, merchant }: MerchantScope, { answer }: Answered<string>): Promise<Answer> {
  return describeById(pool, merchant, BigInt(answer));
}

async function describeById(db: Queryable, merchant: Merchant, receiptId: bigint): Promise<Answer> {
  const json = await describeReceipt(db, merchant, receiptId);
  const { allocations, refunds, vouchers, ...record } = json;
  const tables = Object.entries({ allocations, refunds, vouchers })
    .filter(([, records]) => records.length > 0)
    .map(([name, records]) => `${name}:\n${formatTable<string>(records, "")}`);
  return { json, text: paragraphs(formatRecord(record), ...tables) };
}
