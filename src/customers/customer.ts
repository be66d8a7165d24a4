// Customers: the people a merchant bills; the merchant's custom columns for them, and the values of each kind of column
// (docs/rules/customers.md#custom-columns). One of these is the GSTIN: docs/rules/customers.md#gstin.
import { auditChange, auditValues, type NewEvent } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { panOfGstin } from "../platform/gst.ts";
import type { FieldError } from "../platform/errors.ts";
import { decoderOf, fail, type Field } from "../platform/http/field.ts";
import { email, gstin, mobile } from "../platform/http/fields.ts";
import { RecordList } from "../platform/http/record.ts";
import type { RecordOf } from "../platform/member.ts";
import { CUSTOMER_MEMBERS, type CustomerMember } from "./customer-members.ts";

export const customerRecord = new RecordList(CUSTOMER_MEMBERS);

/** A value of one of the merchant's own columns. One with an unknown id is stored unchanged. */
export type CustomField = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly value: string;
};

/** A customer's saved values. Missing texts are empty. */
export type CustomerDetails = RecordOf<CustomerMember> & { readonly customFields: readonly CustomField[] };

export type Customer = MerchantKey &
  CustomerDetails & {
    readonly customerId: bigint;
    readonly createdAt: Temporal.Instant;
    readonly updatedAt: Temporal.Instant;
  };

/** A customer to create. `path` is its place in the request: `customer[3]`. */
export type NewCustomer = CustomerDetails & { readonly groups: readonly string[]; readonly path: string };

/** The changes of a customer: missing or `undefined` members don't change. `groups` replaces all of its groups. */
export type CustomerChange = Partial<RecordOf<CustomerMember>> & {
  readonly customerId: bigint;
  readonly customFields: readonly CustomField[] | undefined;
  readonly groups: readonly string[] | undefined;
  readonly path: string;
};

/** The answer for a new or changed customer. */
export type SavedCustomer = Pick<Customer, "customerCode" | "customerName" | "email"> & {
  /** Below 2^53. */
  readonly customerId: number;
};

/** The same customer after a change. Custom fields are changed one by one: those that are not sent stay. */
export function applyChange(customer: Customer, change: CustomerChange, now: Temporal.Instant): Customer {
  const { customerId: _id, groups: _groups, path: _path, customFields, ...texts } = change;
  const merged = customFields ? mergeCustomFields(customer.customFields, customFields) : customer.customFields;
  return { ...customer, ...texts, customFields: merged, updatedAt: now };
}

/** Without fields, all are removed. */
function mergeCustomFields(old: readonly CustomField[], sent: readonly CustomField[]): readonly CustomField[] {
  if (sent.length === 0) return [];
  const merged = new Map([...old, ...sent].map((field) => [field.id, field]));
  return [...merged.values()];
}

/** The audit log event of a new or changed customer. The groups are those that were sent. */
export function customerEvent(
  before: Customer | null,
  after: Customer,
  groups: readonly string[] | undefined,
): NewEvent {
  const sent = groups === undefined ? {} : { groups };
  const subjectId = after.customerId;
  return before
    ? { type: "customer.changed", subjectId, ...auditChange(before, { ...after, ...sent }) }
    : { type: "customer.created", subjectId, after: auditValues({ ...after, ...sent }) };
}

/** A customer in an answer. */
export function describeSaved({ customerId, customerCode, customerName, email }: Customer): SavedCustomer {
  return { customerId: Number(customerId), customerCode, customerName, email };
}

/** The spelling in which names of groups and columns are compared, without case and in one Unicode composition. */
export function nameKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

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

/** A column of a merchant's customers. Custom fields refer to it by its id. */
export type CustomColumn = { readonly columnId: bigint; readonly name: string; readonly type: ColumnType };

/** The most columns of a merchant: each request with custom fields reads them all. */
export const MAX_COLUMNS = 100;

/**
 * Checks the custom fields of one customer against the merchant's columns and returns their stored form: a known id with its
 * column's name and type, an unknown one unchanged. A GSTIN is checked under any id: it decides the customer's state. `path` is
 * that of the list.
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

const TYPE = "gst";

function holds({ type, value }: CustomField): boolean {
  return type === TYPE && value !== "";
}

/** A customer's GSTIN; "" where it has none. */
export function gstinOf(fields: readonly CustomField[]): string {
  return fields.find(holds)?.value ?? "";
}

/** Adds an error if a customer's PAN does not match its GSTIN. `path` is the customer's. docs/rules/customers.md#pan */
export function checkPan(
  { pan, customFields }: Pick<CustomerDetails, "pan" | "customFields">,
  path: string,
  errors: FieldError[],
): void {
  const gstin = gstinOf(customFields);
  const pansGstin = panOfGstin(gstin);
  if (pan === "" || pansGstin === null || pan === pansGstin) return;
  const problem = `must be ${pansGstin}, which the GSTIN ${gstin} has as its 3rd to 12th character. Correct one of the two, or leave the PAN out.`;
  fail(errors, path === "" ? "pan" : `${path}.pan`, "invalid", problem);
}

/** The field of a customer's GSTIN, existing or new, without its value. */
export function gstinField(
  fields: readonly CustomField[],
  columns: Iterable<CustomColumn>,
): Omit<CustomField, "value"> {
  const held = fields.find(holds);
  if (held) return { id: held.id, name: held.name, type: TYPE };
  const column = [...columns].find(({ type }) => type === TYPE);
  return column
    ? { id: String(column.columnId), name: column.name, type: TYPE }
    : { id: "gstin", name: "GSTIN", type: TYPE };
}

/** Custom fields with a GSTIN in its field or, if it is "", without that field. */
export function withGstin<Field extends { readonly id: string }>(
  fields: readonly Field[],
  field: Omit<CustomField, "value">,
  gstin: string,
): (Field | CustomField)[] {
  const others = fields.filter(({ id }) => id !== field.id);
  return gstin === "" ? others : [{ ...field, value: gstin }, ...others];
}
