// Turns a stored invoice or credit note into the customer's document: the printed parts of it, its template and its customer.
import { findCustomers } from "../customers/index.ts";
import { findMerchantByKey, ownBankAccount, suspended, todayOf, type Merchant } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { State } from "../platform/indian-states.ts";
import { changedWithSql } from "../platform/secrets/index.ts";
import {
  chargedTaxes,
  creditsGst,
  dueOf,
  findLogo,
  findTemplate,
  isAbroad,
  listRefundsOf,
  overdueDays,
  roundOffOf,
  shownStatus,
  stateOf,
  type CreditNote,
  type Invoice,
  type InvoiceContent,
  type Links,
  type Logo,
  type PartySnapshot,
  type Refund,
  type Row,
  type Template,
} from "../invoices/index.ts";
import type { InvoiceDocument, Party } from "./document.ts";

export type DocumentSources = {
  readonly invoice: Invoice;
  readonly merchant: Merchant;
  readonly customerCode: string;
  readonly template: Pick<Template, "terms" | "signatory" | "accentColour" | "upiHandle" | "printsBankAccount">;
  readonly logo: Logo | null;
  /** Those that have been paid to the customer. */
  readonly refunds: readonly Refund[];
  readonly publicUrl: string;
  readonly today: Temporal.PlainDate;
};

/** The document of an invoice. Parties, rows and taxes are those at its creation; its status is today's. */
export function buildDocument(sources: DocumentSources): InvoiceDocument {
  const { invoice, template } = sources;
  const { content } = invoice;
  const { supplier } = content;
  const duePaise = dueOf(invoice);
  return {
    kind: content.kind,
    number: invoice.invoiceNumber,
    originalInvoice: content.original
      ? { number: content.original.number, date: Temporal.PlainDate.from(content.original.date) }
      : null,
    billDate: invoice.billDate,
    dueDate: invoice.dueDate,
    cycleName: invoice.cycleName,
    supplier: toParty(supplier, stateOf(supplier)),
    logo: sources.logo,
    recipient: { ...recipientOf(content), code: sources.customerCode },
    placeOfSupply: content.placeOfSupply,
    reverseCharge: content.reverseCharge ?? false,
    endorsement: endorsementOf(content),
    country: content.supplyType?.startsWith("export") ? (content.buyer?.country ?? "") : "",
    deliveryAddress: content.deliveryAddress ?? "",
    shipping: content.shipping ?? null,
    headerFields: content.headerFields
      .filter((field) => field.value !== "")
      .map(({ name, value }) => ({ name, value })),
    rows: content.rows.map((row) => ratedRow(row, content)),
    taxes: content.taxes,
    hasOwnTaxes: content.ownTaxes,
    subTotalPaise: invoice.subTotalPaise,
    taxTotalPaise: invoice.taxTotalPaise,
    previousDuesPaise: invoice.previousDuesPaise,
    roundOffPaise: roundOffOf(invoice),
    totalPaise: invoice.amountPaise,
    paidPaise: invoice.paidPaise,
    creditedPaise: invoice.creditedPaise,
    refunds: refundsIn(sources),
    duePaise,
    status: shownStatus(invoice.status, overdueDays({ dueDate: invoice.dueDate, duePaise }, sources.today)),
    terms: template.terms,
    signatory: template.signatory || supplier.name,
    accentColour: template.accentColour,
    upi: template.upiHandle === null ? null : { handle: template.upiHandle, payee: supplier.name },
    bank: template.printsBankAccount ? ownBankAccount(sources.merchant) : null,
    publicUrl: sources.publicUrl,
  };
}

const ENDORSEMENTS: Readonly<Record<NonNullable<InvoiceContent["supplyType"]>, string>> = {
  export_with_tax: "Supply meant for export on payment of integrated tax",
  export_without_tax: "Supply meant for export under bond or letter of undertaking without payment of integrated tax",
  sez_with_tax:
    "Supply meant for supply to SEZ unit or SEZ developer for authorised operations on payment of integrated tax",
  sez_without_tax:
    "Supply meant for supply to SEZ unit or SEZ developer for authorised operations under bond or letter of undertaking " +
    "without payment of integrated tax",
  deemed_export: "Deemed export",
};

/** Source: CGST Rules, rule 46, third proviso. */
function endorsementOf({ supplyType, lutNumber = "" }: InvoiceContent): string {
  if (supplyType === undefined) return "";
  return `${ENDORSEMENTS[supplyType]}${lutNumber === "" ? "" : ` (LUT ${lutNumber})`}`;
}

function refundsIn({ refunds, merchant }: DocumentSources): InvoiceDocument["refunds"] {
  return refunds.map(({ paidAt, amountPaise }) => ({
    date: paidAt.toZonedDateTimeISO(merchant.timeZone).toPlainDate(),
    amountPaise,
  }));
}

/**
 * The recipient's state, by which the invoice was taxed unless the merchant named a place of supply. Earlier versions taxed
 * invoices without it if they could not read it: these are printed as before.
 */
function recipientState({ recipient, placeOfSupply, saidSupply }: InvoiceContent): State | null {
  const state = stateOf(recipient);
  const decides = (saidSupply?.place ?? null) === null;
  return decides && state?.code !== placeOfSupply?.code ? null : state;
}

/** The recipient. The state of an address abroad is its country, which has no code in India. */
function recipientOf(content: InvoiceContent): Party {
  const { recipient, buyer } = content;
  const state = recipientState(content);
  const country = buyer?.country ?? "";
  if (!isAbroad(state) || country === "") return toParty(recipient, state);
  return toParty({ ...recipient, state: country }, null);
}

/** A row with its charged rate: under a letter of undertaking that is 0. */
function ratedRow(row: Row, { supply }: InvoiceContent): Row {
  if (supply !== "zero_rated") return row;
  return { ...row, gstThousandths: 0n, ...(row.cessThousandths === undefined ? {} : { cessThousandths: 0n }) };
}

function toParty(party: PartySnapshot, state: State | null): Party {
  const place = [party.city, party.state, party.zipcode].filter((part) => part !== "").join(", ");
  return {
    name: party.name,
    addressLines: [...party.address.split("\n"), place].filter((line) => line.trim() !== ""),
    gstin: party.gstin || null,
    pan: party.pan || null,
    state,
    email: party.email,
    mobile: party.mobile,
  };
}

/**
 * Reads an invoice's template, customer and related data, as of today.
 * @throws NodalError `access_denied` if SQL has changed where customers pay
 */
export async function readSources(pool: Pool, invoice: Invoice, links: Links): Promise<DocumentSources> {
  const [merchant, customers, template, logo, refunds] = await Promise.all([
    findMerchantByKey(pool, invoice),
    findCustomers(pool, invoice, [invoice.customerId]),
    findTemplate(pool, invoice, invoice.templateId),
    findLogo(pool, invoice, invoice.templateId),
    listRefundsOf(pool, invoice),
  ]);
  if (template!.isChanged) throw changedWithSql("The invoice template");
  if (template!.printsBankAccount && merchant!.isChanged) throw suspended(merchant);
  return {
    invoice,
    merchant: merchant!,
    customerCode: customers.get(invoice.customerId)!.customerCode,
    template: template!,
    logo,
    refunds,
    publicUrl: links.shortUrl(invoice),
    today: todayOf(merchant!),
  };
}

/** The document of a credit note. `sources` are those of its invoice. */
export function buildCreditNoteDocument(note: CreditNote, sources: DocumentSources): InvoiceDocument {
  const { invoice } = sources;
  const refunds = sources.refunds.filter(({ creditNoteId }) => creditNoteId === note.creditNoteId);
  return {
    ...buildDocument({ ...sources, refunds }),
    kind: note.content.kind,
    number: note.creditNoteNumber,
    originalInvoice: { number: invoice.invoiceNumber, date: invoice.billDate },
    billDate: note.noteDate,
    dueDate: note.noteDate,
    headerFields: [{ name: "Reason", value: note.reason }],
    rows: note.content.rows.map((row) => ratedRow(row, note.content)),
    taxes: chargedTaxes(note),
    subTotalPaise: note.taxablePaise,
    taxTotalPaise: note.taxPaise,
    previousDuesPaise: 0n,
    roundOffPaise: note.amountPaise - note.taxablePaise - note.taxPaise,
    endorsement: creditsGst(note) ? endorsementOf(note.content) : "GST is not changed by this note.",
    totalPaise: note.amountPaise,
    paidPaise: 0n,
    creditedPaise: 0n,
    duePaise: 0n,
    status: note.cancelledAt === null ? "" : "Cancelled",
    // Terms of payment, payment details, and the public page are the invoice's.
    terms: "",
    upi: null,
    bank: null,
    publicUrl: "",
  };
}
