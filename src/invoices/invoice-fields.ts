// The invoice object of the API: documentation, validation against itself and the merchant's settings, and decoding.
import {
  fillableCustomFields,
  findColumns,
  newCustomerFields,
  readNewCustomer,
  type CustomColumn,
  type NewCustomer,
} from "../customers/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail, type Field } from "../platform/http/field.ts";
import {
  date,
  digitsOrNumber,
  flag,
  ifSent,
  list,
  money,
  object,
  optional,
  optionalText,
  text,
  textOrNumber,
  type Decoded,
} from "../platform/http/fields.ts";
import { taxPercentage } from "../platform/http/tax-fields.ts";
import { parseThousandths } from "../platform/money.ts";
import { findInvoice } from "./invoice-store.ts";
import type { CustomField, InvoiceInput } from "./invoice.ts";
import { lengthOfProse, PROSE, toRow } from "./lines/line-forms.ts";
import { checkItemRows, fillRows, findNamedItems, rowField, type NamedItems } from "./lines/line-items.ts";
import { checkDates, checkRows, knownHeaderField, MAX_TEXT_OF_ROWS, ownNumberOf } from "./saves/draft.ts";
import { supplyFields, toSentSupply } from "./supply-fields.ts";
import { checkHeaderLines, headerValue, MAX_HEADER_FIELDS } from "./templates/template-fields.ts";
import { findTemplate } from "./templates/template-store.ts";
import type { HeaderField } from "./templates/template.ts";

export const MAX_ROWS = 500;
const MAX_TAX_ROWS = 50;

/** The id of an invoice, such as `R000029148`. */
export function invoiceIdField(): Field<string> {
  return text({ hint: "an invoice_id, such as R000029148", maxLength: 17, pattern: /^R[0-9]{9,16}$/ });
}

const customField = object({
  id: optional(textOrNumber(50)),
  name: optionalText(100),
  type: optionalText(30),
  value: optional(headerValue()),
});

const taxRow = object({
  name: optionalText(50),
  percentage: taxPercentage(),
  applicable_on: money({ allowZero: true }),
});

/** Sent with empty members when an existing customer is billed. */
const newCustomer = object({
  ...newCustomerFields,
  customer_code: optional(textOrNumber(45)),
  customer_name: optionalText(200),
  custom_fields: optional(fillableCustomFields()),
});

const commonFields = {
  customer_code: optional(textOrNumber(45)),
  bill_cycle_name: optionalText(100),
  invoice_properties: optional(object({ notify_patron: optional(flag()) })),
  custom_header_fields: optional(list(customField, MAX_HEADER_FIELDS, 0)),
  particular_rows: {
    ...optional(list(rowField, MAX_ROWS, 0)),
    description: `At most ${MAX_TEXT_OF_ROWS} characters of ${PROSE} in all rows together.`,
  },
  tax_rows: optional(list(taxRow, MAX_TAX_ROWS, 0)),
  new_customer: optional(newCustomer),
  franchise_id: optional(digitsOrNumber(16)),
  previous_dues: optional(money({ allowZero: true })),
  round_off: optional(flag()),
  ...supplyFields,
};

/** A new invoice. */
export const invoiceFields = object({ ...commonFields, bill_date: date(), due_date: date() });
/** The replaceable members of an update. `undefined` ones were not sent and don't change; empty ones are `null`. */
export const invoiceUpdateFields = object({
  ...commonFields,
  bill_cycle_name: ifSent(commonFields.bill_cycle_name),
  franchise_id: ifSent(commonFields.franchise_id),
  previous_dues: ifSent(commonFields.previous_dues),
  bill_date: ifSent(optional(date())),
  due_date: ifSent(optional(date())),
});
/** Members of an update that can't be cleared. */
const KEPT_IF_EMPTY = ["bill_date", "due_date", "previous_dues", "franchise_id"] as const;

type WireCustomField = Decoded<typeof customField>;
type WireNewCustomer = Decoded<typeof newCustomer>;
type WireInvoice = Decoded<typeof invoiceUpdateFields>;

function toCustomField(field: WireCustomField): CustomField {
  return { id: field.id ?? "", name: field.name ?? "", type: field.type ?? "text", value: field.value ?? "" };
}

/**
 * The customer to create with the invoice. Adds its errors to `errors`, under `path`. A new customer with empty members means none.
 * docs/rules/invoicing.md#new-customer
 */
function toNewCustomer(
  wire: WireNewCustomer | null,
  path: string,
  columns: ReadonlyMap<string, CustomColumn>,
  errors: FieldError[],
): NewCustomer | null {
  if (!wire?.customer_code) return null;
  if (wire.customer_name === null) {
    fail(errors, `${path}.customer_name`, "required", "is required: it must be text of 1 to 200 characters.");
  }
  const named = { ...wire, customer_code: wire.customer_code, customer_name: wire.customer_name ?? "" };
  return readNewCustomer(named, path, columns, errors);
}

/** The merchant's settings that an invoice object is checked against. */
export type InvoiceSettings = {
  /** Of customers, by their ids. */
  readonly columns: ReadonlyMap<string, CustomColumn>;
  /** The template's; empty if they are not needed. */
  readonly headerFields: readonly HeaderField[];
  /** The items of its rows. */
  readonly items: NamedItems;
};

/** For an invoice object without new customers and items. */
export const NO_SETTINGS: InvoiceSettings = { columns: new Map(), headerFields: [], items: new Map() };

/** An invoice object of a request: invalid members are missing, or have an entry in `errors` and must not be used. */
export type SentInvoice = { readonly [Name in keyof WireInvoice]?: WireInvoice[Name] | undefined };

/**
 * Adds errors between the members of an invoice object to `errors`, so that the caller gets them together with those of single
 * members. An update may leave out what a new invoice (`isNew`) needs.
 */
export function checkInvoice(
  sent: SentInvoice,
  path: string,
  settings: InvoiceSettings,
  errors: FieldError[],
  isNew: boolean,
): void {
  const { bill_date: billDate, due_date: dueDate, customer_code: code, new_customer: newCustomer = null } = sent;
  const areValid = (...names: string[]): boolean => {
    const fields = names.map((name) => `${path}.${name}`);
    return !errors.some(({ field }) => field === path || fields.includes(field));
  };
  if (isNew && !code && !newCustomer?.customer_code) {
    const problem = "is required: send the code of a customer, or a new_customer with a customer_code.";
    const isMissing = areValid("customer_code", "new_customer", "new_customer.customer_code");
    if (isMissing) fail(errors, `${path}.customer_code`, "required", problem);
  }
  if (billDate && dueDate && areValid("bill_date", "due_date")) checkDates({ billDate, dueDate }, path, errors);
  if (isNew && areValid("particular_rows", "previous_dues")) {
    const rows = sent.particular_rows ?? [];
    checkRows(rows.length, lengthOfProse(rows, "name"), sent.previous_dues ?? 0n, path, errors);
  }
  checkItemRows(sent.particular_rows, settings.items, path, errors);
  const headerFields = (sent.custom_header_fields ?? []).map((field) =>
    knownHeaderField(settings.headerFields, toCustomField(field)),
  );
  for (const [index, field] of headerFields.entries()) {
    checkHeaderLines(field, `${path}.custom_header_fields[${index}]`, errors);
  }
  ownNumberOf(headerFields, path, errors);
  toNewCustomer(newCustomer, `${path}.new_customer`, settings.columns, errors);
}

/** Turns a decoded invoice object into the use case's input. Errors that depend on the merchant's columns go to `errors`. */
export function toInvoiceInput(
  invoice: WireInvoice,
  path: string,
  { columns, items }: Pick<InvoiceSettings, "columns" | "items">,
  errors: FieldError[],
): InvoiceInput {
  return {
    customerCode: invoice.customer_code,
    newCustomer: toNewCustomer(invoice.new_customer, `${path}.new_customer`, columns, errors),
    customerId: null,
    cycleName: invoice.bill_cycle_name === undefined ? null : (invoice.bill_cycle_name ?? ""),
    billDate: invoice.bill_date ?? null,
    dueDate: invoice.due_date ?? null,
    notify: invoice.invoice_properties?.notify_patron ?? false,
    headerFields: invoice.custom_header_fields?.map(toCustomField) ?? null,
    takesSeriesNumber: false,
    rows: invoice.particular_rows ? fillRows(invoice.particular_rows, items).map(toRow) : null,
    taxRows:
      invoice.tax_rows?.map((tax) => ({
        name: tax.name ?? "",
        percentThousandths: parseThousandths(tax.percentage)!,
        applicableOnPaise: tax.applicable_on,
      })) ?? null,
    franchiseId: invoice.franchise_id ? BigInt(invoice.franchise_id) : null,
    previousDuesPaise: invoice.previous_dues ?? null,
    roundsTotal: invoice.round_off,
    supply: toSentSupply(invoice),
    carries: [],
  };
}

/** The members of an update that were sent empty but can't be cleared. */
export function membersKept(invoice: Decoded<typeof invoiceUpdateFields>): readonly string[] {
  return KEPT_IF_EMPTY.filter((name) => invoice[name] === null);
}

/** The source of the invoices' template: its id (`null` for the default one), or the invoice that is changed. */
export type TemplateOf = { readonly templateId: bigint | null } | { readonly invoiceId: bigint | null };

/** Reads the settings for these invoices. A missing template or invoice is refused later, when it is used. */
export async function readInvoiceSettings(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoices: readonly SentInvoice[],
  of: TemplateOf,
): Promise<InvoiceSettings> {
  const merchant = { bucket, merchantId };
  const columns = await findColumns(db, merchant, invoices.map(newCustomerOf));
  const items = await findNamedItems(db, merchant, invoices);
  const hasHeader = invoices.some(({ custom_header_fields: fields }) => (fields ?? []).length > 0);
  if (!hasHeader) return { columns, items, headerFields: [] };
  const templateId = "templateId" in of ? of.templateId : await templateOfInvoice(db, merchant, of.invoiceId);
  const template = templateId === undefined ? null : await findTemplate(db, merchant, templateId);
  return { columns, items, headerFields: template?.headerFields ?? [] };
}

async function templateOfInvoice(
  db: Queryable,
  merchant: MerchantKey,
  invoiceId: bigint | null,
): Promise<bigint | undefined> {
  return invoiceId === null ? undefined : (await findInvoice(db, { ...merchant, invoiceId }))?.templateId;
}

/** A new customer of a parsed invoice: one without a code means none. */
function newCustomerOf({ new_customer: sent }: SentInvoice): SentInvoice["new_customer"] {
  return sent?.customer_code ? sent : null;
}
