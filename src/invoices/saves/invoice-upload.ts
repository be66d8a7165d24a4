// Invoices from a file of a spreadsheet: each line is one invoice, and becomes what invoice/save takes.
import { createHash } from "node:crypto";
import { findColumns, findCustomersByCode } from "../../customers/index.ts";
import { listFranchises } from "../../franchises/index.ts";
import type { Merchant, ReadContext } from "../../merchants/index.ts";
import { typedField } from "../../platform/as-typed.ts";
import { csvText, readCsv, type CsvRecord } from "../../platform/csv.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { NodalError, type FieldError } from "../../platform/errors.ts";
import { decoderOf, fail } from "../../platform/http/field.ts";
import { checkInvoice, invoiceFields } from "../invoice-fields.ts";
import { requireTemplate } from "../invoice-references.ts";
import { SAMPLE_ROW, type Template } from "../templates/template.ts";
import type { JsonObject } from "../../platform/json.ts";

/** Source: the dashboard's limit for one upload. */
const MAX_UPLOADED = 10_000;
/** Saved together, all or none. Batches are of fixed lines, so that a file that is uploaded again has the same ones. */
const BATCH_SIZE = 500;
const MOST_ROWS = 20;
const MOST_PROBLEMS = 500;

const ROW_COLUMNS = ["item", "sac_code", "description", "gst", "total_amount"] as const;
const PLAIN_COLUMNS = [
  "customer_code",
  "bill_date",
  "due_date",
  "bill_cycle_name",
  "franchise_code",
  "previous_dues",
] as const;
const CUSTOMER_COLUMNS = ["customer_name", "email", "mobile", "address", "city", "state", "zipcode"] as const;

export type LineProblem = { readonly line: number; readonly column: string; readonly message: string };

/** The invoices of some lines, as invoice/save takes them. */
export type UploadBatch = {
  /** Names the batch: the same file for the same template has the same names. */
  readonly key: string;
  readonly lines: readonly number[];
  readonly invoices: readonly JsonObject[];
};

export type CheckedUpload = {
  readonly lines: number;
  readonly good: number;
  readonly problems: readonly LineProblem[];
  /** How many more there are than are told. */
  readonly furtherProblems: number;
  /** The lines with problems, with the headings, to be corrected and uploaded by themselves. */
  readonly badLines: string;
  readonly batches: readonly UploadBatch[];
};

/** A line on its way: what it says, and what is wrong with it. */
type Line = { readonly record: CsvRecord; readonly wire: WireLine; readonly errors: FieldError[] };
type WireLine = JsonObject & { readonly customer_code: string };

/** A file that works with a template, with headings and one line. */
export function sampleUpload(template: Template, today: Temporal.PlainDate): string {
  const rows = template.defaultRows.length > 0 ? template.defaultRows : [SAMPLE_ROW];
  const columns: [string, string][] = [
    ["customer_code", "C1"],
    ["customer_name", ""],
    ["bill_date", today.toString()],
    ["due_date", today.add({ days: 15 }).toString()],
    ["bill_cycle_name", today.toLocaleString("en-IN", { month: "long", year: "numeric" })],
    ...template.headerFields.map(({ name, value }): [string, string] => [name, value]),
    ...rows.flatMap((row, index) =>
      ROW_COLUMNS.map((name): [string, string] => [index === 0 ? name : `${name}_${index + 1}`, row[name]]),
    ),
  ];
  const lines = [columns.map(([name]) => name), columns.map(([, value]) => value)];
  return csvText(lines);
}

export type CheckUpload = {
  readonly templateId: bigint | null;
  readonly csv: string;
  readonly mayAddCustomers: boolean;
};

/**
 * Reads a file and checks each of its lines. Nothing is saved. A line whose customer there is not makes the customer where
 * the line names it.
 * @throws NodalError `validation_failed` for what is no such file, or `template_not_found`
 */
export async function checkUpload(
  { pool, merchant }: ReadContext<Merchant>,
  request: CheckUpload,
): Promise<CheckedUpload> {
  const [head, ...records] = await readCsv(request.csv, {
    field: "csv",
    maxRecords: MAX_UPLOADED + 2,
    key: String(merchant.merchantId),
  });
  if (!head || records.length === 0) throw notReadable("has no line below its headings: add one for each invoice.");
  if (records.length > MAX_UPLOADED) {
    throw notReadable(`has too many lines: upload at most ${MAX_UPLOADED} at once.`);
  }
  return inTransaction(pool, async (connection) => {
    const template = await requireTemplate(connection, merchant, request.templateId);
    const columns = readHeadings(head, template);
    const franchises = await franchisesByCode(connection, merchant, columns);
    const lines = records.map((record) => readLine(record, columns, franchises));
    await checkCustomers(connection, merchant, lines, template, request.mayAddCustomers);
    const digest = createHash("sha256").update(`${template.templateId}\0${request.csv}`).digest("hex").slice(0, 40);
    return summarise(head, lines, digest);
  });
}

function notReadable(problem: string): NodalError {
  const message = `The file ${problem}`;
  return new NodalError("validation_failed", message, { errors: [{ field: "csv", code: "invalid", message }] });
}

/** What each column of the file is: a member of the invoice, of its n-th row, or one of the template's header fields. */
type Column =
  | { readonly kind: "plain" | "customer"; readonly name: string }
  | { readonly kind: "row"; readonly name: string; readonly row: number }
  | { readonly kind: "header"; readonly name: string; readonly index: number };
type Columns = { readonly all: readonly (Column & { readonly heading: string })[]; readonly template: Template };

function readHeadings({ cells }: CsvRecord, template: Template): Columns {
  const all = cells.map((heading) => ({ ...columnOf(heading, template), heading }));
  const unknown = all.filter((column) => !("kind" in column)).map(({ heading }) => heading || "(empty)");
  if (unknown.length > 0) {
    throw notReadable(
      `has columns that there are not: ${unknown.slice(0, 10).join(", ")}. Take the names of the sample.`,
    );
  }
  const names = cells.map((heading) => heading.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw notReadable(`has the column ${twice} twice: keep one of them.`);
  const missing = ["customer_code", "bill_date", "due_date"].filter((name) => !names.includes(name));
  if (missing.length > 0) throw notReadable(`lacks the columns ${missing.join(", ")}: add them.`);
  return { all: all as Columns["all"], template };
}

function columnOf(heading: string, template: Template): Column | object {
  const name = heading.toLowerCase();
  const index = template.headerFields.findIndex((field) => field.name.toLowerCase() === name);
  if (index >= 0) return { kind: "header", name, index };
  if (PLAIN_COLUMNS.some((plain) => plain === name)) return { kind: "plain", name };
  if (CUSTOMER_COLUMNS.some((ofCustomer) => ofCustomer === name)) return { kind: "customer", name };
  const match = /^([a-z_]+?)(?:_([0-9]{1,2}))?$/.exec(name);
  const row = Number(match?.[2] ?? 1);
  const isRow = ROW_COLUMNS.some((member) => member === match?.[1]) && row >= 1 && row <= MOST_ROWS;
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

/** What errors call a line. */
const PATH = "line";
const decodeInvoice = decoderOf(invoiceFields);

function readLine(record: CsvRecord, columns: Columns, franchises: ReadonlyMap<string, string>): Line {
  const errors: FieldError[] = [];
  const plain: Record<string, string> = {};
  const customer: Record<string, string> = {};
  const rows: Record<string, string>[] = [];
  const headers = columns.template.headerFields.map((field) => ({ ...field }));
  if (record.cells.length > columns.all.length) {
    fail(errors, "", "invalid", "has more cells than there are headings: quote commas in texts.");
  }
  for (const [index, column] of columns.all.entries()) {
    const value = record.cells[index] ?? "";
    if (column.kind === "plain") plain[column.name] = typedField(column.name, value);
    else if (column.kind === "customer") customer[column.name] = typedField(column.name, value);
    else if (column.kind === "header") headers[column.index]!.value = value || headers[column.index]!.value;
    else if (column.kind === "row" && value !== "") (rows[column.row - 1] ??= {})[column.name] = value;
  }
  const { franchise_code: code = "", customer_code = "", ...members } = plain;
  if (code !== "" && !franchises.has(code)) {
    fail(errors, "franchise_code", "invalid", "is the code of no franchise.");
  }
  const wire = {
    ...members,
    previous_dues: plainAmount(members["previous_dues"] ?? ""),
    customer_code,
    ...(franchises.has(code) ? { franchise_id: franchises.get(code) } : {}),
    custom_header_fields: headers,
    // Rows keep their places, by which errors name them.
    particular_rows: Array.from(rows, (row) => {
      const { total_amount = "", ...rest } = row ?? {};
      return { ...rest, total_amount: plainAmount(total_amount) };
    }),
    ...(customer["customer_name"] ? { new_customer: { ...customer, customer_code } } : {}),
  };
  return { record, wire, errors };
}

/** Spreadsheets write amounts with thousands separators. */
function plainAmount(text: string): string {
  return text.replaceAll(",", "").replace(/^₹\s*/, "");
}

/** Finds which lines bill a customer that there is, and checks every line as invoice/save would. */
async function checkCustomers(
  connection: Connection,
  merchant: Merchant,
  lines: Line[],
  { headerFields }: Template,
  mayAddCustomers: boolean,
): Promise<void> {
  const known = await findCustomersByCode(connection, merchant, [
    ...new Set(lines.map(({ wire }) => wire.customer_code)),
  ]);
  const columns = await findColumns(connection, merchant, []);
  const made = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const { customer_code: code, new_customer: newCustomer, ...rest } = line.wire;
    const isNew = code !== "" && !known.has(code) && !made.has(code);
    const wire =
      isNew && newCustomer
        ? { ...rest, new_customer: newCustomer, customer_code: "" }
        : { ...rest, customer_code: code };
    const decoded = decodeInvoice(wire, PATH, line.errors);
    checkInvoice(decoded, PATH, { columns, headerFields }, line.errors, true);
    if (isNew && !newCustomer) {
      const problem = "is the code of no customer: save the customer first, or fill in customer_name.";
      fail(line.errors, "customer_code", "invalid", problem);
    } else if (isNew && !mayAddCustomers) {
      fail(line.errors, "customer_code", "not_allowed", "is new, and your role adds no customers.");
    } else if (isNew && line.errors.length === 0) made.add(code);
    lines[index] = { ...line, wire };
  }
}

function summarise(head: CsvRecord, lines: readonly Line[], digest: string): CheckedUpload {
  const bad = lines.filter(({ errors }) => errors.length > 0);
  const problems = bad.flatMap(({ record, errors }) => errors.map((error) => describe(record.line, error)));
  const batches: UploadBatch[] = [];
  for (let first = 0; first < lines.length; first += BATCH_SIZE) {
    const good = lines.slice(first, first + BATCH_SIZE).filter(({ errors }) => errors.length === 0);
    if (good.length === 0) continue;
    batches.push({
      key: `upload-${digest}-${first / BATCH_SIZE}`,
      lines: good.map(({ record }) => record.line),
      invoices: good.map(({ wire }) => wire),
    });
  }
  return {
    lines: lines.length,
    good: lines.length - bad.length,
    problems: problems.slice(0, MOST_PROBLEMS),
    furtherProblems: Math.max(0, problems.length - MOST_PROBLEMS),
    badLines: bad.length === 0 ? "" : csvText([head, ...bad.map(({ record }) => record)].map(({ cells }) => cells)),
    batches,
  };
}

/** The problem by the column's heading: `particular_rows[1].gst` is `gst_2`. */
function describe(line: number, { field, message }: FieldError): LineProblem {
  const path = field.replace(`${PATH}.`, "");
  const row = /^particular_rows\[(\d+)\]\.([a-z_]+)$/.exec(path);
  const place = Number(row?.[1] ?? 0);
  const column = row
    ? `${row[2]!}${place === 0 ? "" : `_${place + 1}`}`
    : path.replace(/^new_customer\./, "").replace(/^particular_rows$/, "total_amount");
  const plain = message.startsWith(field) ? message.slice(field.length) : message;
  return { line, column, message: plain.replace(/^[:\s]+/, "") };
}
