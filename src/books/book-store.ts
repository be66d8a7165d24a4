// SQL of the postings of billing, and of the sums of each day.
import type pg from "pg";
import type { MerchantKey } from "../merchants/index.ts";
import { BOOK_ACCOUNTS, columnOf, type Amounts, type BookAccount } from "./chart.ts";

/** The events that billing posts: docs/accounts.md#events. */
export type BookEvent =
  | "revision"
  | "cancellation"
  | "settlement"
  | "reversal"
  | "credit_note"
  | "credit_note_cancellation"
  | "offset"
  | "shift"
  | "receipt"
  | "receipt_reversal"
  | "receipt_refund"
  | "advance_tax";

export type BookEntry = MerchantKey & {
  /** 0 for the money of a receipt. */
  readonly invoiceId: bigint;
  readonly event: BookEvent;
  /** The invoice, settlement, credit note, receipt, refund of a receipt or entry of `advance_tax` of the event. */
  readonly subjectId: bigint;
  /** Its number among events of the same kind: the revision of an invoice. */
  readonly no: number;
  /** From 1; the parts of one event differ by date or customer. */
  readonly part: number;
  readonly customerId: bigint;
  readonly entryDate: Temporal.PlainDate;
  /** The field of the request with that day; `null` if there is none. */
  readonly dateField: string | null;
  /** They add up to 0. */
  readonly amounts: Amounts;
};

const COLUMNS = BOOK_ACCOUNTS.map(columnOf);
const AMOUNT_ARRAYS = (from: number): string => COLUMNS.map((_, place) => `$${from + place}::bigint[]`).join(", ");

const INSERT = {
  name: "insert-book-entries",
  text: `insert into book_entry (
      bucket, merchant_id, invoice_id, event, subject_id, no, part, customer_id, entry_date, ${COLUMNS.join(", ")})
    select * from unnest(
      $1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::integer[], $7::smallint[], $8::bigint[],
      $9::date[], ${AMOUNT_ARRAYS(10)})
    returning 1`,
};

const ADD_DAYS = {
  name: "add-book-days",
  text: `insert into book_day as posted (bucket, merchant_id, day, ${COLUMNS.join(", ")})
    select * from unnest($1::smallint[], $2::bigint[], $3::date[], ${AMOUNT_ARRAYS(4)})
    on conflict (bucket, merchant_id, day) do update set
      ${COLUMNS.map((column) => `${column} = posted.${column} + excluded.${column}`).join(", ")}
    returning 1`,
};

/**
 * The statements that write postings, of one merchant or of several, and add them to their days. The caller has locked the
 * merchants' books, or two that touch the same days could deadlock.
 */
export function bookStatements(entries: readonly BookEntry[]): pg.QueryConfig[] {
  if (entries.length === 0) return [];
  const column = (read: (entry: BookEntry) => unknown): unknown[] => entries.map(read);
  const insert = [
    column(({ bucket }) => bucket),
    column(({ merchantId }) => merchantId),
    column(({ invoiceId }) => invoiceId),
    column(({ event }) => event),
    column(({ subjectId }) => subjectId),
    column(({ no }) => no),
    column(({ part }) => part),
    column(({ customerId }) => customerId),
    column(({ entryDate }) => entryDate.toString()),
    ...amountColumns(entries.map(({ amounts }) => amounts)),
  ];
  const days = daysOf(entries);
  const add = [
    days.map(({ bucket }) => bucket),
    days.map(({ merchantId }) => merchantId),
    days.map(({ day }) => day),
    ...amountColumns(days.map(({ amounts }) => amounts)),
  ];
  return [
    { ...INSERT, values: insert },
    { ...ADD_DAYS, values: add },
  ];
}

function amountColumns(rows: readonly Amounts[]): bigint[][] {
  return BOOK_ACCOUNTS.map((account) => rows.map((amounts) => amounts.get(account) ?? 0n));
}

type Day = MerchantKey & { readonly day: string; readonly amounts: Map<BookAccount, bigint> };

/** The change of each day's sums, in key order. */
function daysOf(entries: readonly BookEntry[]): Day[] {
  const days = new Map<string, Day>();
  for (const { bucket, merchantId, entryDate, amounts } of entries) {
    const day = entryDate.toString();
    const key = `${merchantId} ${day}`;
    const found: Day = days.get(key) ?? { bucket, merchantId, day, amounts: new Map<BookAccount, bigint>() };
    days.set(key, found);
    for (const [account, paise] of amounts) found.amounts.set(account, (found.amounts.get(account) ?? 0n) + paise);
  }
  return [...days].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, day]) => day);
}
