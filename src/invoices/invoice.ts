// Invoices: types, states, and the rules that need no database.
import type { NewCustomer } from "../customers/index.ts";
import type { companyRecord, MerchantKey } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import type { State } from "../platform/indian-states.ts";
import type { DocumentKind } from "./document-kind.ts";
import type { Row } from "./lines/line.ts";
import type { Supply } from "./gst-row.ts";
import type { Buyer, SentSupply, SentSupplyType, Shipping, SupplyType } from "./supply.ts";
import type { Tax, TaxRow } from "./totals.ts";

/** docs/rules/invoicing.md#invoice-status */
export const INVOICE_STATUSES = [
  "Unpaid",
  "Partially paid",
  "Paid offline",
  "Paid online",
  "Cancelled",
  "Carried forward",
] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];
/** The statuses in which an invoice has its own due amount. */
export const OPEN_STATUSES = ["Unpaid", "Partially paid"] as const satisfies readonly InvoiceStatus[];

/** The displayed statuses, which lists are filtered by: `Overdue` is not stored. */
export const SHOWN_STATUSES = [...INVOICE_STATUSES, "Overdue"] as const;

/** Names for several statuses, which the dashboard's list is filtered by too. */
const STATUS_GROUPS = {
  Open: OPEN_STATUSES,
  Paid: ["Paid offline", "Paid online"],
} as const satisfies Readonly<Record<string, readonly InvoiceStatus[]>>;
export const LISTED_STATUSES = [...SHOWN_STATUSES, "Open", "Paid"] as const;
export type ListedStatus = (typeof LISTED_STATUSES)[number];

/** The statuses of a name. `Overdue` depends on the day: it has none. */
export function statusesOf(status: Exclude<ListedStatus, "Overdue">): readonly InvoiceStatus[] {
  return status === "Open" || status === "Paid" ? STATUS_GROUPS[status] : [status];
}

export type CustomField = { readonly id: string; readonly name: string; readonly type: string; readonly value: string };

/** A party as it was when the invoice was created: printed details don't change. */
export type PartySnapshot = typeof companyRecord.blank;

/** The invoice that a debit note increases, as printed. */
export type OriginalInvoice = {
  readonly invoiceId: bigint;
  readonly number: string;
  /** YYYY-MM-DD */
  readonly date: string;
};

/** Printed content besides dates and totals. */
export type InvoiceContent = {
  readonly kind: DocumentKind;
  /** The invoice of a debit note; left out of other documents. */
  readonly original?: OriginalInvoice;
  readonly headerFields: readonly CustomField[];
  readonly rows: readonly Row[];
  readonly taxes: readonly Tax[];
  /** Whether the merchant sent the taxes; otherwise they are computed from the rows. */
  readonly ownTaxes: boolean;
  readonly supply: Supply;
  readonly placeOfSupply: State | null;
  /** Left out for a regular supply. */
  readonly supplyType?: SupplyType;
  /** Kind and place as sent by the merchant; otherwise they are derived from the recipient. */
  readonly saidSupply?: { readonly type: SentSupplyType; readonly place: State | null };
  /** Whether the recipient pays the tax; left out if not. */
  readonly reverseCharge?: boolean;
  /** The recipient's values that decide the kind of supply; left out if not given. */
  readonly buyer?: Buyer;
  /** The letter of undertaking of a supply without tax. */
  readonly lutNumber?: string;
  /** The delivery address, with line breaks, if it is not the recipient's. */
  readonly deliveryAddress?: string;
  readonly shipping?: Shipping;
  /** The GSTIN of the platform's operator. */
  readonly ecommerceGstin?: string;
  /** Whether the total without previous dues is rounded to whole rupees; left out if it is not. */
  readonly roundsTotal?: boolean;
  /** In paise; 0 or left out if there is none. */
  readonly roundOffPaise?: bigint;
  readonly supplier: PartySnapshot;
  readonly recipient: PartySnapshot;
};

export type InvoiceAmounts = {
  readonly subTotalPaise: bigint;
  readonly taxTotalPaise: bigint;
  readonly previousDuesPaise: bigint;
  readonly amountPaise: bigint;
  readonly paidPaise: bigint;
  readonly creditedPaise: bigint;
};

export type InvoiceKey = MerchantKey & { readonly invoiceId: bigint };

export type Invoice = InvoiceKey &
  InvoiceAmounts & {
    readonly customerId: bigint;
    readonly templateId: bigint;
    /** 0 where there is none. */
    readonly franchiseId: bigint;
    /** `null` if the merchant gave the number. */
    readonly seriesId: bigint | null;
    readonly financialYear: number;
    readonly invoiceNumber: string;
    readonly cycleName: string;
    readonly billDate: Temporal.PlainDate;
    readonly dueDate: Temporal.PlainDate;
    readonly sentAt: Temporal.Instant | null;
    /** The day of `sentAt` in the merchant's time zone. */
    readonly sentDate: Temporal.PlainDate | null;
    readonly paidDate: Temporal.PlainDate | null;
    readonly status: InvoiceStatus;
    /** The part of the previous dues that is carried from earlier invoices, which point to this one. */
    readonly carriedPaise: bigint;
    /** The later invoice that the dues were carried to; `null` if they are due here. */
    readonly carriedTo: bigint | null;
    /** The amount carried to `carriedTo`. */
    readonly carriedDuePaise: bigint;
    readonly content: InvoiceContent;
    /**
     * Whether it was billed elsewhere: docs/rules/invoicing.md#opening-balances. The database derives it from the content's kind.
     */
    readonly isOpeningBalance: boolean;
    /** The invoice of a debit note; `null` for other documents. The database derives it from the content. */
    readonly originalInvoiceId: bigint | null;
    readonly publicToken: string;
    readonly revision: number;
    readonly createdAt: Temporal.Instant;
  };

/** A merchant's input for an invoice, decoded: `null` for members not sent. */
export type InvoiceInput = {
  readonly customerCode: string | null;
  readonly newCustomer: NewCustomer | null;
  /** A known customer: its code is ignored then. */
  readonly customerId: bigint | null;
  readonly cycleName: string | null;
  readonly billDate: Temporal.PlainDate | null;
  readonly dueDate: Temporal.PlainDate | null;
  readonly notify: boolean;
  readonly headerFields: readonly CustomField[] | null;
  /** Whether a number in the header fields was copied from another invoice, so that this one takes the series' next. */
  readonly takesSeriesNumber: boolean;
  readonly rows: readonly Row[] | null;
  readonly taxRows: readonly TaxRow[] | null;
  readonly franchiseId: bigint | null;
  readonly previousDuesPaise: bigint | null;
  readonly roundsTotal: boolean | null;
  readonly supply: SentSupply;
  /** Earlier invoices: their dues are carried to this one. */
  readonly carries: readonly bigint[];
};

/** An invoice without its printed content. */
export type InvoiceHead = Omit<Invoice, "content">;

/** The due amount. */
export function dueOf(
  invoice: Pick<InvoiceAmounts, "amountPaise" | "paidPaise" | "creditedPaise"> & { readonly status: InvoiceStatus },
): bigint {
  if (invoice.status === "Cancelled" || invoice.status === "Carried forward") return 0n;
  return invoice.amountPaise - invoice.paidPaise - invoice.creditedPaise;
}

/** The due amount of all these invoices together. */
export function duesOf(invoices: readonly Invoice[]): bigint {
  return invoices.reduce((sum, invoice) => sum + dueOf(invoice), 0n);
}

/**
 * The number of days that an invoice has been overdue: counted from the day after its due date, while an amount is due on it. 0 if it is not
 * overdue. `isOverdueSql` in invoice-store.ts is the same. docs/rules/invoicing.md#invoice-status
 */
export function overdueDays(
  { dueDate, duePaise }: { readonly dueDate: Temporal.PlainDate; readonly duePaise: bigint },
  today: Temporal.PlainDate,
): number {
  return duePaise > 0n ? Math.max(0, dueDate.until(today, { largestUnit: "days" }).days) : 0;
}

/** The displayed status of an invoice that has been overdue for this many days. */
export function shownStatus<Status extends string>(status: Status, days: number): Status | "Overdue" {
  return days > 0 ? "Overdue" : status;
}

/** The amounts of an invoice that count once in a sum over many. */
export type InvoiceSums = { readonly billedPaise: bigint; readonly paidPaise: bigint; readonly duePaise: bigint };

/**
 * An invoice's part in sums over many. Previous dues are counted with the invoices that they come from: the billed amount excludes
 * them (and credit notes), the paid amount excludes what was passed on to earlier invoices, and the due amount excludes dues that
 * the merchant typed in, which are paid first. An opening balance was billed elsewhere, and all of it is due here. The function
 * invoice_sums in schema/13_invoices.sql is the same. docs/rules/invoicing.md#invoice-records
 */
export function sumsOf(
  invoice: InvoiceAmounts & Pick<Invoice, "status" | "carriedPaise" | "isOpeningBalance">,
): InvoiceSums {
  if (invoice.isOpeningBalance) return { billedPaise: 0n, paidPaise: invoice.paidPaise, duePaise: dueOf(invoice) };
  const { amountPaise, previousDuesPaise, creditedPaise, carriedPaise, paidPaise } = invoice;
  const ownPaidPaise = paidPaise > carriedPaise ? paidPaise - carriedPaise : 0n;
  const typedPaise = previousDuesPaise - carriedPaise - ownPaidPaise;
  const duePaise = dueOf(invoice) - (typedPaise > 0n ? typedPaise : 0n);
  return {
    billedPaise: invoice.status === "Cancelled" ? 0n : amountPaise - previousDuesPaise - creditedPaise,
    paidPaise: ownPaidPaise,
    duePaise: duePaise > 0n ? duePaise : 0n,
  };
}

/**
 * The status from the amounts, and from whether they are due on a later invoice. Manually recorded money counts as paid offline. An
 * invoice that only credit notes have settled was not paid: it is taken back, so its status is `Cancelled`.
 * docs/rules/invoicing.md#invoice-status
 */
export function statusOf(amounts: InvoiceAmounts & { readonly carriedTo: bigint | null }): InvoiceStatus {
  const duePaise = amounts.amountPaise - amounts.paidPaise - amounts.creditedPaise;
  if (duePaise > 0n && amounts.carriedTo !== null) return "Carried forward";
  if (duePaise === 0n) return amounts.paidPaise === 0n && amounts.creditedPaise > 0n ? "Cancelled" : "Paid offline";
  return amounts.paidPaise > 0n ? "Partially paid" : "Unpaid";
}

/** The amount that a payment can settle: 0 if the invoice is closed. */
export function payableOf(invoice: InvoiceAmounts & Pick<Invoice, "status">): bigint {
  const open: readonly InvoiceStatus[] = OPEN_STATUSES;
  return open.includes(invoice.status) ? dueOf(invoice) : 0n;
}

/** The API's form of an invoice id: `R` and at least 9 digits: docs/rules/values-and-errors.md#ids. */
export function formatInvoiceId(invoiceId: bigint): string {
  return `R${invoiceId.toString().padStart(9, "0")}`;
}

/** Reads an invoice id; `null` if it is not one. */
export function parseInvoiceId(text: string): bigint | null {
  return /^R[0-9]{9,16}$/.test(text) ? BigInt(text.slice(1)) : null;
}

/** @throws NodalError `invoice_cancelled` or `invoice_carried_forward` if the invoice has no due amount of its own any more */
export function refuseIfClosed(invoice: InvoiceHead): void {
  refuseIfCancelled(invoice);
  if (invoice.status === "Carried forward") throw carriedForward(invoice);
}

/** @throws NodalError `invoice_cancelled` */
export function refuseIfCancelled({ status, creditedPaise }: Pick<Invoice, "status" | "creditedPaise">): void {
  if (status !== "Cancelled") return;
  const message =
    creditedPaise > 0n
      ? "Credit notes have taken back all of this invoice: create a new one."
      : "This invoice was cancelled: create a new one.";
  throw new NodalError("invoice_cancelled", message);
}

/** The error for an invoice that the merchant doesn't have. */
export function invoiceNotFound(): NodalError {
  return new NodalError(
    "invoice_not_found",
    "This invoice does not exist: use an invoice_id from invoice/save or invoice/getlist.",
  );
}

/** The error for a change to dues that an invoice has carried forward. */
function carriedForward({ carriedTo }: Pick<Invoice, "carriedTo">): NodalError {
  const later = carriedTo === null ? "the later invoice" : formatInvoiceId(carriedTo);
  return new NodalError("invoice_carried_forward", `This invoice's dues were carried forward: use ${later}.`);
}

/** @throws NodalError `opening_balance_kept` for an opening balance, which is no invoice. `remedy` ends the sentence. */
export function refuseOpeningBalance({ isOpeningBalance }: Pick<Invoice, "isOpeningBalance">, remedy: string): void {
  if (isOpeningBalance)
    throw new NodalError("opening_balance_kept", `This is an opening balance, not an invoice: ${remedy}.`);
}

/** @throws NodalError `debit_note_kept` for a debit note, which names the rows of its invoice as they were */
export function refuseDebitNote({ originalInvoiceId }: Pick<Invoice, "originalInvoiceId">): void {
  if (originalInvoiceId === null) return;
  throw new NodalError("debit_note_kept", "A debit note can't be changed: cancel it, then issue another one.");
}

/** @throws NodalError `invoice_has_debit_notes` where debit notes charge more for the invoice */
export function refuseIfDebited(debitNotes: readonly Pick<Invoice, "invoiceNumber" | "status">[]): void {
  const first = debitNotes.find(({ status }) => status !== "Cancelled");
  if (!first) return;
  const message = `The debit note ${first.invoiceNumber} is about this invoice: cancel it first.`;
  throw new NodalError("invoice_has_debit_notes", message);
}

/** @throws NodalError `invoice_already_paid` if the invoice has a payment or a credit note */
export function refuseIfTouched(invoice: Invoice, hasCreditNotes: boolean): void {
  refuseIfClosed(invoice);
  if (invoice.paidPaise > 0n || hasCreditNotes) {
    throw new NodalError(
      "invoice_already_paid",
      "This invoice has payments or credits: reverse its settlements first, or issue a credit note.",
    );
  }
}
