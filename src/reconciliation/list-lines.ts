// Questions: how an account's day stands, which lines stand how, and what of the ledger no statement has shown.
// For lists, files and commands.
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
  /** What opening balance and lines miss of the closing one, in paise: lines are missing where it is not 0. */
  readonly gapPaise: bigint | null;
  /** What the ledger sent or got, and no statement has shown in time, over all accounts. */
  readonly missingThere: { readonly count: number; readonly paise: bigint };
};

/** The last day of which statements have to show everything by now. docs/rules/reconciliation.md#missing-there */
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

/** So many days apart may be what an amount suggests. */
const SUGGESTED_DAYS = 5;
const EXPECTED = ["paid", "returned", "fee", "fee_returned", "funding"] as const;

export type ListedLine = StatementLine & {
  readonly account: string;
  /** What has the same amount in the same days, where nothing says that it belongs together. */
  readonly suggestion: Pick<Item, "kind" | "subjectId"> | null;
  /** The fee that was booked from it, which can be taken back. */
  readonly feeId: bigint | null;
  /** The receipt that was recorded from it. */
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

/** All of them, one after another. */
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

/** What the ledger sent or got, and no statement has shown though it has had the time. docs/rules/reconciliation.md#missing-there */
export function listMissingThere({ pool, merchant }: ReadContext<Merchant>, limit: number): Promise<ClearingItem[]> {
  return listOpenItems(pool, merchant, { kinds: EXPECTED, to: shownUntil(merchant), limit });
}

/** What an item is called, as commands take it: `paid:1000123`. */
export function nameOfItem({ kind, subjectId }: Pick<Item, "kind" | "subjectId">): string {
  return `${kind}:${subjectId}`;
}

/** The columns of lines in a file and in lists; amounts in paise. Narrations name people, and are left out of them. */
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
