// Opening balances: customers' dues from before the merchant billed here. docs/rules/invoicing.md#opening-balances
import { customerCode, type Customer } from "../../customers/index.ts";
import { todayOf, type Merchant } from "../../merchants/index.ts";
import type { FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { date, ifSent, list, money, object, optional, optionalText } from "../../platform/http/fields.ts";
import { formatInvoiceId, type CustomField, type Invoice, type InvoiceContent } from "../invoice.ts";
import { financialYearOf } from "../numbers/number-series.ts";
import { newInvoice, recipientOf, supplierOf } from "../saves/draft.ts";
import type { Template } from "../templates/template.ts";

/** docs/rules/values-and-errors.md#batches. */
const MAX_BATCH = 500;

/** An opening balance in a request. */
export type OpeningBalance = {
  readonly date: Temporal.PlainDate;
  readonly dueDate: Temporal.PlainDate;
  readonly amountPaise: bigint;
  readonly note: string;
  /** Such as the number in the earlier software. */
  readonly reference: string;
};

/** A new one. `path` is its place in the request, such as `opening_balance[3]`; empty for a single one. */
export type OpeningBalanceToSave = OpeningBalance & { readonly customerCode: string; readonly path: string };

const OWED_TO_CUSTOMER = "An opening balance is what the customer owes: what you owe the customer is an advance.";

const memberFields = {
  date: date(),
  due_date: optional(date()),
  amount: money({ remedy: OWED_TO_CUSTOMER }),
  note: optionalText(500),
  reference: optionalText(100),
};

/** The fields of a new opening balance. */
export const openingBalanceFields = { customer_code: customerCode(), ...memberFields };
/** The fields of a change. Missing members don't change. */
export const openingBalanceChanges = {
  date: ifSent(memberFields.date),
  due_date: ifSent(memberFields.due_date),
  amount: ifSent(memberFields.amount),
  note: ifSent(memberFields.note),
  reference: ifSent(memberFields.reference),
};
/** The `opening_balance` array of a batch. */
export const openingBalanceList = () => list(object(openingBalanceFields), MAX_BATCH);

type Sent = {
  readonly customer_code: string;
  readonly date: Temporal.PlainDate;
  readonly due_date: Temporal.PlainDate | null;
  readonly amount: bigint;
  readonly note: string | null;
  readonly reference: string | null;
};

/** A new opening balance of a request. Without a due date it is due on its date. */
export function readOpeningBalance(sent: Sent, path = ""): OpeningBalanceToSave {
  return {
    customerCode: sent.customer_code,
    date: sent.date,
    dueDate: sent.due_date ?? sent.date,
    amountPaise: sent.amount,
    note: sent.note ?? "",
    reference: sent.reference ?? "",
    path,
  };
}

/** The changes in a request. An empty member is cleared; an empty due date becomes the date. */
export function readOpeningBalanceChange(
  sent: { readonly [Name in Exclude<keyof Sent, "customer_code">]: Sent[Name] | undefined },
  before: OpeningBalance,
): OpeningBalance {
  const { date: day = before.date, amount = before.amountPaise, due_date, note, reference } = sent;
  return {
    date: day,
    dueDate: due_date === undefined ? before.dueDate : (due_date ?? day),
    amountPaise: amount,
    note: note === undefined ? before.note : (note ?? ""),
    reference: reference === undefined ? before.reference : (reference ?? ""),
  };
}

/** Adds errors between the members of an opening balance to `errors`. `path` as in `OpeningBalanceToSave`. */
export function checkOpeningBalance(
  { date: day, dueDate }: Pick<OpeningBalance, "date" | "dueDate">,
  merchant: Merchant,
  path: string,
  errors: FieldError[],
): void {
  const prefix = path === "" ? "" : `${path}.`;
  const today = todayOf(merchant);
  if (Temporal.PlainDate.compare(day, today) > 0) {
    const problem = `must not be after today, ${today.toString()}: it is the day from which the amount was owed.`;
    fail(errors, `${prefix}date`, "invalid", problem);
  }
  if (Temporal.PlainDate.compare(dueDate, day) < 0) {
    fail(errors, `${prefix}due_date`, "invalid", "must not be before date.");
  }
}

/**
 * The number of an opening balance in payments, messages and lists. No invoice can have such a number: series and merchants use
 * letters, digits, `-` and `/` (docs/rules/invoicing.md#invoice-number). It is unique by its id.
 */
function numberOf(invoiceId: bigint): string {
  return `OB_${formatInvoiceId(invoiceId)}`;
}

const REFERENCE: CustomField = { id: "reference", name: "Reference", type: "text", value: "" };
const NOTE: CustomField = { id: "note", name: "Note", type: "text", value: "" };

function headerFieldsOf({ reference, note }: Pick<OpeningBalance, "reference" | "note">): CustomField[] {
  return [
    { ...REFERENCE, value: reference },
    { ...NOTE, value: note },
  ];
}

/** An opening balance as sent, from its stored form. */
export function openingBalanceOf({ billDate, dueDate, amountPaise, content }: Invoice): OpeningBalance {
  const valueOf = ({ id }: CustomField): string => content.headerFields.find((field) => field.id === id)?.value ?? "";
  return { date: billDate, dueDate, amountPaise, note: valueOf(NOTE), reference: valueOf(REFERENCE) };
}

/** Its owner, and the template that prints it. */
export type OpeningBalanceSources = {
  readonly merchant: Merchant;
  readonly customer: Customer;
  readonly template: Template;
  readonly invoiceId: bigint;
  readonly publicToken: string;
};

/** A new opening balance in its stored form: an invoice with previous dues only, and its own kind. */
export function newOpeningBalance(
  opening: OpeningBalance,
  { merchant, customer, template, invoiceId, publicToken }: OpeningBalanceSources,
): Invoice {
  const content: InvoiceContent = {
    kind: "opening_balance",
    headerFields: headerFieldsOf(opening),
    rows: [],
    taxes: [],
    ownTaxes: false,
    supply: "untaxed",
    placeOfSupply: null,
    supplier: supplierOf(merchant, template.company),
    recipient: recipientOf(customer),
  };
  const { amountPaise } = opening;
  return newInvoice(
    {
      subTotalPaise: 0n,
      taxTotalPaise: 0n,
      roundOffPaise: 0n,
      previousDuesPaise: amountPaise,
      amountPaise,
      taxes: [],
      content,
    },
    {
      bucket: merchant.bucket,
      merchantId: merchant.merchantId,
      invoiceId,
      customerId: customer.customerId,
      templateId: template.templateId,
      // A franchise earns only on invoices billed here.
      franchiseId: 0n,
      seriesId: null,
      invoiceNumber: numberOf(invoiceId),
      cycleName: "",
      billDate: opening.date,
      dueDate: opening.dueDate,
      carriedPaise: 0n,
      publicToken,
      createdAt: Temporal.Now.instant(),
    },
  );
}

/** An opening balance after a change, as its next revision. */
export function changedOpeningBalance(before: Invoice, after: OpeningBalance): Invoice {
  return {
    ...before,
    financialYear: financialYearOf(after.date),
    billDate: after.date,
    dueDate: after.dueDate,
    previousDuesPaise: after.amountPaise,
    amountPaise: after.amountPaise,
    content: { ...before.content, headerFields: headerFieldsOf(after) },
    revision: before.revision + 1,
  };
}
