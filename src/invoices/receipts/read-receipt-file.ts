// Reads a file of receipts, with the errors of its lines. Nothing is saved. docs/rules/receipts.md#files
import { createHash } from "node:crypto";
import { findBookSetting, isLocked, lockedDayError } from "../../books/index.ts";
import { customerCode, findCustomers, findCustomersByCode, type Customer } from "../../customers/index.ts";
import { todayOf, type Merchant, type ReadContext } from "../../merchants/index.ts";
import { typedField, type DateOrder } from "../../platform/as-typed.ts";
import type { CsvRecord } from "../../platform/csv.ts";
import { readCsvTable, type MisshapenLine } from "../../platform/csv-table.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { fieldRefusal, sentenceOf, type FieldError } from "../../platform/errors.ts";
import { decoderOf } from "../../platform/http/field.ts";
import { digitsOrNumber, object, optional, optionalText, type Decoded } from "../../platform/http/fields.ts";
import { formatInvoiceId, parseInvoiceId, payableOf, type Invoice } from "../invoice.ts";
import { findInvoices } from "../invoice-store.ts";
import { warningsOfReceipt } from "../invoice-warnings.ts";
import { findInvoicesNumbered } from "../lists/find-numbered.ts";
import { findImportedReceipts } from "../receipt-store.ts";
import { PAYMENT_MODES } from "../settlements/settlement-routes.ts";
import { importedReceiptFields } from "./receipt-fields.ts";
import { MAX_ALLOCATIONS } from "./use-receipt.ts";

export const MAX_RECEIPT_LINES = 10_000;
const NUMBERS_LENGTH = 5000;

const { import_key: _, invoice_ids: __, notify: ___, customer_id: ____, ...money } = importedReceiptFields;
const lineFields = {
  ...money,
  customer_code: optional(customerCode()),
  customer_id: optional(digitsOrNumber(16)),
  invoice_numbers: optionalText(NUMBERS_LENGTH),
};
type Name = keyof typeof lineFields;
type Sent = { readonly [Field in Name]: Decoded<(typeof lineFields)[Field]> };
type Texts = Partial<Record<Name, string>>;

/** The headings of a file of receipts. */
export const RECEIPT_HEADINGS = [
  "date",
  "customer_code",
  "amount",
  "tds_amount",
  "tds_code",
  "mode",
  "bank_ref_no",
  "invoice_numbers",
  "reference",
] as const satisfies readonly Name[];
const OTHER_HEADINGS = ["customer_id", "bank_name", "cheque_no", "cash_paid_to"] as const satisfies readonly Name[];
/** Synonyms of these headings. */
const SYNONYMS: readonly (readonly [string, Name])[] = [
  ["code", "customer_code"],
  ["paid_date", "date"],
  ["receipt_date", "date"],
  ["tds", "tds_amount"],
  ["payment_mode", "mode"],
  ["utr", "bank_ref_no"],
  ["utr_number", "bank_ref_no"],
  ["bank_reference", "bank_ref_no"],
  ["cheque_number", "cheque_no"],
  ["invoice_number", "invoice_numbers"],
  ["invoices", "invoice_numbers"],
  ["note", "reference"],
  ["remarks", "reference"],
];

type Note = { readonly line: number; readonly field: string; readonly message: string };

/** A line in the API's form of a batch's receipt. */
export type ReceiptLine = {
  readonly line: number;
  readonly customerName: string;
  readonly amountPaise: bigint;
  readonly receipt: Omit<Texts, "customer_code" | "customer_id" | "invoice_numbers"> & {
    readonly import_key: string;
    readonly customer_id: string;
    readonly invoice_ids?: readonly string[];
  };
};

export type ReceiptFile = {
  /** The number of lines with a receipt, valid or not. */
  readonly lines: number;
  readonly good: readonly ReceiptLine[];
  /** Lines that were imported before. */
  readonly recorded: readonly { readonly line: number; readonly receiptId: bigint; readonly receiptNumber: string }[];
  /** The errors, by line. `field` is the heading. */
  readonly errors: readonly Note[];
  /** Warnings for a person to check. */
  readonly warnings: readonly Note[];
  /** Unknown headings. */
  readonly ignored: readonly string[];
};

const decode = decoderOf(object(lineFields));

type Line = { readonly line: number; readonly texts: Texts; readonly sent: Sent; readonly numbers: readonly string[] };

/**
 * Reads a CSV file of receipts.
 * @throws NodalError `validation_failed` for an unusable file: not CSV, without the headings, or too long; also, with
 * the field `date_order`, for dates that can be read with the day or with the month first
 */
export async function readReceiptFile(
  { pool, merchant }: ReadContext<Merchant>,
  { bytes, dateOrder }: { readonly bytes: Uint8Array; readonly dateOrder: DateOrder | null },
): Promise<ReceiptFile> {
  const { rows, places, misshapen, doubts, ignored } = await readTable(merchant, bytes, dateOrder);
  const errors = misshapen.map(noteOf);
  const note = (line: number, found: readonly FieldError[]): void => {
    for (const error of found) errors.push({ line, field: error.field, message: sentenceOf(error) });
  };
  const read = rows.flatMap((record): Line[] => {
    const found: FieldError[] = [];
    const texts = cellsOf(record, places);
    const sent = decode(texts, "", found);
    note(record.line, found);
    const numbers = [...new Set((sent.invoice_numbers ?? "").split(/[\s,;]+/).filter((each) => each !== ""))];
    return found.length > 0 ? [] : [{ line: record.line, texts, sent, numbers }];
  });
  const known = await findKnown(pool, merchant, read);
  const keys = keysOf(merchant, read, known);
  const recorded = await findImportedReceipts(pool, merchant, [...keys.values()]);
  const toSave = read.filter(({ line }) => !recorded.has(keys.get(line) ?? ""));
  const good = toSave.flatMap((line): ReceiptLine[] => {
    const found: FieldError[] = [];
    const saved = checkLine(line, keys.get(line.line), known, found);
    note(line.line, found);
    return saved && found.length === 0 ? [saved] : [];
  });
  const today = todayOf(merchant);
  const warnings = toSave.flatMap(({ line, sent }) =>
    warningsOfReceipt(sent.date, today).map(({ field, message }) => ({ line, field: String(field), message })),
  );
  const inOrder = (notes: readonly Note[]): Note[] => notes.toSorted((one, other) => one.line - other.line);
  return {
    lines: rows.length + misshapen.length,
    good,
    recorded: read.flatMap(({ line }) => {
      const there = recorded.get(keys.get(line) ?? "");
      return there ? [{ line, receiptId: there.receiptId, receiptNumber: there.receiptNumber }] : [];
    }),
    errors: inOrder(errors),
    warnings: inOrder([...doubts.map(noteOf), ...warnings]),
    ignored,
  };
}

async function readTable({ merchantId }: Merchant, bytes: Uint8Array, dateOrder: DateOrder | null) {
  const table = await readCsvTable<Name>(bytes, {
    items: "receipts",
    maxRows: MAX_RECEIPT_LINES,
    columns: [...SYNONYMS, ...[...RECEIPT_HEADINGS, ...OTHER_HEADINGS].map((name) => [name, name] as const)],
    required: ["date", "amount", "mode"],
    key: String(merchantId),
    isDate: (name) => name === "date",
    dateOrder,
  });
  const { places } = table;
  const refuse = (problem: string) => fieldRefusal("validation_failed", "file", problem);
  const twice = places.find((name, index) => name !== null && places.indexOf(name) !== index);
  if (twice) throw refuse(`The file has two columns for ${twice}: remove one of them.`);
  if (!places.includes("customer_code") && !places.includes("customer_id"))
    throw refuse("The first line must name the columns, and lacks customer_code.");
  return table;
}

function noteOf({ record: { line }, field, problem }: MisshapenLine): Note {
  return { line, field, message: sentenceOf({ field: field || "The line", problem }) };
}

function cellsOf({ cells }: CsvRecord, places: readonly (Name | null)[]): Texts {
  const texts: Texts = {};
  for (const [index, name] of places.entries()) {
    const cell = cells[index] ?? "";
    if (name === null || cell === "") continue;
    texts[name] = name === "mode" ? modeOf(cell) : typedField(name, cell);
  }
  return texts;
}

/** A mode in any case: `upi` is UPI. */
function modeOf(cell: string): string {
  return PAYMENT_MODES.find((mode) => mode.toLowerCase() === cell.toLowerCase()) ?? cell;
}

/** The customers and invoices that the lines of a file name. */
type Known = {
  readonly byCode: ReadonlyMap<string, Customer>;
  readonly byId: ReadonlyMap<bigint, Customer>;
  /** By the number or the id as it is written. */
  readonly invoices: ReadonlyMap<string, readonly Invoice[]>;
  readonly lockedUntil: Temporal.PlainDate | null;
};

async function findKnown(db: Queryable, merchant: Merchant, lines: readonly Line[]): Promise<Known> {
  const codes = lines.flatMap(({ sent }) => sent.customer_code ?? []);
  const ids = lines.flatMap(({ sent }) => (sent.customer_id === null ? [] : [BigInt(sent.customer_id)]));
  const [byCode, byId, invoices, { lockedUntil }] = await Promise.all([
    findCustomersByCode(db, merchant, [...new Set(codes)]),
    findCustomers(db, merchant, [...new Set(ids)]),
    findNamed(db, merchant, [...new Set(lines.flatMap(({ numbers }) => numbers))]),
    findBookSetting(db, merchant),
  ]);
  return { byCode, byId, invoices, lockedUntil };
}

/** The invoices that payments of the named ones go to. A number may exist in several years. */
async function findNamed(
  db: Queryable,
  merchant: Merchant,
  names: readonly string[],
): Promise<Map<string, readonly Invoice[]>> {
  const found = new Map<string, readonly Invoice[]>();
  if (names.length === 0) return found;
  const numbered = await findInvoicesNumbered(db, merchant, { numbers: names, endings: [] });
  const byNumber = Map.groupBy(numbered, ({ named }) => named.invoiceNumber.toUpperCase());
  const ids = new Map(names.flatMap((name) => (parseInvoiceId(name) === null ? [] : [[parseInvoiceId(name)!, name]])));
  for (const invoice of ids.size === 0 ? [] : await findInvoices(db, merchant, [...ids.keys()]))
    found.set(ids.get(invoice.invoiceId)!, [invoice]);
  for (const name of names) {
    const of = byNumber.get(name.toUpperCase());
    if (of) found.set(name, [...new Map(of.map(({ payable }) => [payable.invoiceId, payable])).values()]);
  }
  return found;
}

function customerOf({ sent }: Line, { byCode, byId }: Known): Customer | null {
  const customer = sent.customer_code === null ? null : byCode.get(sent.customer_code);
  return customer ?? (sent.customer_id === null ? null : (byId.get(BigInt(sent.customer_id)) ?? null));
}

/**
 * The key of each line: a hash of the values that identify the money, and how many earlier lines have the same. A line keeps its key when the file is
 * corrected or extended. Invoices may be named differently: the money is the same.
 */
function keysOf({ merchantId }: Merchant, lines: readonly Line[], known: Known): ReadonlyMap<number, string> {
  const times = new Map<string, number>();
  return new Map(
    lines.flatMap((line): [number, string][] => {
      const customer = customerOf(line, known);
      if (!customer) return [];
      const { date, amount, tds_amount, mode, bank_ref_no, cheque_no, reference } = line.sent;
      const said = [merchantId, customer.customerId, date, amount, tds_amount ?? 0n, mode];
      const name = JSON.stringify([...said.map(String), bank_ref_no, cheque_no, reference]);
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      const digest = createHash("sha256").update(`${name} ${time}`).digest("hex");
      return [[line.line, `file-${digest.slice(0, 40)}`]];
    }),
  );
}

/** A line as it is imported. Its errors are added to `errors`. */
function checkLine(line: Line, key: string | undefined, known: Known, errors: FieldError[]): ReceiptLine | null {
  const { sent, texts, numbers } = line;
  const refuse = (field: string, code: FieldError["code"], problem: string): void => {
    errors.push({ field, code, problem });
  };
  if (isLocked(known.lockedUntil, sent.date)) errors.push(lockedDayError("date", known.lockedUntil!));
  if (sent.tds_code !== null && sent.tds_amount === null)
    refuse("tds_amount", "required", "is required beside tds_code: the tax that the customer deducted.");
  if (numbers.length > MAX_ALLOCATIONS)
    refuse("invoice_numbers", "invalid", `must name at most ${MAX_ALLOCATIONS} invoices.`);
  const customer = customerOf(line, known);
  if (!customer || key === undefined) {
    const isCode = sent.customer_code !== null || sent.customer_id === null;
    const field = isCode ? "customer_code" : "customer_id";
    refuse(field, "customer_not_found", isCode ? noCode(sent) : ": no customer has this id. Use the customer's code.");
    return null;
  }
  const ids = numbers.flatMap((name) => invoiceNamed(name, customer, known, refuse) ?? []);
  const { customer_code: _code, customer_id: _id, invoice_numbers: _numbers, ...members } = texts;
  return {
    line: line.line,
    customerName: customer.customerName,
    amountPaise: sent.amount,
    receipt: {
      ...members,
      import_key: key,
      customer_id: String(customer.customerId),
      ...(ids.length > 0 ? { invoice_ids: ids.map(formatInvoiceId) } : {}),
    },
  };
}

function noCode({ customer_code: code }: Sent): string {
  return code === null
    ? "is required: the customer who paid."
    : ": no customer has this code. Save the customer first.";
}

/** The invoice of a customer with a number. */
function invoiceNamed(
  name: string,
  { customerId, customerName }: Customer,
  { invoices }: Known,
  refuse: (field: string, code: FieldError["code"], problem: string) => void,
): bigint | null {
  const field = "invoice_numbers";
  const of = (invoices.get(name) ?? []).filter((invoice) => invoice.customerId === customerId);
  if (of.length === 0) {
    refuse(field, "invoice_not_found", `: ${customerName} has no invoice ${name}. Correct the number.`);
    return null;
  }
  const payable = of.filter((invoice) => payableOf(invoice) > 0n);
  if (payable.length === 1) return payable[0]!.invoiceId;
  const problem =
    payable.length === 0
      ? `: nothing is due on ${name}. Remove it, and the money pays the invoices that are due first.`
      : `: ${name} is the number of ${payable.length} invoices. Write the id of one: ${payable.map((each) => formatInvoiceId(each.invoiceId)).join(" or ")}.`;
  refuse(field, "invalid", problem);
  return null;
}
