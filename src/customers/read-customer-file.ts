// One question: which customers a CSV file holds, and what is wrong with which of its lines. Nothing is saved.
// What belongs here: headings, lines, and codes that are taken. What a customer's fields may be is in customer-fields.ts.
import type { MerchantKey } from "../merchants/index.ts";
import { rearm } from "../platform/csv.ts";
import { readCsv, type CsvRecord } from "../platform/csv-reader.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { NodalError, type FieldError } from "../platform/errors.ts";
import { decoderOf } from "../platform/http/field.ts";
import { object } from "../platform/http/fields.ts";
import { decodeTextFile } from "../platform/text-file.ts";
import { listColumns } from "./custom-column-store.ts";
import type { CustomColumn } from "./custom-column.ts";
import { newCustomerFields, readNewCustomer } from "./customer-fields.ts";
import { findCustomersByCode } from "./customer-store.ts";
import { nameKey } from "./customer.ts";

export const MAX_FILE_LINES = 10_000;

/** The columns that every such file may have. The merchant's own follow by their names. */
const HEADINGS = [
  "customer_code",
  "customer_name",
  "email",
  "mobile",
  "address",
  "city",
  "state",
  "zipcode",
  "customer_group",
] as const;
const REQUIRED = ["customer_code", "customer_name"] as const;

/** A customer as the wire has it: the members of `newCustomerFields`. */
export type FileCustomer = Readonly<Record<(typeof HEADINGS)[number], string>> & {
  readonly custom_fields: readonly { readonly id: string; readonly value: string }[];
};

export type CustomerFile = {
  /** How many lines hold a customer, good or bad. */
  readonly lines: number;
  readonly good: readonly { readonly line: number; readonly customer: FileCustomer }[];
  /** What is wrong, by line. `field` is the heading. */
  readonly errors: readonly { readonly line: number; readonly field: string; readonly message: string }[];
  /** Headings that mean nothing here. */
  readonly ignored: readonly string[];
};

type LineError = CustomerFile["errors"][number];
/** What each column of the file is: a heading, one of the merchant's columns, or nothing. */
type Place = (typeof HEADINGS)[number] | CustomColumn | null;

const decodeCustomer = decoderOf(object(newCustomerFields));

/** The headings of a file that can be filled in. */
export function customerFileHeadings(columns: readonly CustomColumn[]): string[] {
  return [...HEADINGS, ...columns.map(({ name }) => name)];
}

/**
 * Reads a file of customers.
 * @throws NodalError `validation_failed` for a file that is no such file: not CSV, without the headings, or too long
 */
export async function readCustomerFile(db: Queryable, merchant: MerchantKey, bytes: Uint8Array): Promise<CustomerFile> {
  const text = decodeTextFile(bytes);
  if (text === null)
    throw unreadable("The file is not text in UTF-8: save it again as “CSV UTF-8”, and choose that file.");
  const [headings, ...lines] = readCsv(text);
  if (!headings || lines.length === 0)
    throw unreadable("The file has no line below its headings: add customers to it.");
  if (lines.length > MAX_FILE_LINES) {
    throw unreadable(`The file has ${lines.length} customers, and may have ${MAX_FILE_LINES}: divide it.`);
  }
  const columns = await listColumns(db, merchant);
  const places = placesOf(headings, columns);
  const byId = new Map(columns.map((column) => [String(column.columnId), column]));
  const errors: LineError[] = [];
  const customers = lines.map((row) => ({ line: row.line, customer: toCustomer(row, places) }));
  for (const { line, customer } of customers) errors.push(...checkLine(line, customer, byId));
  errors.push(...(await findTaken(db, merchant, customers)));
  errors.sort((one, other) => one.line - other.line);
  const bad = new Set(errors.map(({ line }) => line));
  const ignored = headings.cells.filter((cell, index) => places[index] === null && cell.trim() !== "");
  return { lines: lines.length, good: customers.filter(({ line }) => !bad.has(line)), errors, ignored };
}

function placesOf({ cells }: CsvRecord, columns: readonly CustomColumn[]): Place[] {
  const byName = new Map<string, Place>(columns.map((column) => [headingKey(column.name), column]));
  for (const heading of HEADINGS) byName.set(headingKey(heading), heading);
  const keys = cells.map(headingKey);
  const places = keys.map((key) => byName.get(key) ?? null);
  const missing = REQUIRED.filter((heading) => !places.includes(heading));
  if (missing.length > 0)
    throw unreadable(`The first line has to name the columns, and names no ${missing.join(" and no ")}.`);
  const twice = cells.find((_, index) => places[index] !== null && keys.indexOf(keys[index]!) !== index);
  if (twice !== undefined) throw unreadable(`The first line names ${twice.trim()} twice: remove one of the columns.`);
  return places;
}

/** "Customer Code", "customer-code" and "customer_code" are the same heading. */
function headingKey(text: string): string {
  return nameKey(text.trim()).replaceAll(/[\s_-]+/g, " ");
}

function toCustomer({ cells }: CsvRecord, places: readonly Place[]): FileCustomer {
  const texts = Object.fromEntries(HEADINGS.map((heading) => [heading, ""])) as Record<
    (typeof HEADINGS)[number],
    string
  >;
  const fields: { id: string; value: string }[] = [];
  for (const [index, place] of places.entries()) {
    const value = rearm((cells[index] ?? "").trim());
    if (typeof place === "string") texts[place] = value;
    else if (place && value !== "") fields.push({ id: String(place.columnId), value });
  }
  return { ...texts, custom_fields: fields };
}

function checkLine(line: number, customer: FileCustomer, columns: ReadonlyMap<string, CustomColumn>): LineError[] {
  const errors: FieldError[] = [];
  const decoded = decodeCustomer(customer, "", errors);
  readNewCustomer(decoded, "", columns, errors);
  return errors.map(({ field, message }) => {
    const place = /^\.?custom_fields\[(\d+)\]/.exec(field)?.[1];
    const name = place === undefined ? field : columns.get(customer.custom_fields[Number(place)]!.id)!.name;
    return { line, field: name, message: message.startsWith(field) ? name + message.slice(field.length) : message };
  });
}

/** Codes that come twice in the file, or that customers have already. */
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
      ? "is the code of a customer already: change it, or leave the line out"
      : first === undefined
        ? null
        : `is on line ${first} already: remove one of the two`;
    if (reason !== null) errors.push({ line, field: "customer_code", message: `customer_code ${code} ${reason}.` });
    if (first === undefined) firstLine.set(code, line);
  }
  return errors;
}

function unreadable(message: string): NodalError {
  return new NodalError("validation_failed", message, { errors: [{ field: "file", code: "invalid", message }] });
}
