// Use cases: a merchant's statement like a bank's, with a line for each debit or credit of the available balance.
// statement.ts has every ledger entry.
import {
  keepBalances,
  listPostingsOf,
  readBalancesBefore,
  type Balances,
  type PostingOfSubject,
} from "../../ledger/index.ts";
import type { Merchant, ReadContext } from "../../merchants/index.ts";
import type { CsvCell } from "../../platform/csv.ts";
import { fieldRefusal } from "../../platform/errors.ts";
import { formatTimestamp } from "../../platform/time.ts";
import { describe, findRange, nameOf, onSnapshot, type StatementPeriod } from "./statement.ts";
import { listStatementPostings, type StatementPosting, type StatementTransfer } from "./statement-store.ts";
import { wireStatus } from "../transfer.ts";

/** Limits memory for statements of any length. */
const LINES_AT_ONCE = 5000;

/** The most lines in a printed document: some forty pages. */
const LINES_OF_DOCUMENT = 1000;

/**
 * A payout is one line, on the day on which its amount was reserved; its outcome changes the line's name. Returns and fees are lines of
 * their own days, so each balance is the balance of that time, and no line of a closed month changes its amount.
 */
export type StatementLine = StatementPosting & {
  readonly description: string;
  /** The debit and the credit of the available balance; one of them is 0n. */
  readonly debitPaise: bigint;
  readonly creditPaise: bigint;
  /** The available balance after it. */
  readonly balancePaise: bigint;
};

/** Part of a statement, the newest lines first: those before an entry, or the last ones of the period. */
export type StatementPage = { readonly before: bigint | null; readonly limit: number };

type Totals = { readonly opening: Balances; readonly closing: Balances };

/** A page of lines on one snapshot, all entries of its payouts, and the opening and closing balance of the period. */
export async function readStatementLines(
  { pool, merchant }: ReadContext<Merchant>,
  { before, limit, ...period }: StatementPeriod & StatementPage,
): Promise<
  Totals & {
    readonly lines: readonly StatementLine[];
    readonly entriesOf: ReadonlyMap<bigint, readonly PostingOfSubject[]>;
    readonly next: bigint | null;
  }
> {
  await keepBalances(pool, merchant);
  return onSnapshot(pool, async (connection) => {
    const range = await findRange(connection, merchant, period);
    const end = before !== null && before < range.end ? before : range.end;
    const part = { first: range.first, end };
    // One more shows whether there is a next page, since not every entry number is a line.
    const asked = { limit: limit + 1, newestFirst: true, ofBalanceOnly: true };
    const found = await listStatementPostings(connection, merchant, part, asked);
    const postings = found.slice(0, limit);
    const oldest = postings.at(-1);
    const { availablePaise } = await readBalancesBefore(connection, merchant, oldest?.entryNo ?? end);
    const transferIds = postings.flatMap(({ transfer }) => (transfer ? [transfer.transferId] : []));
    const entries = await listPostingsOf(connection, merchant, [...new Set(transferIds)]);
    return {
      lines: withBalances(postings.toReversed(), availablePaise).toReversed(),
      entriesOf: Map.groupBy(entries, ({ subjectId }) => subjectId),
      next: oldest && found.length > limit ? oldest.entryNo : null,
      opening: await readBalancesBefore(connection, merchant, range.first),
      closing: await readBalancesBefore(connection, merchant, range.end),
    };
  });
}

/**
 * Streams the lines of a period, the oldest first, for a slow reader: no transaction is held meanwhile. Entries posted after the start
 * are left out.
 */
export async function* streamStatementLines(
  { pool, merchant }: ReadContext<Merchant>,
  period: StatementPeriod,
): AsyncGenerator<StatementLine> {
  await keepBalances(pool, merchant);
  const { range, opening } = await onSnapshot(pool, async (connection) => {
    const found = await findRange(connection, merchant, period);
    return { range: found, opening: await readBalancesBefore(connection, merchant, found.first) };
  });
  const page = { limit: LINES_AT_ONCE, newestFirst: false, ofBalanceOnly: true };
  let balancePaise = opening.availablePaise;
  for (let first = range.first; first < range.end;) {
    const postings = await listStatementPostings(pool, merchant, { ...range, first }, page);
    const lines = withBalances(postings, balancePaise);
    yield* lines;
    balancePaise = lines.at(-1)?.balancePaise ?? balancePaise;
    first = postings.length < LINES_AT_ONCE ? range.end : postings.at(-1)!.entryNo + 1n;
  }
}

/**
 * All lines of a period on one snapshot, the oldest first, for a document.
 * @throws NodalError `validation_failed` on `from` if there are too many for a document
 */
export function collectStatementLines(
  { pool, merchant }: ReadContext<Merchant>,
  period: StatementPeriod,
  most = LINES_OF_DOCUMENT,
): Promise<Totals & { readonly lines: readonly StatementLine[] }> {
  return onSnapshot(pool, async (connection) => {
    const range = await findRange(connection, merchant, period);
    const page = { limit: most + 1, newestFirst: false, ofBalanceOnly: true };
    const postings = await listStatementPostings(connection, merchant, range, page);
    if (postings.length > most) {
      const message = `A PDF can have at most ${most} lines: choose a shorter period, or export CSV.`;
      throw fieldRefusal("validation_failed", "from", message);
    }
    const opening = await readBalancesBefore(connection, merchant, range.first);
    const closing = await readBalancesBefore(connection, merchant, range.end);
    return { lines: withBalances(postings, opening.availablePaise), opening, closing };
  });
}

/** Postings of the available balance, the oldest first, as lines. */
function withBalances(postings: readonly StatementPosting[], openingPaise: bigint): StatementLine[] {
  let balancePaise = openingPaise;
  return postings.map((posting) => {
    const isDebit = posting.debitAccount === "available";
    const debitPaise = isDebit ? posting.amountPaise : 0n;
    const creditPaise = isDebit ? 0n : posting.amountPaise;
    balancePaise += creditPaise - debitPaise;
    return { ...posting, description: nameLine(posting), debitPaise, creditPaise, balancePaise };
  });
}

const ENDS = {
  PENDING: () => "in progress",
  SUCCESS: ({ railMode }: StatementTransfer) => `paid by ${railMode}`,
  FAILED: () => "failed",
  REJECTED: () => "rejected",
  REVERSED: () => "returned by the bank",
} as const;

/** A payout's own line says how it ended; the other lines say what happened. */
function nameLine(posting: StatementPosting): string {
  const { kind, transfer } = posting;
  if (kind !== "reserve" || transfer === null) return describe(posting);
  return `${nameOf(transfer)}: ${ENDS[wireStatus(transfer.state)](transfer)}`;
}

/** The columns of lines in a file: times in this time zone, amounts in paise, empty for 0. */
export function lineColumns(timeZone: string): Readonly<Record<string, (line: StatementLine) => CsvCell>> {
  const cell = (paise: bigint): CsvCell => (paise === 0n ? "" : paise);
  return {
    date: ({ postedAt }) => formatTimestamp(postedAt, timeZone),
    description: ({ description }) => description,
    reference: ({ reference }) => reference ?? "",
    transfer_id: ({ transfer }) => (transfer ? String(transfer.transferId) : ""),
    utr: ({ transfer }) => transfer?.utr ?? "",
    debit: ({ debitPaise }) => cell(debitPaise),
    credit: ({ creditPaise }) => cell(creditPaise),
    balance: ({ balancePaise }) => balancePaise,
  };
}
