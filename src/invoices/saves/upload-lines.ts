// Groups the lines of an uploaded file into invoices: lines with the same reference are the items of one invoice.
import type { CustomerDetails } from "../../customers/index.ts";
import type { CsvRecord } from "../../platform/csv.ts";
import type { FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import type { Warning } from "../../platform/http/warning.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { Wanted } from "./alike-store.ts";

/** The path of a file's invoice in errors. */
export const PATH = "line";

export type LineProblem = { readonly line: number; readonly column: string; readonly message: string };

/** The content of a line. Its errors name columns. */
export type FileLine = {
  readonly record: CsvRecord;
  /** Empty if the line is a whole invoice. */
  readonly reference: string;
  /** The cells of the invoice's head, by their headings. */
  readonly head: ReadonlyMap<string, string>;
  /** The invoice in the form of invoice/save, without its rows. */
  readonly members: JsonObject & { readonly customer_code: string };
  readonly rows: readonly JsonObject[];
  /** The line's customer details, by column. */
  readonly customer: Readonly<Record<string, string>>;
  readonly errors: FieldError[];
  /** Warnings about its cells for a person to check. */
  readonly doubts: readonly Omit<LineProblem, "line">[];
  /** Whether its cells can't be separated: then only its place is known. */
  readonly isMisshapen: boolean;
};

/** An invoice of one or several lines. Its errors name members below `PATH`. */
export type FileInvoice = {
  /** The head is that of the first. */
  readonly lines: readonly [FileLine, ...FileLine[]];
  readonly wire: FileLine["members"];
  readonly errors: FieldError[];
  /** The warnings of saving it; empty until it is checked. */
  readonly warnings: readonly Warning[];
  /** With tax and previous dues; 0 until it is checked, and if it has errors. */
  readonly amountPaise: bigint;
  /** The customer that it creates. */
  readonly makes: CustomerDetails | null;
  /** The existing customer that it bills, if any, and the date. */
  readonly bills: Pick<Wanted, "customerId" | "billDate"> | null;
};

/** Groups lines, in the order of their first lines. Contradictions are errors of the later line. */
export function groupLines(lines: readonly FileLine[]): FileInvoice[] {
  const groups: [FileLine, ...FileLine[]][] = [];
  const groupOf = new Map<string, [FileLine, ...FileLine[]]>();
  for (const line of lines) {
    const group = groupOf.get(line.reference);
    if (group) {
      compare(line, group[0]);
      group.push(line);
      continue;
    }
    const own: [FileLine] = [line];
    groups.push(own);
    if (line.reference !== "") groupOf.set(line.reference, own);
  }
  return groups.map((group) => ({
    lines: group,
    wire: { ...group[0].members, particular_rows: group.flatMap(({ rows }) => rows) },
    errors: [],
    warnings: [],
    amountPaise: 0n,
    makes: null,
    bills: null,
  }));
}

function compare(line: FileLine, first: FileLine): void {
  if (line.isMisshapen || first.isMisshapen) return;
  const where = `on line ${first.record.line}, the first line of invoice ${line.reference}`;
  for (const [heading, value] of line.head) {
    const saved = first.head.get(heading) ?? "";
    if (value === "" || value === saved) continue;
    const problem =
      saved === "" ? `is empty ${where}: fill it in there.` : `is ${saved} ${where}: repeat that, or leave it empty.`;
    fail(line.errors, heading, "invalid", problem);
  }
  if (line.rows.length === 0) {
    fail(line.errors, "total_amount", "required", "is required: each further line of an invoice is another item.");
  }
}

export function isValid({ lines, errors }: FileInvoice): boolean {
  return errors.length === 0 && lines.every((line) => line.errors.length === 0);
}

/** The invoices of a file, with a warning on each valid one that bills the same customer, day and amount as an earlier one. */
export function warnOfRepeats(invoices: readonly FileInvoice[]): FileInvoice[] {
  const lineOfBill = new Map<string, number>();
  return invoices.map((invoice) => {
    if (!isValid(invoice)) return invoice;
    const [{ members, record }] = invoice.lines;
    const amount = formatRupees(invoice.amountPaise);
    const bill = `${members.customer_code} ${amount} on ${members["bill_date"] as string}`;
    const earlier = lineOfBill.getOrInsert(bill, record.line);
    if (earlier === record.line) return invoice;
    const message = `Line ${earlier} also bills ${bill}: remove one if it is the same invoice.`;
    const warning = { code: "repeated_invoice", field: "customer_code", message };
    return { ...invoice, warnings: [warning, ...invoice.warnings] };
  });
}

/** The errors of an invoice, by line and column, in the order of its lines. */
export function problemsOf(invoice: FileInvoice): LineProblem[] {
  const ofLines = invoice.lines.flatMap(({ record, errors }) =>
    errors.map((error) => ({ line: record.line, column: error.field, message: plain(error) })),
  );
  const ofInvoice = invoice.errors.map((error) => describe(invoice, error));
  return [...ofLines, ...ofInvoice].toSorted((a, b) => a.line - b.line);
}

/** The warnings of an invoice, by line and column. They don't prevent saving. */
export function warningsOfFile(invoice: FileInvoice): LineProblem[] {
  const ofCells = invoice.lines.flatMap(({ record, doubts }) =>
    doubts.map((doubt) => ({ line: record.line, ...doubt })),
  );
  const ofInvoice = invoice.warnings.map(({ code, field, message }) =>
    describe(invoice, { code, field: `${PATH}.${field}`, problem: message }),
  );
  return [...ofCells, ...ofInvoice].toSorted((a, b) => a.line - b.line);
}

/** The problem by the column's heading: `particular_rows[1].gst` is `gst_2` of a single line. */
function describe({ lines }: FileInvoice, error: FieldError): LineProblem {
  const { field } = error;
  const path = field.replace(`${PATH}.`, "");
  const row = /^particular_rows\[(\d+)\]\.([a-z_]+)$/.exec(path);
  if (!row) {
    const column = path
      .replace(/^new_customer\.(?:custom_fields\[0\]\.value$)?/, (all) => (all.endsWith("value") ? "gstin" : ""))
      .replace(/^shipping\./, "shipping_")
      .replace(/^particular_rows$/, "total_amount");
    return { line: lines[0].record.line, column, message: plain(error) };
  }
  let place = Number(row[1]);
  for (const { record, rows } of lines) {
    if (place < rows.length) {
      const column = `${row[2]!}${place === 0 ? "" : `_${place + 1}`}`;
      return { line: record.line, column, message: plain(error) };
    }
    place -= rows.length;
  }
  throw new Error(`${field} is no row of the invoice`);
}

/** The result has the column separately. */
function plain({ problem }: FieldError): string {
  return problem.replace(/^: /, "");
}
