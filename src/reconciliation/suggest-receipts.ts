// Suggests the customer who paid an open incoming line, and the invoices it pays. docs/rules/reconciliation.md#suggestions
import { findCustomers, type Customer } from "../customers/index.ts";
import {
  dueOf,
  findInvoices,
  findInvoicesNumbered,
  findOpenByDue,
  findReceiptsOfLines,
  findRecorded,
  listDues,
  MAX_ALLOCATIONS,
  shareInOrder,
  type Invoice,
  type RecordedPayment,
} from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { formatRupees } from "../platform/indian-format.ts";
import { listedBehind, numbersIn, type WrittenNumber } from "./invoice-numbers.ts";
import { namesAlike } from "./narration.ts";
import { findLinesOfPayer } from "./payer-store.ts";
import type { FoundLine } from "./statement-store.ts";

/** Why a customer is suggested, the strongest reason first. */
export const SUGGESTION_REASONS = ["invoice_number", "known_payer", "amount_and_name"] as const;
export type SuggestionReason = (typeof SUGGESTION_REASONS)[number];

/** An invoice, and how much of the line it uses. */
export type SuggestedInvoice = { readonly invoice: Invoice; readonly paise: bigint };

export type ReceiptSuggestion = {
  readonly reason: SuggestionReason;
  /** The same in words. */
  readonly explanation: string;
  /** A person must check it first. */
  readonly isPossible: boolean;
  readonly customer: Customer;
  readonly invoices: readonly SuggestedInvoice[];
  /** The part of the line that the invoices don't use. */
  readonly advancePaise: bigint;
};

export type ReceiptSuggestions = {
  /** Receipts and payments entered with the line's reference: the money is recorded already. */
  readonly recorded: readonly RecordedPayment[];
  readonly suggestions: readonly ReceiptSuggestion[];
};

/** What each search finds, before it becomes a suggestion. */
type Found = Pick<ReceiptSuggestion, "reason" | "explanation" | "isPossible"> & {
  readonly customerId: bigint;
  /** The invoices to pay, in this order. */
  readonly invoices: readonly Invoice[];
};

const MOST = 5;
const DAYS_BEFORE = 90;
const DAYS_AFTER = 30;
/** How many of a payer's newest lines are read. A payer for more customers is a payment gateway or similar. */
const PAYER_LINES = 20;
const MAX_CUSTOMERS_OF_PAYER = 3;

/** Suggests receipts for a line: none for a debit. Weaker reasons are tried only if a stronger one finds nothing certain. */
export async function suggestReceipts(db: Queryable, merchant: Merchant, line: FoundLine): Promise<ReceiptSuggestions> {
  if (line.side !== "in") return { recorded: [], suggestions: [] };
  const recorded = await findRecordedOf(db, merchant, line);
  const found: Found[] = [];
  for (const find of [byNumbers, byPayer, byAmount]) {
    found.push(...(await find(db, merchant, line)));
    if (found.some(({ isPossible }) => !isPossible)) break;
  }
  const distinct = found.filter(
    ({ customerId, invoices }, place) =>
      found.findIndex((each) => each.customerId === customerId && isSameList(each.invoices, invoices)) === place,
  );
  const customers = await findCustomers(db, merchant, [...new Set(distinct.map(({ customerId }) => customerId))]);
  const suggestions = distinct.slice(0, MOST).map(({ customerId, ...each }) => ({
    ...each,
    isPossible: each.isPossible || recorded.length > 0,
    customer: customers.get(customerId)!,
    ...share(each.invoices, line.amountPaise),
  }));
  return { recorded, suggestions };
}

/** Receipts and payments that were entered by hand with a reference of this line. */
export function findRecordedOf(
  db: Queryable,
  merchant: Merchant,
  { keys }: Pick<FoundLine, "keys">,
): Promise<RecordedPayment[]> {
  const references = keys.split(" ").filter((key) => key !== "");
  return references.length === 0 ? Promise.resolve([]) : findRecorded(db, merchant, references);
}

function share(invoices: readonly Invoice[], moneyPaise: bigint) {
  const shares = shareInOrder(invoices.map(dueOf), { moneyPaise, tdsPaise: 0n });
  const used = invoices.map((invoice, place) => ({ invoice, paise: shares[place]!.moneyPaise }));
  const usedPaise = used.reduce((sum, { paise }) => sum + paise, 0n);
  return { invoices: used.filter(({ paise }) => paise > 0n), advancePaise: moneyPaise - usedPaise };
}

function isSameList(one: readonly Invoice[], other: readonly Invoice[]): boolean {
  return one.length === other.length && one.every(({ invoiceId }, place) => other[place]!.invoiceId === invoiceId);
}

/** The earliest due first, as a receipt pays them. */
function inOrder(invoices: readonly Invoice[]): Invoice[] {
  return invoices.toSorted(
    (a, b) =>
      Temporal.PlainDate.compare(a.dueDate, b.dueDate) ||
      (a.invoiceId < b.invoiceId ? -1 : Number(a.invoiceId > b.invoiceId)),
  );
}

function duesOf(invoices: readonly Invoice[]): bigint {
  return invoices.reduce((sum, invoice) => sum + dueOf(invoice), 0n);
}

type Hit = {
  readonly number: WrittenNumber;
  readonly named: Invoice;
  readonly payable: Invoice;
  readonly isEnding: boolean;
};

/** Invoices whose numbers are in the narration. */
async function byNumbers(db: Queryable, merchant: Merchant, line: FoundLine): Promise<Found[]> {
  const narration = `${line.narration ?? ""} | ${line.reference ?? ""}`;
  const hits = await findHits(db, merchant, narration);
  const byCustomer = Map.groupBy(hits, ({ payable }) => payable.customerId);
  return [...byCustomer].map(([customerId, own]) => {
    const invoices = inOrder([...new Map(own.map(({ payable }) => [payable.invoiceId, payable])).values()]);
    const isExact = duesOf(invoices) === line.amountPaise;
    const isDoubtful = own.some(({ number, isEnding }) => number.isPart || (isEnding && !isExact));
    return {
      reason: "invoice_number" as const,
      explanation: `The narration names ${joined([...new Set(own.map(({ named }) => named.invoiceNumber))])}.`,
      isPossible: isDoubtful || byCustomer.size > 1,
      customerId,
      invoices,
    };
  });
}

async function findHits(db: Queryable, merchant: Merchant, narration: string): Promise<Hit[]> {
  const written = numbersIn(narration);
  const numbers = written.flatMap(({ spellings }) => spellings);
  const endings = written.filter(({ isAnnounced }) => isAnnounced).flatMap(({ spellings }) => spellings);
  const found = await findInvoicesNumbered(db, merchant, { numbers, endings });
  const hits = found.flatMap((each) => hitsOf(written, each));
  const behind = hits.flatMap(({ number, named }) => listedBehind(narration, number, named.invoiceNumber));
  const listed = await findInvoicesNumbered(db, merchant, {
    numbers: behind.flatMap(({ spellings }) => spellings),
    endings: [],
  });
  const all = [...hits, ...listed.flatMap((each) => hitsOf(behind, each))];
  // A number inside a longer one that is an invoice's is not a number itself.
  const whole = all.filter(({ number }) => !all.some((other) => holds(other.number, number)));
  return whole.filter(({ payable }) => dueOf(payable) > 0n);
}

/** Where an invoice is named: by its whole number, or else by its end. */
function hitsOf(written: readonly WrittenNumber[], invoices: Pick<Hit, "named" | "payable">): Hit[] {
  const wanted = invoices.named.invoiceNumber.toUpperCase();
  const whole = written.filter(({ spellings }) => spellings.includes(wanted));
  const ends = written.filter(
    ({ isAnnounced, spellings }) => isAnnounced && spellings.some((text) => wanted.endsWith(text)),
  );
  return (whole.length > 0 ? whole : ends).map((number) => ({ ...invoices, number, isEnding: whole.length === 0 }));
}

function holds(outer: WrittenNumber, inner: WrittenNumber): boolean {
  return outer.from <= inner.from && inner.to <= outer.to && inner.to - inner.from < outer.to - outer.from;
}

/** Customers that the line's payer has paid for before. */
async function byPayer(db: Queryable, merchant: Merchant, line: FoundLine): Promise<Found[]> {
  const earlier = await findLinesOfPayer(db, line, PAYER_LINES);
  const receipts = earlier.length === 0 ? [] : await findReceiptsOfLines(db, merchant, earlier);
  const customerIds = [...new Set(receipts.toReversed().map(({ customerId }) => customerId))];
  if (customerIds.length > MAX_CUSTOMERS_OF_PAYER) return [];
  const found: Found[] = [];
  for (const customerId of customerIds) {
    const dues = await listDues(db, merchant, customerId, MAX_ALLOCATIONS);
    const ids = dues.map(({ invoiceId }) => invoiceId);
    const invoices = await findInvoices(db, merchant, ids);
    const exact = findExact(invoices, line.amountPaise);
    found.push({
      reason: "known_payer",
      explanation:
        exact === null
          ? "The payer paid for this customer before."
          : `The payer paid for this customer before, and ${formatRupees(line.amountPaise)} is due on ${joined(exact.map(({ invoiceNumber }) => invoiceNumber))}.`,
      isPossible: exact === null,
      customerId,
      invoices: exact ?? invoices,
    });
  }
  const sure = found.filter(({ isPossible }) => !isPossible);
  return sure.length === 1 ? found : found.map((each) => ({ ...each, isPossible: true }));
}

/** The invoice with exactly this due amount, or else the earliest due ones that add up to it; `null` if there are none. */
function findExact(invoices: readonly Invoice[], paise: bigint): readonly Invoice[] | null {
  const single = invoices.find((invoice) => dueOf(invoice) === paise);
  if (single) return [single];
  let sum = 0n;
  for (const [place, invoice] of invoices.entries()) {
    sum += dueOf(invoice);
    if (sum === paise) return invoices.slice(0, place + 1);
    if (sum > paise) return null;
  }
  return null;
}

/** Invoices with exactly the line's amount due around its day, of customers with a name like the payer's. Never certain. */
async function byAmount(db: Queryable, merchant: Merchant, line: FoundLine): Promise<Found[]> {
  const { bookedOn: near, amountPaise, narration } = line;
  const span = { from: near.subtract({ days: DAYS_BEFORE }), to: near.add({ days: DAYS_AFTER }), near };
  const ids = await findOpenByDue(db, merchant, amountPaise, span);
  const invoices = ids.length === 0 ? [] : await findInvoices(db, merchant, ids);
  const customers = await findCustomers(db, merchant, [...new Set(invoices.map(({ customerId }) => customerId))]);
  const alike = invoices.filter(({ customerId }) => namesAlike(customers.get(customerId)!.customerName, narration));
  return alike.map((invoice) => ({
    reason: "amount_and_name",
    explanation: `${formatRupees(amountPaise)} is due on ${invoice.invoiceNumber}, and the customer has a similar name.`,
    isPossible: true,
    customerId: invoice.customerId,
    invoices: [invoice],
  }));
}

/** A, B and C. */
function joined(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`;
}
