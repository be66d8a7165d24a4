// Invoices from a spreadsheet's file: each line is one invoice, or one item of it, and is converted to the form of invoice/save.
// upload-lines.ts groups lines into invoices.
import { createHash } from "node:crypto";
import {
  customerRecord,
  findCustomersByCode,
  gstinField,
  isGstinHeading,
  listColumns,
  withGstin,
  type CustomColumn,
  type CustomerDetails,
} from "../../customers/index.ts";
import { listFranchises } from "../../franchises/index.ts";
import { todayOf, type Merchant, type ReadContext } from "../../merchants/index.ts";
import { typedField, type DateOrder } from "../../platform/as-typed.ts";
import { csvFile, type CsvRecord } from "../../platform/csv.ts";
import { readCsvFile, type MisshapenLine } from "../../platform/csv-table.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { settleDates } from "../../platform/date-order.ts";
import { fieldRefusal, type FieldError, type NodalError } from "../../platform/errors.ts";
import { decoderOf, fail } from "../../platform/http/field.ts";
import {
  checkInvoice,
  invoiceFields,
  toInvoiceInput,
  type InvoiceSettings,
  type SentInvoice,
} from "../invoice-fields.ts";
import { requireTemplate } from "../invoice-references.ts";
import { namesInvoiceNumber } from "../numbers/number-series.ts";
import { SAMPLE_ROW } from "../lines/line.ts";
import { LINE_NAMES } from "../lines/line-forms.ts";
import { findNamedItems } from "../lines/line-items.ts";
import type { Template } from "../templates/template.ts";
import { BATCH_SIZE, describeUpload, type CheckedUpload } from "./checked-upload.ts";
import { differencesOf, refuseContradictions } from "./customers-in-files.ts";
import { billedTo, draftInvoice, ownNumberOf, partsOf } from "./draft.ts";
import { warningsOfInvoice } from "../invoice-warnings.ts";
import { readSavedBatches } from "./saved-upload.ts";
import { groupLines, isValid, PATH, warnOfRepeats, type FileInvoice, type FileLine } from "./upload-lines.ts";

/** Source: the dashboard's limit for one upload. */
const MAX_UPLOADED = 10_000;
const MAX_ROWS = 20;

/** For an export: members of `shipping`. */
const SHIPPING_COLUMNS = ["shipping_bill_no", "shipping_bill_date", "shipping_port_code"] as const;
/** Lines with the same value in it are one invoice. It is not saved. */
const REFERENCE = "invoice_reference";
const PLAIN_COLUMNS = [
  REFERENCE,
  "customer_code",
  "bill_date",
  "due_date",
  "bill_cycle_name",
  "franchise_code",
  "previous_dues",
  "round_off",
  "supply_type",
  "place_of_supply",
  "reverse_charge",
  "delivery_address",
  "ecommerce_gstin",
  ...SHIPPING_COLUMNS,
] as const;
/** The columns of a row: docs/rules/invoicing.md#columns-of-files */
const ROW_COLUMNS: readonly string[] = ["item_code", ...LINE_NAMES];
const CUSTOMER_COLUMNS = [...customerRecord.names.filter((name) => name !== "customer_code"), "gstin"] as const;
const DATE_COLUMNS = ["bill_date", "due_date", "shipping_bill_date"];

/** A sample file for a template: an invoice of a new customer, with a line for each of the template's items. */
export function sampleUpload(template: Template, today: Temporal.PlainDate): string {
  const rows = template.defaultRows.length > 0 ? template.defaultRows : [SAMPLE_ROW];
  const head: [string, string][] = [
    [REFERENCE, "1"],
    ["customer_code", "EXAMPLE-1"],
    ["customer_name", "Example Customer"],
    ["bill_date", today.toString()],
    ["due_date", today.add({ days: 15 }).toString()],
    ["bill_cycle_name", today.toLocaleString("en-IN", { month: "long", year: "numeric" })],
    ...template.headerFields.map(({ name, value }): [string, string] => [name, value]),
  ];
  const further = head.map(([name, value]) => (name === REFERENCE ? value : ""));
  const lines = rows.map((row, index) => [
    ...(index === 0 ? head.map(([, value]) => value) : further),
    ...LINE_NAMES.map((name) => row[name] ?? ""),
  ]);
  return csvFile([[...head.map(([name]) => name), ...LINE_NAMES], ...lines]);
}

export type CheckUpload = {
  readonly templateId: bigint | null;
  readonly bytes: Uint8Array;
  /** The sender's order of the file's dates; `null` if not given. */
  readonly dateOrder: DateOrder | null;
  readonly mayAddCustomers: boolean;
};

/**
 * Reads a file and checks each of its lines. Nothing is saved. A line with an unknown customer creates the customer if the line
 * names it.
 * @throws NodalError `validation_failed` for an unusable file, or `template_not_found`
 */
export async function checkUpload(
  { pool, merchant }: ReadContext<Merchant>,
  request: CheckUpload,
): Promise<CheckedUpload> {
  const file = await readCsvFile(request.bytes, {
    items: "invoices or items of invoices",
    maxRows: MAX_UPLOADED,
    key: String(merchant.merchantId),
  });
  const { head } = file;
  const dates = head.cells.flatMap((name, index) => (DATE_COLUMNS.includes(name.toLowerCase()) ? [index] : []));
  const rows = settleDates(file.rows, dates, request.dateOrder);
  const doubts = new Map(
    file.doubts.map(({ record, field, problem }) => [record.line, [{ column: field, message: problem }]]),
  );
  return inTransaction(pool, async (connection) => {
    const template = await requireTemplate(connection, merchant, request.templateId);
    const columns = readHeadings(head, template);
    const franchises = await franchisesByCode(connection, merchant, columns);
    const customerColumns = await listColumns(connection, merchant);
    const known = { ...columns, franchises, gstin: gstinField([], customerColumns) };
    const lines = [
      ...rows.map((record) => ({ ...readLine(record, known), doubts: doubts.get(record.line) ?? [] })),
      ...file.misshapen.map((each) => readMisshapen(each, known)),
    ];
    const invoices = groupLines(lines.toSorted((a, b) => a.record.line - b.record.line));
    const checking = { template, customerColumns, mayAddCustomers: request.mayAddCustomers };
    await checkCustomers(connection, merchant, invoices, checking);
    const hash = createHash("sha256").update(`${template.templateId}\0`).update(request.bytes);
    const digest = hash.digest("hex").slice(0, 40);
    const names = Array.from(
      { length: Math.ceil(invoices.length / BATCH_SIZE) },
      (_, place) => `upload-${digest}-${place}`,
    );
    const noted = warnOfRepeats(invoices);
    return describeUpload(connection, merchant, head, noted, await readSavedBatches(connection, merchant, names));
  });
}

function notReadable(problem: string): NodalError {
  return fieldRefusal("validation_failed", "file", problem);
}

/** The meaning of each column of the file: a member of the invoice, of its n-th row, or one of the template's header fields. */
type Column =
  | { readonly kind: "plain" | "customer"; readonly name: string }
  | { readonly kind: "row"; readonly name: string; readonly row: number }
  | { readonly kind: "header"; readonly name: string; readonly index: number };
type Columns = { readonly all: readonly (Column & { readonly heading: string })[]; readonly template: Template };
type Known = Columns & {
  /** Ids by code. */
  readonly franchises: ReadonlyMap<string, string>;
  /** The custom field for a new customer's GSTIN. */
  readonly gstin: ReturnType<typeof gstinField>;
};

function readHeadings({ cells }: CsvRecord, template: Template): Columns {
  const all = cells.map((heading) => ({ ...columnOf(heading, template), heading }));
  const unknown = all.filter((column) => !("kind" in column)).map(({ heading }) => heading || "(empty)");
  if (unknown.length > 0) {
    const columns = unknown.length === 1 ? "Unknown column" : "Unknown columns";
    throw notReadable(`${columns}: ${unknown.slice(0, 10).join(", ")}. Use the sample file's headings.`);
  }
  const names = cells.map((heading) => heading.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw notReadable(`The column ${twice} appears twice. Keep one of them.`);
  const gstins = all.filter((column) => "kind" in column && column.kind === "customer" && column.name === "gstin");
  if (gstins.length > 1) {
    const both = gstins.map(({ heading }) => heading).join(" and ");
    throw notReadable(`The columns ${both} both have the customer's GSTIN. Keep one of them.`);
  }
  const missing = ["customer_code", "bill_date", "due_date"].filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw notReadable(
      `${missing.length === 1 ? "Missing column" : "Missing columns"}: ${missing.join(", ")}. Use the sample file's headings.`,
    );
  return { all: all as Columns["all"], template };
}

function columnOf(heading: string, template: Template): Column | object {
  const name = heading.toLowerCase();
  const index = template.headerFields.findIndex((field) => field.name.toLowerCase() === name);
  if (index >= 0) return { kind: "header", name, index };
  if (PLAIN_COLUMNS.some((plain) => plain === name)) return { kind: "plain", name };
  if (isGstinHeading(heading)) return { kind: "customer", name: "gstin" };
  if (CUSTOMER_COLUMNS.some((ofCustomer) => ofCustomer === name)) return { kind: "customer", name };
  const match = /^([a-z_]+?)(?:_([0-9]{1,2}))?$/.exec(name);
  const row = Number(match?.[2] ?? 1);
  const isRow = ROW_COLUMNS.some((member) => member === match?.[1]) && row >= 1 && row <= MAX_ROWS;
  return isRow ? { kind: "row", name: match![1]!, row } : {};
}

async function franchisesByCode(
  connection: Connection,
  merchant: Merchant,
  { all }: Columns,
): Promise<ReadonlyMap<string, string>> {
  if (!all.some(({ name }) => name === "franchise_code")) return new Map();
  const franchises = await listFranchises(connection, merchant);
  const live = franchises.filter(({ deletedAt }) => deletedAt === null);
  return new Map(live.map(({ code, franchiseId }) => [code, String(franchiseId)]));
}

const decodeInvoice = decoderOf(invoiceFields);

/** A line whose cells can't be separated. It stays with the invoice of its reference, which is then not saved. */
function readMisshapen({ record, field, problem }: MisshapenLine, known: Known): FileLine {
  const errors = [{ field: "", code: "invalid", problem: `${field || "The line"} ${problem}` }];
  return { ...readLine(record, known), isMisshapen: true, errors };
}

function readLine(record: CsvRecord, { franchises, gstin, ...columns }: Known): FileLine {
  const errors: FieldError[] = [];
  const plain: Record<string, string> = {};
  const customer: Record<string, string> = {};
  const rows: Record<string, string>[] = [];
  const headers = columns.template.headerFields.map((field) => ({ ...field }));
  const head = new Map<string, string>();
  let ownNumber = "";
  for (const [index, column] of columns.all.entries()) {
    const value = record.cells[index] ?? "";
    if (column.kind === "row") {
      if (value !== "") (rows[column.row - 1] ??= {})[column.name] = typedField(column.name, value);
      continue;
    }
    const typed = column.kind === "header" ? value : typedField(column.name, value);
    head.set(column.heading, typed);
    if (column.kind === "header") {
      if (typed !== "") headers[column.index]!.value = typed;
      if (namesInvoiceNumber(column.name)) ownNumber = typed.trim();
    } else (column.kind === "plain" ? plain : customer)[column.name] = typed;
  }
  const { gstin: customerGstin = "", ...contact } = customer;
  const { franchise_code: code = "", customer_code = "", [REFERENCE]: reference = "", ...others } = plain;
  const { shipping_bill_no = "", shipping_bill_date = "", shipping_port_code = "", ...members } = others;
  const shipping = { bill_no: shipping_bill_no, bill_date: shipping_bill_date, port_code: shipping_port_code };
  if (code !== "" && !franchises.has(code)) {
    fail(errors, "franchise_code", "invalid", "is not the code of a franchise.");
  }
  return {
    record,
    reference: reference.trim() || ownNumber,
    head,
    members: {
      ...members,
      ...(Object.values(shipping).some((value) => value !== "") ? { shipping } : {}),
      customer_code,
      ...(franchises.has(code) ? { franchise_id: franchises.get(code) } : {}),
      custom_header_fields: headers,
      ...(customer["customer_name"]
        ? { new_customer: { ...contact, customer_code, custom_fields: withGstin([], gstin, customerGstin.trim()) } }
        : {}),
    },
    customer,
    // Rows keep their positions, which errors use.
    rows: Array.from(rows, (row) => ({ ...row })),
    isMisshapen: false,
    errors,
    doubts: [],
  };
}

type Checking = Pick<CheckUpload, "mayAddCustomers"> & {
  readonly template: Template;
  readonly customerColumns: readonly CustomColumn[];
};

/** The merchant's settings that the invoices of a file are checked against. */
async function settingsOf(
  connection: Connection,
  merchant: Merchant,
  invoices: readonly FileInvoice[],
  { template, customerColumns }: Pick<Checking, "template" | "customerColumns">,
): Promise<InvoiceSettings> {
  const columns = new Map(customerColumns.map((column) => [String(column.columnId), column]));
  const sent = invoices.map(({ wire }) => wire as SentInvoice);
  return { columns, items: await findNamedItems(connection, merchant, sent), headerFields: template.headerFields };
}

/** Finds the invoices that bill an existing customer, and checks every one as invoice/save would. */
async function checkCustomers(
  connection: Connection,
  merchant: Merchant,
  invoices: FileInvoice[],
  { template, customerColumns, mayAddCustomers }: Checking,
): Promise<void> {
  const known = await findCustomersByCode(connection, merchant, [
    ...new Set(invoices.map(({ wire }) => wire.customer_code)),
  ]);
  const settings = await settingsOf(connection, merchant, invoices, { template, customerColumns });
  const made = new Map<string, CustomerDetails>();
  refuseContradictions(invoices, known);
  for (const [index, invoice] of invoices.entries()) {
    const { errors } = invoice;
    // The content of its cells may belong in others: no further check is useful.
    if (invoice.lines.some(({ isMisshapen }) => isMisshapen)) continue;
    const { customer_code: code, new_customer: newCustomer, ...rest } = invoice.wire;
    const isNew = code !== "" && !known.has(code) && !made.has(code);
    const check = (sent: FileInvoice["wire"]) => {
      const found: FieldError[] = [];
      const decoded = decodeInvoice(sent, PATH, found);
      checkInvoice(decoded, PATH, settings, found, true);
      return { decoded, found };
    };
    // The request contains what the file says, whether the customer exists or not: uploaded again, it is the same request.
    let wire: FileInvoice["wire"] =
      newCustomer && code !== ""
        ? { ...rest, new_customer: newCustomer, customer_code: "" }
        : { ...rest, customer_code: code };
    let { decoded, found } = check(wire);
    // The file's details of an existing customer change nothing.
    if (!isNew && found.some(({ field }) => field.startsWith(`${PATH}.new_customer`))) {
      wire = { ...rest, customer_code: code };
      ({ decoded, found } = check(wire));
    }
    errors.push(...found);
    if (isNew && !newCustomer) {
      const problem = "is not the code of a customer: save the customer first, or fill in customer_name.";
      fail(errors, "customer_code", "invalid", problem);
    } else if (isNew && !mayAddCustomers) {
      fail(errors, "customer_code", "not_allowed", "is new, and your role can't add customers.");
    }
    invoices[index] = { ...invoice, wire };
    if (!isValid(invoice)) continue;
    // Without errors, everything was decoded.
    const input = toInvoiceInput(decoded, PATH, settings, errors);
    const customer = known.get(code) ?? made.get(code) ?? input.newCustomer!;
    const parts = partsOf({ merchant, template, ...billedTo(customer) }, input, null);
    const draft = draftInvoice(parts, PATH, errors);
    const customerId = known.get(code)?.customerId;
    const { billDate } = input;
    const bills = customerId === undefined || billDate === null ? null : { customerId, billDate };
    const invoiceNumber = ownNumberOf(parts.headerFields, PATH, errors)?.number ?? "";
    const cycleName = input.cycleName ?? "";
    const drafted = { ...draft, ...parts, cycleName, invoiceNumber, seriesId: null };
    const warnings = [...differencesOf(invoice, customer), ...warningsOfInvoice(drafted, todayOf(merchant))];
    invoices[index] = {
      ...invoice,
      wire,
      warnings,
      amountPaise: draft.amountPaise,
      makes: isNew ? customer : null,
      bills,
    };
    if (isNew && isValid(invoice)) made.set(code, customer);
  }
}
