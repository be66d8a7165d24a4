// From a stored invoice to the document that its customer sees.
// What belongs here: what of an invoice, its template and its customer is printed, and as what.
import type { Merchant } from "../merchants/index.ts";
import type { State } from "../platform/indian-states.ts";
import type { InvoiceDocument, Party } from "./document.ts";
import { dueOf, type Invoice, type InvoiceContent, type PartySnapshot } from "./invoice.ts";
import { stateOf } from "./supply.ts";
import type { Logo, Template } from "./template.ts";

export type DocumentSources = {
  readonly invoice: Invoice;
  readonly merchant: Merchant;
  readonly customerCode: string;
  readonly template: Pick<Template, "terms" | "signatory" | "accentColour" | "upiHandle">;
  readonly logo: Logo | null;
  readonly publicUrl: string;
  readonly today: Temporal.PlainDate;
};

/** The document of an invoice. Parties, rows and taxes are those of its making; its status is today's. */
export function buildDocument(sources: DocumentSources): InvoiceDocument {
  const { invoice, template } = sources;
  const { content } = invoice;
  const { supplier } = content;
  const duePaise = dueOf(invoice);
  const isOverdue = duePaise > 0n && Temporal.PlainDate.compare(invoice.dueDate, sources.today) < 0;
  return {
    kind: supplier.gstin === "" ? "invoice" : "tax_invoice",
    number: invoice.invoiceNumber,
    originalInvoice: null,
    billDate: invoice.billDate,
    dueDate: invoice.dueDate,
    cycleName: invoice.cycleName,
    supplier: toParty(supplier, stateOf(supplier)),
    logo: sources.logo,
    recipient: { ...toParty(content.recipient, recipientState(content)), code: sources.customerCode },
    placeOfSupply: content.placeOfSupply,
    reverseCharge: false,
    headerFields: content.headerFields
      .filter((field) => field.value !== "")
      .map(({ name, value }) => ({ name, value })),
    rows: content.rows,
    taxes: content.taxes,
    subTotalPaise: invoice.subTotalPaise,
    taxTotalPaise: invoice.taxTotalPaise,
    previousDuesPaise: invoice.previousDuesPaise,
    roundOffPaise: 0n,
    totalPaise: invoice.amountPaise,
    paidPaise: invoice.paidPaise,
    creditedPaise: invoice.creditedPaise,
    duePaise,
    status: isOverdue ? "Overdue" : invoice.status,
    terms: template.terms,
    signatory: template.signatory || supplier.name,
    accentColour: template.accentColour,
    upi: template.upiHandle === null ? null : { handle: template.upiHandle, payee: supplier.name },
    publicUrl: sources.publicUrl,
  };
}

/**
 * The recipient's state, by which the invoice was taxed. Invoices of earlier versions were taxed without it where they
 * could not read it: they stay as they were printed.
 */
function recipientState({ recipient, placeOfSupply }: InvoiceContent): State | null {
  const state = stateOf(recipient);
  return state?.code === placeOfSupply?.code ? state : null;
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
