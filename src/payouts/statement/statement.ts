// Use case: a merchant's ledger entries of a period, in order, with the balances after each. statement-lines.ts has one line for
// each payout.
import { findFirstEntry, keepBalances, readBalancesBefore, type Balances } from "../../ledger/index.ts";
import type { Merchant, ReadContext } from "../../merchants/index.ts";
import { inTransaction, type Pool, type Queryable } from "../../platform/database/pool.ts";
import type { CsvCell } from "../../platform/csv.ts";
import { mask } from "../../platform/secrets/index.ts";
import { formatTimestamp } from "../../platform/time.ts";
import {
  listStatementPostings,
  type PostingRange,
  type StatementPosting,
  type StatementTransfer,
} from "./statement-store.ts";

/** Limits memory for statements of any length. */
const PAGE_POSTINGS = 5000;

/** Days in the merchant's time zone, both included; `null` for no limit. */
export type StatementPeriod = { readonly from: Temporal.PlainDate | null; readonly to: Temporal.PlainDate | null };

export type StatementEntry = StatementPosting & {
  readonly description: string;
  /** The balances after this entry. */
  readonly balances: Balances;
};

/** The balances before the first and after the last entry of the period. */
export type StatementTotals = { readonly opening: Balances; readonly closing: Balances };

/**
 * Reads a statement on one snapshot: passes each entry to `onEntry`, in the order of the book, and returns the opening and closing
 * balances. They are added up from the postings, so that they match the entries.
 */
export async function readStatement(
  { pool, merchant }: ReadContext<Merchant>,
  { onEntry, ...period }: StatementPeriod & { readonly onEntry: (entry: StatementEntry) => void },
): Promise<StatementTotals> {
  await keepBalances(pool, merchant);
  return onSnapshot(pool, async (connection) => {
    const range = await findRange(connection, merchant, period);
    const opening = await readBalancesBefore(connection, merchant, range.first);
    let closing = opening;
    for await (const entry of entriesOf(connection, merchant, range, opening)) {
      closing = entry.balances;
      onEntry(entry);
    }
    return { opening, closing };
  });
}

/** Reads on one state of the book. */
export function onSnapshot<T>(pool: Pool, read: (connection: Queryable) => Promise<T>): Promise<T> {
  return inTransaction(pool, read, "begin isolation level repeatable read read only");
}

/** The numbers of a period: days begin with the first posting at or after their midnight. */
export async function findRange(
  db: Queryable,
  merchant: Merchant,
  { from, to }: StatementPeriod,
): Promise<PostingRange> {
  const startOf = (day: Temporal.PlainDate): Promise<bigint> =>
    findFirstEntry(db, merchant, day.toZonedDateTime(merchant.timeZone).toInstant());
  const first = from === null ? 1n : await startOf(from);
  const end = await (to === null ? findFirstEntry(db, merchant, FAR_FUTURE) : startOf(to.add({ days: 1 })));
  return { first, end };
}

const FAR_FUTURE = Temporal.Instant.from("9999-12-31T00:00:00Z");

async function* entriesOf(
  db: Queryable,
  merchant: Merchant,
  { first, end }: PostingRange,
  opening: Balances,
): AsyncGenerator<StatementEntry> {
  let balances = opening;
  for (let next = first; next < end;) {
    const page = { limit: PAGE_POSTINGS, newestFirst: false, ofBalanceOnly: false };
    const postings = await listStatementPostings(db, merchant, { first: next, end }, page);
    for (const posting of postings) {
      balances = balancesAfter(balances, posting);
      yield { ...posting, description: describe(posting), balances };
    }
    next = postings.length < PAGE_POSTINGS ? end : postings.at(-1)!.entryNo + 1n;
  }
}

function balancesAfter(before: Balances, { debitAccount, creditAccount, amountPaise }: StatementPosting): Balances {
  const change = (account: string) =>
    (creditAccount === account ? amountPaise : 0n) - (debitAccount === account ? amountPaise : 0n);
  return {
    availablePaise: before.availablePaise + change("available"),
    heldPaise: before.heldPaise + change("held"),
  };
}

/** What happened to the money, to follow the name of the transfer. */
const HAPPENINGS: Readonly<Record<string, (transfer: StatementTransfer) => string>> = {
  commission_paid: () => "no longer owed",
  commission_unpaid: () => "owed again",
  reserve: () => "amount set aside",
  success: ({ railMode }) => `paid by ${railMode}`,
  failed: () => "not paid, amount given back",
  reversed: () => "returned by the bank, amount given back",
  late_success: () => "paid after all, amount debited",
  late_success_unfunded: () => "paid after all, amount owed by the merchant",
  fee: () => "provider's fee",
  fee_tax: () => "GST on the provider's fee",
  fee_unfunded: () => "provider's fee, owed by the merchant",
  fee_tax_unfunded: () => "GST on the provider's fee, owed by the merchant",
  fee_expensed: () => "provider's fee, borne by the platform",
  fee_tax_expensed: () => "GST on the provider's fee, borne by the platform",
  fee_returned: () => "provider's fee given back",
  fee_tax_returned: () => "GST on the provider's fee given back",
  fee_expense_returned: () => "provider's fee given back to the platform",
  fee_tax_expense_returned: () => "GST on the provider's fee given back to the platform",
  late_fee: () => "provider's fee, from a statement",
  late_fee_unfunded: () => "provider's fee, from a statement, owed by the merchant",
  late_fee_expensed: () => "provider's fee, from a statement, borne by the platform",
  late_fee_undone: () => "provider's fee taken back",
  late_fee_expense_undone: () => "provider's fee taken back, borne by the platform",
  fee_matched: () => "fee found on a statement of the bank",
  fee_return_matched: () => "returned fee found on a statement of the bank",
  bank_matched: () => "found on a statement of the bank",
  return_matched: () => "return found on a statement of the bank",
  fee_unmatched: () => "match of the fee undone",
  fee_return_unmatched: () => "match of the returned fee undone",
  bank_unmatched: () => "match undone",
  return_unmatched: () => "match of the return undone",
};

/** Postings of a match whose payout can't be told from their subject: those of a late fee, or after an earlier match was undone. */
const HAPPENINGS_OF_A_MATCH: Readonly<Record<string, string>> = {
  fee_matched: "Fee found on a statement of the bank",
  bank_matched: "Payment found on a statement of the bank",
  return_matched: "Return found on a statement of the bank",
  fee_return_matched: "Returned fee found on a statement of the bank",
  fee_unmatched: "Match of a fee undone",
  fee_return_unmatched: "Match of a returned fee undone",
  bank_unmatched: "Match of a payment undone",
  return_unmatched: "Match of a return undone",
};

const HAPPENINGS_OF_NO_TRANSFER: Readonly<Record<string, string>> = {
  funds_in: "Funds received",
  owed_settled: "Taken for what was owed: paid after all, or a provider's fee, when too little was available",
  commission_accrued: "Commission earned by a franchise",
  commission_reversed: "Commission taken back from a franchise",
  commission_paid_outside: "Commission paid to a franchise by other means",
  commission_payment_reversed: "Commission owed again: its payment by other means was taken back",
};

/** The name of a posting in the statement. */
export function describe({ kind, transfer }: StatementPosting): string {
  const alone = HAPPENINGS_OF_NO_TRANSFER[kind];
  if (alone !== undefined) return alone;
  const happening = transfer && HAPPENINGS[kind]?.(transfer);
  return happening ? `${nameOf(transfer)}: ${happening}` : (HAPPENINGS_OF_A_MATCH[kind] ?? kind);
}

const NAMES_OF_KIND = { transfer: "Transfer", withdrawal: "Withdrawal", commission: "Commission" } as const;

/** The payee's name, with the end of the account. */
export function nameOf({ kind, payee, railMode }: StatementTransfer): string {
  const destination = railMode === "UPI" ? mask(payee.upi ?? "") : `account ${mask(payee.accountNumber ?? "")}`;
  return `${NAMES_OF_KIND[kind]} to ${payee.name}, ${destination}`;
}

/** The columns of a statement in a file: times in this time zone, amounts in paise. */
export function statementColumns(timeZone: string): Readonly<Record<string, (entry: StatementEntry) => CsvCell>> {
  return {
    entry_no: ({ entryNo }) => String(entryNo),
    posted_at: ({ postedAt }) => formatTimestamp(postedAt, timeZone),
    kind: ({ kind }) => kind,
    description: ({ description }) => description,
    reference: ({ reference }) => reference ?? "",
    transfer_id: ({ transfer }) => (transfer ? String(transfer.transferId) : ""),
    utr: ({ transfer }) => transfer?.utr ?? "",
    debit_account: ({ debitAccount }) => debitAccount,
    credit_account: ({ creditAccount }) => creditAccount,
    amount: ({ amountPaise }) => amountPaise,
    available_balance: ({ balances }) => balances.availablePaise,
    ledger_balance: ({ balances }) => balances.availablePaise + balances.heldPaise,
  };
}
