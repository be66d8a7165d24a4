// What the form of an invoice holds, and how it goes over the wire. Members are named as on the wire, so that errors
// find them.
import type { Answer } from "../../api/contract.ts";
import type { CustomerChoice } from "../../components/customer-picker.tsx";
import { CUSTOMER_MEMBERS, type CustomerTexts } from "../../../../src/customers/customer-members.ts";
import { LINE_MEMBERS, lineTexts, type LineTexts } from "../../../../src/invoices/lines/line.ts";
import { amountOfPrice } from "../../../../src/invoices/lines/line-amount.ts";
import { memberTexts } from "../../../../src/platform/member.ts";
import { typedAmount, typedDiscount, typedPaise } from "../../../../src/platform/as-typed.ts";
import { parseDiscount } from "../../../../src/platform/discount.ts";
import { formatPaise, parseQuantity } from "../../../../src/platform/money.ts";
import { daysAfter } from "../../format/time.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { LINE_KINDS } from "./line-kinds.ts";
import { supplyOf, supplyRequest, type SupplyValues } from "./supply-values.ts";

export type RowValues = LineTexts & {
  /** Only for the list on the page. */
  readonly key: string;
};
export type TaxValues = {
  readonly key: string;
  readonly name: string;
  readonly percentage: string;
  readonly applicable_on: string;
};
export type HeaderFieldValues = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly value: string;
};

export type InvoiceValues = SupplyValues & {
  template_id: string;
  customer: CustomerChoice | null;
  /** The code of the customer that the edited invoice has: while it stays, so do the invoice's parties and its kind of tax. */
  kept_customer_code: string;
  /** Whether that customer's details are taken anew. */
  is_customer_renewed: boolean;
  /** The supply of the edited invoice; of a new one, none. */
  kept_supply: SupplyValues;
  is_new_customer: boolean;
  new_customer: CustomerTexts & {
    gstin: string;
    /** The custom field that it goes into. */
    gstin_field_id: string;
  };
  bill_date: string;
  due_date: string;
  bill_cycle_name: string;
  franchise_id: string;
  custom_header_fields: readonly HeaderFieldValues[];
  particular_rows: readonly RowValues[];
  has_own_taxes: boolean;
  tax_rows: readonly TaxValues[];
  previous_dues: string;
  round_off: boolean;
  notify: boolean;
};

export type TemplateChoice = Answer<"GET", "/invoices/form">["templates"][number];

export const NO_CUSTOMER = {
  ...memberTexts(CUSTOMER_MEMBERS, () => ""),
  gstin: "",
  gstin_field_id: "",
};

let keys = 0;
/** A key for a member of a list on the page. */
export function nextKey(): string {
  return `row-${(keys += 1)}`;
}

/** An empty row, or one that holds what a template or an invoice has. */
export function makeRow(values: Partial<Omit<RowValues, "key">> = {}): RowValues {
  return { ...lineTexts(() => ""), ...values, key: nextKey() };
}

/** As `makeRow`, of a tax. */
export function makeTax(values: Partial<Omit<TaxValues, "key">> = {}): TaxValues {
  return { name: "", percentage: "", applicable_on: "", ...values, key: nextKey() };
}

/** Members that say that somebody means a row: a rate or a code alone does not. */
const TYPED = LINE_MEMBERS.filter(({ kind }) => ["text", "amount", "price", "quantity"].includes(kind));

function isTyped(row: RowValues): boolean {
  return TYPED.some(({ name }) => row[name] !== "");
}

/** What a row with a price comes to, as its field shows it; `null` for a row without one, whose amount is typed. */
export function amountOfRow({ quantity, unit_price: price, discount }: RowValues): string | null {
  const paise = typedPaise(price);
  if (paise === null) return null;
  const thousandths = quantity.trim() === "" ? null : parseQuantity(typedAmount(quantity));
  const less = typedDiscount(discount);
  const amount = amountOfPrice({
    quantity: thousandths,
    unit_price: paise,
    discount: parseDiscount(less) === null ? null : less,
  });
  return amount === null ? null : formatPaise(amount);
}

/** The values with another template's header fields, and its rows and taxes where nothing was typed yet. */
export function withTemplate(values: InvoiceValues, template: TemplateChoice): InvoiceValues {
  const typed = new Map(values.custom_header_fields.map(({ id, value }) => [id, value]));
  const isUntouched = !values.particular_rows.some(isTyped);
  const rows = template.default_rows.map(makeRow);
  const taxes = template.default_taxes.map(makeTax);
  return {
    ...values,
    template_id: template.template_id,
    custom_header_fields: template.header_fields.map((field) => ({
      ...field,
      value: typed.get(field.id) || field.value,
    })),
    ...(isUntouched && rows.length > 0 ? { particular_rows: rows } : {}),
    ...(isUntouched && taxes.length > 0 ? { tax_rows: taxes, has_own_taxes: true } : {}),
  };
}

const DAYS_TO_PAY = 15;

/** What the form of a new invoice begins with. */
export function emptyInvoice({
  today,
  templates,
}: {
  readonly today: string;
  readonly templates: readonly TemplateChoice[];
}): InvoiceValues {
  const values: InvoiceValues = {
    template_id: "",
    customer: null,
    kept_customer_code: "",
    is_customer_renewed: false,
    ...supplyOf({}),
    kept_supply: supplyOf({}),
    is_new_customer: false,
    new_customer: { ...NO_CUSTOMER },
    bill_date: today,
    due_date: daysAfter(today, DAYS_TO_PAY),
    bill_cycle_name: "",
    franchise_id: "",
    custom_header_fields: [],
    particular_rows: [makeRow()],
    has_own_taxes: false,
    tax_rows: [],
    previous_dues: "",
    round_off: false,
    notify: false,
  };
  return templates[0] ? withTemplate(values, templates[0]) : values;
}

/** What is sure to be refused, before anything is sent. */
export const validateInvoice = {
  customer: (customer: CustomerChoice | null, { is_new_customer: isNew }: InvoiceValues): string | null =>
    customer === null && !isNew ? words.chooseCustomer : null,
};

/**
 * Rows and taxes of a request. `isDraft`: for adding up while somebody types, so that rows without an amount are left
 * out. Otherwise they keep their places, by which errors name them.
 */
export function linesOf(
  values: Pick<InvoiceValues, "particular_rows" | "has_own_taxes" | "tax_rows">,
  isDraft: boolean,
) {
  const last = values.particular_rows.findLastIndex(isTyped);
  const rows = isDraft
    ? values.particular_rows.filter((row) => row.total_amount.trim() !== "" || row.unit_price.trim() !== "")
    : values.particular_rows.slice(0, last + 1);
  return {
    // With a price the amount follows from it.
    particular_rows: rows.map((row) => ({
      ...lineTexts(({ name, kind }) => LINE_KINDS[kind].typed(row[name])),
      ...(row.unit_price.trim() === "" ? {} : { total_amount: "" }),
    })),
    tax_rows: values.has_own_taxes
      ? values.tax_rows.map(({ key: _key, applicable_on, ...tax }) => ({
          ...tax,
          applicable_on: typedAmount(applicable_on),
        }))
      : [],
  };
}

/** Whether the form changes an invoice whose parties stay as they are. */
export function keepsCustomer(values: InvoiceValues): boolean {
  const { customer, kept_customer_code: kept, is_customer_renewed: isRenewed, is_new_customer: isNew } = values;
  return kept !== "" && !isRenewed && !isNew && customer?.customer_code === kept;
}

/** The invoice object of a request. `isDraft` as above. */
export function toRequest(values: InvoiceValues, isDraft: boolean) {
  const { gstin, gstin_field_id: id, ...contact } = values.new_customer;
  const gstField = { id, name: "GSTIN", type: "gst", value: gstin };
  const customer = values.is_new_customer
    ? {
        customer_code: "",
        new_customer: { ...contact, custom_fields: gstin.trim() === "" ? [] : [gstField] },
      }
    : keepsCustomer(values)
      ? {}
      : { customer_code: values.customer?.customer_code ?? "" };
  return {
    ...customer,
    bill_cycle_name: values.bill_cycle_name,
    bill_date: values.bill_date,
    due_date: values.due_date,
    franchise_id: values.franchise_id || "0",
    custom_header_fields: values.custom_header_fields,
    ...linesOf(values, isDraft),
    // With another customer the invoice has the supply that the form shows, and not what followed from the customer before.
    ...supplyRequest(values, values.kept_supply, values.kept_customer_code !== "" && !keepsCustomer(values)),
    previous_dues: typedAmount(values.previous_dues) || "0",
    round_off: values.round_off ? "1" : "0",
    invoice_properties: { notify_patron: values.notify ? "1" : "0" },
  };
}
