// From a stored credit note to the document that its customer gets.
// What belongs here: what is printed on it otherwise than on its invoice.
import { buildDocument, type DocumentSources } from "./build-document.ts";
import type { CreditNote } from "./credit-note.ts";
import type { InvoiceDocument } from "./document.ts";

/** The document of a credit note. `sources` are those of the invoice that it refers to. */
export function buildCreditNoteDocument(note: CreditNote, sources: DocumentSources): InvoiceDocument {
  const { invoice } = sources;
  return {
    ...buildDocument(sources),
    kind: "credit_note",
    number: note.creditNoteNumber,
    originalInvoice: { number: invoice.invoiceNumber, date: invoice.billDate },
    billDate: note.noteDate,
    dueDate: note.noteDate,
    headerFields: [{ name: "Reason", value: note.reason }],
    rows: note.content.rows,
    taxes: note.content.taxes,
    subTotalPaise: note.taxablePaise,
    taxTotalPaise: note.taxPaise,
    previousDuesPaise: 0n,
    totalPaise: note.amountPaise,
    paidPaise: 0n,
    creditedPaise: 0n,
    duePaise: 0n,
    status: "",
    // Terms of payment, where to pay, and the public page are the invoice's.
    terms: "",
    upi: null,
    publicUrl: "",
  };
}
