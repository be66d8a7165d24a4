// Turns a merchant's input into an invoice to write: parties, header fields, supply, totals. No database.
import { gstinOf, type CustomerDetails } from "../../customers/index.ts";
import { companyRecord, todayOf, type Merchant } from "../../merchants/index.ts";
import type { FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import {
  statusOf,
  type CustomField,
  type Invoice,
  type InvoiceContent,
  type InvoiceInput,
  type InvoiceKey,
  type PartySnapshot,
} from "../invoice.ts";
import { checkPrices, checkRates, checkSupply, checkTotal } from "./check-draft.ts";
import { financialYearOf, isWellFormedNumber, namesInvoiceNumber } from "../numbers/number-series.ts";
import type { HeaderField, Template } from "../templates/template.ts";
import { isOpeningBalance, isRegistered, kindOfInvoice } from "../document-kind.ts";
import type { Row } from "../lines/line.ts";
import { lengthOfProse, PROSE } from "../lines/line-forms.ts";
import { chargedSupply, withoutTax } from "../gst-row.ts";
import { decidesSupply, particularsOf, saidSupplyOf } from "../supply-fields.ts";
import { supplyOf, type Buyer, type Lut, type PlacedSupply, type SaidSupply } from "../supply.ts";
import { addUp, type TaxRow, type Totals } from "../totals.ts";

/**
 * The longest texts of all rows together, in characters. 500 rows of 200 characters fit; a PDF of that size takes the renderer a
 * second or two.
 */
export const MAX_TEXT_OF_ROWS = 100_000;

/** The parts of an invoice that determine its content and totals. */
export type DraftParts = {
  readonly supplier: PartySnapshot;
  readonly recipient: PartySnapshot;
  /** The recipient's. */
  readonly customerCode: string;
  readonly isNewCustomer?: boolean;
  /** The supply of a saved invoice, while its parties don't change; otherwise it is derived from the parties. */
  readonly kept?: PlacedSupply | null;
  readonly buyer?: Buyer;
  readonly said?: SaidSupply;
  readonly lut?: Lut;
  /** Other printed details of the supply. */
  readonly particulars?: ReturnType<typeof particularsOf>;
  readonly headerFields: readonly CustomField[];
  readonly rows: readonly Row[];
  /** Empty if taxes are computed from the rows. */
  readonly taxRows: readonly TaxRow[];
  readonly previousDuesPaise: bigint;
  /** Whether the total without previous dues is rounded to whole rupees. */
  readonly roundsTotal?: boolean;
  readonly billDate: Temporal.PlainDate;
  readonly dueDate: Temporal.PlainDate;
};

export type Draft = Totals & { readonly previousDuesPaise: bigint; readonly content: InvoiceContent };

/** The merchant, template and customer of an invoice. */
export type DraftSources = Pick<DraftParts, "recipient" | "customerCode" | "buyer"> & {
  readonly merchant: Merchant;
  readonly template: Pick<Template, "company" | "headerFields">;
};

/** Whether a request names the customer. An update that doesn't keeps the recipient and the kind of tax. */
export function namesCustomer({
  customerCode,
  customerId,
  newCustomer,
}: Pick<InvoiceInput, "customerCode" | "customerId" | "newCustomer">): boolean {
  return customerCode !== null || customerId !== null || newCustomer !== null;
}

/**
 * The parts of an invoice. Members missing in `input` come from the saved invoice (`saved`), or are defaults if `saved` is `null`.
 * docs/rules/invoicing.md#changing-an-invoice
 */
export function partsOf(sources: DraftSources, input: InvoiceInput, saved: Invoice | null): DraftParts {
  const { merchant, template, recipient, customerCode, buyer } = sources;
  const content = saved?.content ?? null;
  const parties = content && !namesCustomer(input) ? content : null;
  const said = saidSupplyOf(input.supply, content);
  // Under a letter of undertaking the date matters too.
  const isDecided = decidesSupply(input.supply) || (input.billDate !== null && parties?.supplyType !== undefined);
  const billDate = input.billDate ?? saved?.billDate ?? todayOf(merchant);
  return {
    supplier: content?.supplier ?? supplierOf(merchant, template.company),
    recipient: parties?.recipient ?? recipient,
    customerCode,
    isNewCustomer: input.newCustomer !== null,
    kept: isDecided ? null : parties,
    ...buyerOf(parties ? parties.buyer : buyer),
    said,
    lut: merchant,
    particulars: particularsOf(input.supply, content),
    headerFields: headerFieldsOf(template.headerFields, input, content?.headerFields ?? null),
    rows: input.rows ?? content?.rows ?? [],
    taxRows: input.taxRows ?? (content?.ownTaxes ? content.taxes : []),
    previousDuesPaise: input.previousDuesPaise ?? saved?.previousDuesPaise ?? 0n,
    roundsTotal: input.roundsTotal ?? content?.roundsTotal ?? false,
    billDate,
    dueDate: input.dueDate ?? saved?.dueDate ?? billDate,
  };
}

function buyerOf(buyer: Buyer | undefined): Pick<DraftParts, "buyer"> {
  return buyer && (buyer.gstCategory !== "" || buyer.country !== "") ? { buyer } : {};
}

/**
 * A header field as sent, with the name and type that the template has for its id. One without an id is matched by its name; one
 * unknown to the template doesn't change.
 */
export function knownHeaderField(template: readonly HeaderField[], sent: CustomField): CustomField {
  const known = template.find(({ id, name }) => (sent.id === "" ? isSameName(name, sent.name) : id === sent.id));
  return known ? { ...known, value: sent.value } : sent;
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * The header fields of an invoice (docs/rules/invoicing.md#header-fields). A new one (`saved` is `null`) has those that were sent,
 * in order, and then the template's others with their defaults. A changed one has those that were sent, if any, instead of its own.
 */
function headerFieldsOf(
  template: readonly HeaderField[],
  { headerFields: sent, takesSeriesNumber }: Pick<InvoiceInput, "headerFields" | "takesSeriesNumber">,
  saved: readonly CustomField[] | null,
): readonly CustomField[] {
  if (sent === null && saved !== null) return saved;
  const named = (sent ?? []).map((field) => knownHeaderField(template, field));
  const isSent = ({ id }: HeaderField): boolean => named.some((field) => field.id === id);
  const fields = saved === null ? [...named, ...template.filter((field) => !isSent(field))] : named;
  return takesSeriesNumber ? withoutOwnNumber(fields) : fields;
}

/** An invoice's header fields without a number of the merchant's own, so that another invoice can copy them. */
export function withoutOwnNumber(fields: readonly CustomField[]): readonly CustomField[] {
  return fields.map((field) => (namesInvoiceNumber(field.name) ? { ...field, value: "" } : field));
}

/** The values of a new invoice besides its draft. */
export type NewInvoice = Pick<
  Invoice,
  | keyof InvoiceKey
  | "customerId"
  | "templateId"
  | "franchiseId"
  | "seriesId"
  | "invoiceNumber"
  | "cycleName"
  | "billDate"
  | "dueDate"
  | "carriedPaise"
  | "publicToken"
  | "createdAt"
>;

/** A new invoice, without payments. */
export function newInvoice(draft: Draft, rest: NewInvoice): Invoice {
  const { subTotalPaise, taxTotalPaise, previousDuesPaise, amountPaise, content } = draft;
  const amounts = { subTotalPaise, taxTotalPaise, previousDuesPaise, amountPaise, paidPaise: 0n, creditedPaise: 0n };
  const state = { ...amounts, carriedTo: null };
  return {
    ...rest,
    ...state,
    financialYear: financialYearOf(rest.billDate),
    sentAt: null,
    sentDate: null,
    paidDate: null,
    status: statusOf(state),
    carriedDuePaise: 0n,
    content,
    isOpeningBalance: isOpeningBalance(content.kind),
    originalInvoiceId: content.original?.invoiceId ?? null,
    revision: 1,
  };
}

/** The merchant as the supplier, with a template's company details in place of the profile's if given. */
export function supplierOf(merchant: Merchant, company: Partial<PartySnapshot>): PartySnapshot {
  return { ...companyRecord.pick(merchant), ...company };
}

/** A customer as the recipient. No rule requires the buyer's PAN on a document, so none has it. */
export function recipientOf(customer: CustomerDetails): PartySnapshot {
  const { customerName: name, customFields, pan: _pan, ...details } = customer;
  return companyRecord.pick({ ...details, name, gstin: gstinOf(customFields) });
}

/** A customer as whom an invoice is made for. */
export function billedTo(customer: CustomerDetails): Pick<DraftSources, "recipient" | "customerCode" | "buyer"> {
  const { customerCode, gstCategory, country } = customer;
  const buyer = { gstCategory: gstCategory as Buyer["gstCategory"], country };
  return { recipient: recipientOf(customer), customerCode, buyer };
}

/** Adds an error for an invoice that is due before its bill date. `path` is the invoice's, such as `invoice[0]`. */
export function checkDates(
  { billDate, dueDate }: Pick<DraftParts, "billDate" | "dueDate">,
  path: string,
  errors: FieldError[],
): void {
  if (Temporal.PlainDate.compare(dueDate, billDate) >= 0) return;
  fail(errors, `${path}.due_date`, "invalid", "must not be before bill_date.");
}

/** Adds an error if there is nothing to bill, or more text than fits a document: `length` is in characters. */
export function checkRows(
  count: number,
  length: number,
  previousDuesPaise: bigint,
  path: string,
  errors: FieldError[],
): void {
  if (length > MAX_TEXT_OF_ROWS) {
    const problem = `have ${length} characters of ${PROSE} in total; an invoice can have at most ${MAX_TEXT_OF_ROWS}. Shorten them, or split the invoice.`;
    fail(errors, `${path}.particular_rows`, "too_long", problem);
  }
  if (count > 0 || previousDuesPaise > 0n) return;
  fail(errors, `${path}.particular_rows`, "required", "must have at least one row, unless there are previous dues.");
}

/** Drafts an invoice. Errors are added to `errors` under `path` (such as `invoice[0]`); the result must not be used then. */
export function draftInvoice(parts: DraftParts, path: string, errors: FieldError[]): Draft {
  const { supplier, recipient, taxRows, previousDuesPaise, roundsTotal = false, headerFields } = parts;
  checkDates(parts, path, errors);
  checkRows(parts.rows.length, lengthOfProse(parts.rows, "property"), previousDuesPaise, path, errors);
  checkPrices(parts, path, errors);
  const kind = kindOfInvoice(parts);
  const isTaxed = isRegistered(parts);
  const { supply, placeOfSupply, supplyType, lutNumber } = parts.kept ?? supplyOf({ ...parts, isTaxed }, path, errors);
  const { reverseCharge = false, ...saidSupply } = parts.said ?? {};
  checkSupply({ ...parts, kind, supply, supplyType: supplyType ?? null, reverseCharge }, path, errors);
  if (isTaxed && taxRows.length === 0) checkRates(parts, path, errors);
  const charged = chargedSupply({ supply, reverseCharge });
  const rows = parts.rows.map((row) => withoutTax(row, charged));
  const totals = addUp(rows, taxRows, previousDuesPaise, charged, roundsTotal);
  checkTotal(totals, taxRows.length > 0, path, errors);
  const content: InvoiceContent = {
    kind,
    headerFields,
    rows,
    taxes: totals.taxes,
    ownTaxes: taxRows.length > 0,
    supply,
    placeOfSupply,
    ...(supplyType === undefined ? {} : { supplyType }),
    ...(isSaidSupply(saidSupply) ? { saidSupply } : {}),
    ...(reverseCharge ? { reverseCharge } : {}),
    ...(parts.buyer ? { buyer: parts.buyer } : {}),
    ...(lutNumber === undefined ? {} : { lutNumber }),
    ...parts.particulars,
    ...(roundsTotal ? { roundsTotal } : {}),
    ...(totals.roundOffPaise === 0n ? {} : { roundOffPaise: totals.roundOffPaise }),
    supplier,
    recipient,
  };
  return { ...totals, previousDuesPaise, content };
}

function isSaidSupply(said: Partial<SaidSupply>): said is NonNullable<InvoiceContent["saidSupply"]> {
  return said.type !== undefined && (said.type !== "auto" || said.place !== null);
}

/** An invoice number that the merchant sent, and its field in the request. */
export type OwnNumber = { readonly number: string; readonly field: string };

/**
 * The invoice number that the merchant sent in a header field, or `null`. Adds an error for a number that is not allowed; `path` is
 * the invoice's.
 */
export function ownNumberOf(
  headerFields: readonly Pick<CustomField, "name" | "value">[],
  path: string,
  errors: FieldError[],
): OwnNumber | null {
  const numbers = headerFields.flatMap(({ name, value }, index): OwnNumber[] =>
    namesInvoiceNumber(name) && value !== ""
      ? [{ number: value, field: `${path}.custom_header_fields[${index}].value` }]
      : [],
  );
  const [own, ...others] = numbers;
  if (own === undefined) return null;
  if (!isWellFormedNumber(own.number)) {
    fail(errors, own.field, "invalid", "must be an invoice number of 1 to 16 letters, digits, - and /.");
  }
  // It would be printed like the invoice's number, but without the check that it is free.
  for (const { number, field } of others) {
    const problem = `must equal ${own.field}, or be empty: an invoice has one number.`;
    if (number !== own.number) fail(errors, field, "invalid", problem);
  }
  return own;
}
