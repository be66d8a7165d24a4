// The postings of billing changes in the merchant's books.
import type { BookAccount, BookEntry, BookEvent } from "../books/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { postingsOf, type PostedInvoice, type PostingLine } from "./invoice-postings.ts";
import type { InvoiceHead } from "./invoice.ts";

/**
 * The subject of a billing posting. The id is that of the invoice, settlement or credit note; `no` distinguishes repeated events of
 * one of them: the revisions of an invoice.
 */
export type PostingSubject = {
  readonly kind: BookEvent;
  readonly id: bigint;
  readonly no?: number;
  /** The day of the posting; by default the invoice's. */
  readonly date?: Temporal.PlainDate;
  /** The request field with that day; by default the one in `DATE_FIELDS`. */
  readonly dateField?: string | null;
};

/** The request field with the day of an event. For missing ones, the day is not sent, or is that of their document. */
const DATE_FIELDS: Readonly<Partial<Record<BookEvent, string>>> = {
  revision: "bill_date",
  settlement: "paid_date",
  credit_note: "date",
  receipt: "date",
  receipt_refund: "date",
};

/** The postings of one change, for an invoice. */
export type Posting = {
  readonly subject: PostingSubject;
  readonly invoice: Pick<InvoiceHead, "invoiceId" | "customerId" | "billDate">;
  readonly lines: readonly PostingLine[];
};

type Recorded = Posting["invoice"] & PostedInvoice;
type Change = {
  readonly before: Recorded | null;
  readonly after: Recorded;
  readonly subject: PostingSubject;
};

/**
 * Postings of invoice changes, and of changes beside them: one entry for each event, invoice, customer and day. If an invoice
 * changes its date or its customer, one entry reverses the earlier postings.
 */
export function entriesOf(
  { bucket, merchantId }: MerchantKey,
  changes: readonly Change[],
  beside: readonly Posting[],
): BookEntry[] {
  const postings = [...beside, ...changes.flatMap(ofChange)];
  const byPlace = Map.groupBy(postings, ({ subject, invoice }) => {
    const date = subject.date ?? invoice.billDate;
    return `${eventOf(subject, invoice)} ${invoice.customerId} ${date.toString()}`;
  });
  const parts = new Map<string, number>();
  return [...byPlace.values()].flatMap((of): BookEntry[] => {
    const { subject, invoice } = of[0]!;
    const amounts = sumOf(of.flatMap(({ lines }) => lines));
    if (amounts.size === 0) return [];
    const event = eventOf(subject, invoice);
    const part = (parts.get(event) ?? 0) + 1;
    parts.set(event, part);
    return [
      {
        bucket,
        merchantId,
        invoiceId: invoice.invoiceId,
        event: subject.kind,
        subjectId: subject.id,
        no: subject.no ?? 1,
        part,
        customerId: invoice.customerId,
        entryDate: subject.date ?? invoice.billDate,
        dateField: subject.dateField === undefined ? (DATE_FIELDS[subject.kind] ?? null) : subject.dateField,
        amounts,
      },
    ];
  });
}

function eventOf({ kind, id, no }: PostingSubject, { invoiceId }: Posting["invoice"]): string {
  return `${invoiceId} ${kind} ${id} ${no ?? 1}`;
}

function ofChange({ before, after, subject }: Change): Posting[] {
  const hasMoved =
    before !== null && !(before.customerId === after.customerId && before.billDate.equals(after.billDate));
  // The day of an existing posting is in no request.
  const kept = subject.date === undefined && before !== null ? { ...subject, dateField: null } : subject;
  if (!hasMoved) return [{ subject: kept, invoice: after, lines: postingsOf(before, after) }];
  const back = postingsOf(null, before).map(({ account, debitPaise }) => ({ account, debitPaise: -debitPaise }));
  return [
    { subject: kept, invoice: before, lines: back },
    { subject, invoice: after, lines: postingsOf(null, after) },
  ];
}

/** The amounts by account, without zero ones. */
function sumOf(lines: readonly PostingLine[]): Map<BookAccount, bigint> {
  const sums = new Map<BookAccount, bigint>();
  for (const { account, debitPaise } of lines) sums.set(account, (sums.get(account) ?? 0n) + debitPaise);
  for (const [account, paise] of sums) if (paise === 0n) sums.delete(account);
  return sums;
}
