// Queries for lists, files and commands: an account's day, lines by status, and ledger items that no statement has shown.
import { findReceiptsOfLines } from "../invoices/index.ts";
import type { Merchant, ReadContext } from "../merchants/index.ts";
import { staleBefore } from "../payouts/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import {
  findLateFeesOfMatches,
  findSuggestions,
  listOpenItems,
  sumOpenItems,
  type ClearingItem,
} from "./clearing-store.ts";
import { listStatementAccounts } from "./import-store.ts";
import type { StatementAccount } from "./statement-import.ts";
import type { Item } from "./match-lines.ts";
import {
  readStatementDay,
  searchLines,
  type LineSearch,
  type StatementLine,
  type StatementDay,
} from "./statement-store.ts";

export type ReconciledDay = StatementDay & {
  /** The closing balance less the opening balance and lines, in paise: lines are missing if it is not 0. */
  readonly gapPaise: bigint | null;
  /** Items that the ledger sent or received and no statement has shown in time, over all accounts. */
  readonly missingThere: { readonly count: number; readonly paise: bigint };
};

/** The last day that statements must show completely by now. docs/rules/reconciliation.md#missing-there */
export function shownUntil({ timeZone }: Merchant, now = Temporal.Now.instant()): Temporal.PlainDate {
  return staleBefore(now).toZonedDateTimeISO(timeZone).toPlainDate().subtract({ days: 1 });
}

export async function readReconciledDay(
  { pool, merchant }: ReadContext<Merchant>,
  { accountId }: StatementAccount,
  day: Temporal.PlainDate,
): Promise<ReconciledDay> {
  const read = await readStatementDay(pool, merchant, accountId, day);
  const { openingPaise, closingPaise, inPaise, outPaise } = read;
  const gapPaise =
    openingPaise === null || closingPaise === null ? null : closingPaise - (openingPaise + inPaise - outPaise);
  return { ...read, gapPaise, missingThere: await sumOpenItems(pool, merchant, shownUntil(merchant)) };
}

/** The most days between a line and an item suggested by its amount. */
const SUGGESTED_DAYS = 5;
const EXPECTED = ["paid", "returned", "fee", "fee_returned", "funding"] as const;

export type ListedLine = StatementLine & {
  readonly account: string;
  /** An item with the same amount around the same day, without other evidence. */
  readonly suggestion: Pick<Item, "kind" | "subjectId"> | null;
  /** The fee booked from it, which can be reversed. */
  readonly feeId: bigint | null;
  /** The receipt recorded from it. */
  readonly receipt: { readonly receiptId: bigint; readonly receiptNumber: string } | null;
};

/** Lines in the order of days. */
export async function listLines({ pool, merchant }: ReadContext<Merchant>, search: LineSearch): Promise<ListedLine[]> {
  const lines = await searchLines(pool, merchant, search);
  const names = new Map((await listStatementAccounts(pool, merchant)).map((each) => [each.accountId, each.name]));
  const open = lines.filter(({ state }) => state === "missing_here");
  const suggestions = open.length === 0 ? null : await findSuggestions(pool, merchant, open, SUGGESTED_DAYS);
  const matchIds = lines.flatMap(({ matchedBy, matchId }) => (matchedBy === null ? [] : [matchId!]));
  const fees = await findLateFeesOfMatches(pool, merchant, matchIds);
  const found = await findReceiptsOfLines(
    pool,
    merchant,
    lines.map(({ lineId }) => lineId),
  );
  const receipts = new Map(found.map((receipt) => [receipt.statementLineId, receipt]));
  return lines.map((line) => ({
    ...line,
    receipt: receipts.get(line.lineId) ?? null,
    account: names.get(line.accountId) ?? "",
    suggestion: suggestions?.get(line.lineId) ?? null,
    feeId: line.matchId === null ? null : (fees.get(line.matchId) ?? null),
  }));
}

const SLICE_LINES = 1000;

/** All lines, page by page. */
export async function* streamLines(
  context: ReadContext<Merchant>,
  search: Omit<LineSearch, "after" | "limit">,
): AsyncGenerator<ListedLine> {
  for (let after: LineSearch["after"] = null; ;) {
    const lines: readonly ListedLine[] = await listLines(context, { ...search, after, limit: SLICE_LINES });
    yield* lines;
    if (lines.length < SLICE_LINES) return;
    after = lines.at(-1)!;
  }
}

/** Items that the ledger sent or received and no statement has shown in time. docs/rules/reconciliation.md#missing-there */
export function listMissingThere({ pool, merchant }: ReadContext<Merchant>, limit: number): Promise<ClearingItem[]> {
  return listOpenItems(pool, merchant, { kinds: EXPECTED, to: shownUntil(merchant), limit });
}

/** The name of an item in commands: `paid:1000123`. */
export function nameOfItem({ kind, subjectId }: Pick<Item, "kind" | "subjectId">): string {
  return `${kind}:${subjectId}`;
}

/** The columns of lines in files and lists; amounts in paise. Narrations are left out: they name people. */
export const LINE_COLUMNS: Readonly<Record<string, (line: ListedLine) => CsvCell>> = {
  line_id: ({ lineId }) => String(lineId),
  date: ({ bookedOn }) => bookedOn.toString(),
  account: ({ account }) => account,
  side: ({ side }) => side,
  amount: ({ amountPaise }) => amountPaise,
  reference: ({ reference }) => reference ?? "",
  state: ({ state }) => state,
  matched_by: ({ matchedBy }) => matchedBy ?? "",
  match: ({ matchId }) => (matchId === null ? "" : String(matchId)),
  fee: ({ feeId }) => (feeId === null ? "" : String(feeId)),
  difference: ({ difference }) => difference ?? "",
  about: ({ aboutId }) => (aboutId === null ? "" : String(aboutId)),
  suggestion: ({ suggestion }) => (suggestion ? nameOfItem(suggestion) : ""),
  note: ({ note }) => note ?? "",
};
