// Reads customers from a CSV file, with the errors of its lines. Nothing is saved. customer-fields.ts has the rules of a customer's
// fields.
import type { MerchantKey, ReadContext } from "../merchants/index.ts";
import { typedField, type DateOrder } from "../platform/as-typed.ts";
import type { CsvRecord } from "../platform/csv.ts";
import { readCsvTable } from "../platform/csv-table.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { sentenceOf, type FieldError } from "../platform/errors.ts";
import { decoderOf } from "../platform/http/field.ts";
import { object } from "../platform/http/fields.ts";
import { listColumns, findCustomersByCode } from "./customer-store.ts";
import { gstinField, nameKey, withGstin, type CustomColumn, type CustomField } from "./customer.ts";
import { newCustomerFields, readNewCustomer } from "./customer-fields.ts";
import { CUSTOMER_MEMBERS } from "./customer-members.ts";
import { GSTIN_NAMES } from "./gstin-headings.ts";

export const MAX_FILE_LINES = 10_000;

/** The columns of every such file. The merchant's own follow by their names. */
const { custom_fields: _columns, ...headed } = newCustomerFields;
type Heading = keyof typeof headed;
const HEADINGS = Object.keys(headed) as Heading[];
const REQUIRED = CUSTOMER_MEMBERS.flatMap((member) => ("isRequired" in member ? [member.name] : []));

/** A customer in the API: the members of `newCustomerFields`. */
export type FileCustomer = Readonly<Record<Heading, string>> & {
  readonly custom_fields: readonly FileField[];
};
/** One of the merchant's columns, or the GSTIN with its name and type, if no column is for it. */
type FileField = Pick<CustomField, "id" | "value"> & Partial<CustomField>;

export type CustomerFile = {
  /** The number of lines with a customer, valid or not. */
  readonly lines: number;
  readonly good: readonly { readonly line: number; readonly customer: FileCustomer }[];
  /** The errors, by line. `field` is the heading. */
  readonly errors: readonly { readonly line: number; readonly field: string; readonly message: string }[];
  /** Unknown headings. */
  readonly ignored: readonly string[];
};

export type ReadCustomers = {
  readonly bytes: Uint8Array;
  /** The sender's order of the file's dates; `null` if not given. */
  readonly dateOrder: DateOrder | null;
};

type LineError = CustomerFile["errors"][number];
/** The meaning of each column of the file: a heading, one of the merchant's columns, or nothing. */
type Place = Heading | typeof GSTIN_HEADING | CustomColumn | null;

const GSTIN_HEADING = "gstin";

/** The columns of exported files with a customer's dues: an import ignores them. docs/rules/customers.md#files */
export const DUES_HEADINGS = ["due_amount", "overdue_amount", "advance_amount"] as const;

const decodeCustomer = decoderOf(object(newCustomerFields));

/** The headings of an empty sample file. */
export function customerFileHeadings(columns: readonly CustomColumn[]): string[] {
  return [...HEADINGS, ...gstinHeadings(columns), ...columns.map(({ name }) => name)];
}

/** The heading of the GSTIN, unless a column of the merchant's has that name. */
export function gstinHeadings(columns: readonly CustomColumn[]): string[] {
  return columns.some(({ name }) => nameKey(name) === GSTIN_HEADING) ? [] : [GSTIN_HEADING];
}

/**
 * Reads a file of customers.
 * @throws NodalError `validation_failed` for an unusable file: not CSV, without the headings, or too long
 */
export async function readCustomerFile(
  { pool, merchant }: ReadContext,
  { bytes, dateOrder }: ReadCustomers,
): Promise<CustomerFile> {
  const columns = await listColumns(pool, merchant);
  const { rows, places, misshapen, ignored } = await readCsvTable<NonNullable<Place>>(bytes, {
    items: "customers",
    maxRows: MAX_FILE_LINES,
    // A known heading has priority over the merchant's own columns.
    columns: [
      ...GSTIN_NAMES.map((name) => [name, GSTIN_HEADING] as const),
      ...columns.map((column) => [column.name, column] as const),
      ...HEADINGS.map((heading) => [heading, heading] as const),
    ],
    required: REQUIRED,
    isDate: (place) => typeof place !== "string" && place.type === "date",
    dateOrder,
    key: String(merchant.merchantId),
  });
  const byId = new Map(columns.map((column) => [String(column.columnId), column]));
  const errors = misshapen.map(({ record: { line }, field, problem }): LineError => ({
    line,
    field,
    message: sentenceOf({ field: field || "The line", problem }),
  }));
  const customers = rows.map((row) => ({ line: row.line, customer: toCustomer(row, places, columns, errors) }));
  for (const { line, customer } of customers) errors.push(...checkLine(line, customer, byId));
  errors.push(...(await findTaken(pool, merchant, customers)));
  errors.sort((one, other) => one.line - other.line);
  const bad = new Set(errors.map(({ line }) => line));
  return {
    lines: rows.length + misshapen.length,
    good: customers.filter(({ line }) => !bad.has(line)),
    errors,
    ignored: ignored.filter((heading) => !DUES_HEADINGS.some((known) => known === heading)),
  };
}

function toCustomer(
  { line, cells }: CsvRecord,
  places: readonly Place[],
  columns: readonly CustomColumn[],
  errors: LineError[],
): FileCustomer {
  const texts = Object.fromEntries(HEADINGS.map((heading) => [heading, ""])) as Record<Heading, string>;
  const fields: FileField[] = [];
  let gstin = "";
  for (const [index, place] of places.entries()) {
    const value = cells[index] ?? "";
    if (place === GSTIN_HEADING) {
      if (gstin !== "" && value !== "" && value !== gstin) errors.push(otherGstin(line));
      gstin ||= value;
    } else if (typeof place === "string") texts[place] = typedField(place, value);
    else if (place && value !== "") fields.push({ id: String(place.columnId), value: typedField(place.type, value) });
  }
  if (gstin === "") return { ...texts, custom_fields: fields };
  const field = gstinField([], columns);
  const known = fields.find(({ id }) => id === field.id)?.value ?? gstin;
  if (known.toUpperCase() !== gstin.toUpperCase()) errors.push(otherGstin(line));
  return { ...texts, custom_fields: withGstin(fields, field, gstin) };
}

function otherGstin(line: number): LineError {
  const message = "The line has two different GSTINs: keep only one.";
  return { line, field: GSTIN_HEADING, message };
}

function checkLine(line: number, customer: FileCustomer, columns: ReadonlyMap<string, CustomColumn>): LineError[] {
  const errors: FieldError[] = [];
  const decoded = decodeCustomer(customer, "", errors);
  readNewCustomer(decoded, "", columns, errors);
  return errors.map((error) => {
    const place = /^\.?custom_fields\[(\d+)\]/.exec(error.field)?.[1];
    const name =
      place === undefined
        ? error.field
        : (columns.get(customer.custom_fields[Number(place)]!.id)?.name ?? GSTIN_HEADING);
    return { line, field: name, message: sentenceOf({ ...error, field: name }) };
  });
}

/** Codes that are repeated in the file, or that customers already have. */
async function findTaken(
  db: Queryable,
  merchant: MerchantKey,
  customers: readonly { readonly line: number; readonly customer: FileCustomer }[],
): Promise<LineError[]> {
  const codes = customers.map(({ customer }) => customer.customer_code).filter((code) => code !== "");
  const taken = await findCustomersByCode(db, merchant, codes);
  const firstLine = new Map<string, number>();
  const errors: LineError[] = [];
  for (const { line, customer } of customers) {
    const code = customer.customer_code;
    const first = firstLine.get(code);
    if (code === "") continue;
    const reason = taken.has(code)
      ? "already belongs to a customer: change it, or remove the line"
      : first === undefined
        ? null
        : `is on line ${first} already: remove one of the two`;
    if (reason !== null) errors.push({ line, field: "customer_code", message: `customer_code ${code} ${reason}.` });
    if (first === undefined) firstLine.set(code, line);
  }
  return errors;
}
