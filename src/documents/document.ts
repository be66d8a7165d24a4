// The invoice as a document: the content of its PDF and its public page, and nothing else. Amounts are paise, percentages
// thousandths of a percent (18 % is 18000n).
import type { DocumentKind, Row, Tax } from "../invoices/index.ts";
import type { MerchantBankAccount } from "../merchants/index.ts";
import { unprintableLetters } from "../platform/pdf/fonts.ts";

/** The supplier or the recipient. Empty text and `null` are not printed. */
export type Party = {
  readonly name: string;
  readonly addressLines: readonly string[];
  readonly gstin: string | null;
  readonly pan: string | null;
  /** `code` is the two digits that begin a GSTIN. */
  readonly state: { readonly code: string; readonly name: string } | null;
  readonly email: string;
  readonly mobile: string;
};

/** A bitmap of limited size, drawn by Nodal itself. */
export type DocumentLogo = { readonly mimeType: "image/png"; readonly bytes: Uint8Array };

/** The copies of an invoice that stay in India, or with the supplier. Source: CGST Rules, rule 48. */
export const COPIES = ["duplicate", "triplicate"] as const;
export type Copy = (typeof COPIES)[number];

export type InvoiceDocument = {
  readonly kind: DocumentKind;
  /** The copy; by default the recipient's. */
  readonly copy?: Copy;
  /** Whether it is unsaved: its pages are marked so. */
  readonly isDraft?: true;
  readonly number: string | null;
  /** The invoice of a credit note; `null` for an invoice. */
  readonly originalInvoice: { readonly number: string; readonly date: Temporal.PlainDate } | null;
  readonly billDate: Temporal.PlainDate;
  readonly dueDate: Temporal.PlainDate;
  readonly cycleName: string;
  readonly supplier: Party;
  readonly logo: DocumentLogo | null;
  readonly recipient: Party & { readonly code: string };
  readonly placeOfSupply: { readonly code: string; readonly name: string } | null;
  readonly reverseCharge: boolean;
  /** The statement that the law requires on an export or a supply to an SEZ; empty for others. */
  readonly endorsement: string;
  /** For an export; else empty. */
  readonly country: string;
  /** The delivery address, if it is not the recipient's; else empty. Line breaks are kept. */
  readonly deliveryAddress: string;
  readonly shipping: { readonly billNo: string; readonly billDate: string; readonly portCode: string } | null;
  readonly headerFields: readonly { readonly name: string; readonly value: string }[];
  readonly rows: readonly Row[];
  readonly taxes: readonly Tax[];
  /** Whether the merchant sent the taxes: a row without a rate may still be taxed. */
  readonly hasOwnTaxes: boolean;
  readonly subTotalPaise: bigint;
  readonly taxTotalPaise: bigint;
  readonly previousDuesPaise: bigint;
  /** The rounding of the total, negative if rounded down; 0n if there is none. */
  readonly roundOffPaise: bigint;
  /** Sub-total, tax, previous dues and round-off together. */
  readonly totalPaise: bigint;
  readonly paidPaise: bigint;
  /** The reduction of the due amount by credit notes. */
  readonly creditedPaise: bigint;
  /** Refunds to the customer, oldest first: for an invoice, of all its credit notes. */
  readonly refunds: readonly { readonly date: Temporal.PlainDate; readonly amountPaise: bigint }[];
  readonly duePaise: bigint;
  /** As in the API: `Unpaid`, `Partially paid`, `Paid offline`, `Paid online`, `Cancelled`, `Carried forward`, `Overdue`. */
  readonly status: string;
  /** Line breaks are kept. */
  readonly terms: string;
  readonly signatory: string;
  /** `#rrggbb`; anything else prints in the default colour. */
  readonly accentColour: string;
  readonly upi: { readonly handle: string; readonly payee: string } | null;
  /** The account to pay to; `null` if it is not printed. */
  readonly bank: MerchantBankAccount | null;
  readonly publicUrl: string;
};

/** The characters of a document that its PDF shows as empty boxes, each once; empty if there are none. */
export function unprintableIn(document: InvoiceDocument): string {
  const texts = { ...document, logo: null };
  return unprintableLetters(JSON.stringify(texts, (_, value: unknown) => (typeof value === "bigint" ? 0 : value)));
}
