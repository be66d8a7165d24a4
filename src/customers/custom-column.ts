// The columns that a merchant defines for its customers, and what values each kind of column takes, without a database:
// docs/rules/customers.md#custom-columns.
import type { FieldError } from "../platform/errors.ts";
import { decoderOf, fail, type Field } from "../platform/http/field.ts";
import { email, gstin, mobile } from "../platform/http/fields.ts";
import type { CustomField } from "./customer.ts";

/** A column's values, checked one by one. */
type Check = (value: string, path: string, errors: FieldError[]) => string;

const LINE_BREAK = /[\r\n]/;
const MAX_TEXT_LENGTH = 500;
const MAX_NAME_LENGTH = 200;
const ISO_DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

const CHECK_OF_TYPE = {
  text: line(MAX_TEXT_LENGTH),
  textarea: (value: string) => value,
  number: byRule("a number, such as 12 or -12.5, of at most 15 digits and 6 decimals", (value) =>
    /^-?[0-9]{1,15}(\.[0-9]{1,6})?$/.test(value),
  ),
  date: byRule("a date that exists, in the form YYYY-MM-DD", isDate),
  gst: byField(gstin()),
  company_name: line(MAX_NAME_LENGTH),
  email: byField(email()),
  mobile: byField(mobile()),
} satisfies Record<string, Check>;

export type ColumnType = keyof typeof CHECK_OF_TYPE;

export const COLUMN_TYPES = Object.keys(CHECK_OF_TYPE) as ColumnType[];

/** A column of a merchant's customers. Its id is what custom fields name it by. */
export type CustomColumn = { readonly columnId: bigint; readonly name: string; readonly type: ColumnType };

/** How many columns a merchant may have: each request with custom fields reads them all. */
export const MAX_COLUMNS = 100;

/**
 * Checks the custom fields of one customer against the merchant's columns and returns them as they are to be kept: a
 * known id with its column's name and type, an unknown one as it came. A GSTIN is checked under any id: it decides
 * the customer's state. `path` is that of the list.
 */
export function checkCustomFields(
  columns: ReadonlyMap<string, CustomColumn>,
  fields: readonly CustomField[],
  path: string,
  errors: FieldError[],
): CustomField[] {
  const seen = new Set<string>();
  return fields.map((field, index) => {
    const at = `${path}[${index}]`;
    if (field.id !== "" && seen.has(field.id)) {
      fail(errors, `${at}.id`, "not_allowed", `must not be sent twice for one customer: ${field.id}.`);
    }
    seen.add(field.id);
    const column = columns.get(field.id);
    const { name, type } = column ?? field;
    const check = column || type === "gst" ? CHECK_OF_TYPE[type as ColumnType] : null;
    const value = check === null || field.value === "" ? field.value : check(field.value, `${at}.value`, errors);
    return { id: field.id, name, type, value };
  });
}

function byField(field: Field<string>): Check {
  return decoderOf(field);
}

function byRule(hint: string, holds: (value: string) => boolean): Check {
  return (value, path, errors) => {
    if (!holds(value)) fail(errors, path, "invalid", `must be ${hint}.`);
    return value;
  };
}

function line(maxLength: number): Check {
  return (value, path, errors) => {
    if (LINE_BREAK.test(value)) fail(errors, path, "invalid", "must be one line of text; remove its line breaks.");
    else if ([...value].length > maxLength) {
      fail(errors, path, "too_long", `must be at most ${maxLength} characters long.`);
    }
    return value;
  };
}

function isDate(value: string): boolean {
  if (!ISO_DATE.test(value)) return false;
  try {
    Temporal.PlainDate.from(value, { overflow: "reject" });
    return true;
  } catch {
    return false;
  }
}
