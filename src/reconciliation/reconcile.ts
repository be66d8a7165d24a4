// Use case: match statements with the ledger, and post the matches. match-lines.ts decides what matches.
import { recordEvents, type NewEvent } from "../ledger/index.ts";
import type { Merchant, WriteContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { findTransfersWithFee, listVerifications } from "../payouts/index.ts";
import { findItems, listOpenItems, lockReconciliation, markItemsMatched, type ClearingItem } from "./clearing-store.ts";
import { fillInUtrs, findChangedItems, followJournal } from "./follow-journal-store.ts";
import { keyOf } from "./line-keys.ts";
import { matchLines, type Item, type UnmatchedLine, type Match, type MatchedBy, type OpenLine } from "./match-lines.ts";
import { findStillOpen, listOpenLines, markLinesMatched, markUnmatched, noteLines } from "./statement-store.ts";

/** Postings of the journal per transaction. */
const SLICE_POSTINGS = 5000;
/** Matches posted per transaction: the merchant's book is locked meanwhile. */
const SLICE_MATCHES = 500;
const SLICE_LINES = 10_000;
/** The most that a verification costs. */
const LARGEST_VERIFICATION_FEE_PAISE = 50_000n;
/** A fee, and the tax on it. */
const LINES_OF_A_FEE = 2;
/** A bank's deposit to verify an account's owner. */
const VERIFIED_WITH_PAISE = 100n;
/** Open lines are matched all at once. More than this wait until some are resolved. */
const MAX_OPEN_LINES = 400_000;
const MAX_OPEN_FEES = 200_000;

/** The posting of each kind of item, once a statement shows it. docs/rules/payouts.md#postings */
export const POSTING_OF_ITEM = {
  paid: "bank_matched",
  returned: "return_matched",
  fee: "fee_matched",
  fee_returned: "fee_return_matched",
} as const;

/** The postings that reverse those. */
export const REVERSAL_OF_ITEM = {
  paid: "bank_unmatched",
  returned: "return_unmatched",
  fee: "fee_unmatched",
  fee_returned: "fee_return_unmatched",
} as const;

export type Reconciled = { readonly matchedLines: number; readonly openLines: number };

/**
 * Matches the lines of all of a merchant's accounts. Books no fee: one that a statement shows first waits for the provider's
 * report, or for an operator. It can be interrupted anywhere and run again; concurrent runs do each thing once.
 */
export async function reconcile(context: WriteContext<Merchant>): Promise<Reconciled> {
  const { pool, merchant } = context;
  while (await inTransaction(pool, (connection) => followJournal(connection, merchant, SLICE_POSTINGS)));
  for (let after: bigint | null = 0n; after !== null;) {
    const from: bigint = after;
    after = await inTransaction(pool, async (connection) => {
      await lockReconciliation(connection, merchant);
      return fillInUtrs(connection, merchant, from, SLICE_POSTINGS);
    });
  }
  const lines = await readOpenLines(context);
  if (lines.length === 0) return { matchedLines: 0, openLines: 0 };
  const items = await readItems(context, lines);
  const fees = lines.some(({ isCharge }) => isCharge)
    ? await listOpenItems(pool, merchant, { kinds: ["fee", "fee_returned"], limit: MAX_OPEN_FEES })
    : [];
  const { matches, unmatched } = await matchLines(lines, items, fees);
  let matchedLines = 0;
  for (let from = 0; from < matches.length; from += SLICE_MATCHES) {
    matchedLines += await postMatches(context, matches.slice(from, from + SLICE_MATCHES));
  }
  const left = await setVerificationsAside(context, unmatched);
  await writeUnmatched(context, lines, await markWaitingFees(context, left));
  return { matchedLines, openLines: lines.length - matchedLines - (unmatched.length - left.length) };
}

/**
 * Marks the lines that show the fee of a payment without a booked fee, one line for each payment, or a second one for the tax:
 * docs/rules/reconciliation.md#late-fees
 */
async function markWaitingFees(
  { pool, merchant }: WriteContext<Merchant>,
  unmatched: readonly UnmatchedLine[],
): Promise<readonly UnmatchedLine[]> {
  const charges = unmatched.filter(
    ({ line, difference }) => line.isCharge && line.side === "out" && difference === "amount",
  );
  if (charges.length === 0) return unmatched;
  const ofPayment = Map.groupBy(charges, ({ aboutId }) => aboutId!);
  const withFee = await findTransfersWithFee(pool, merchant, [...ofPayment.keys()]);
  const waiting = new Set(
    [...ofPayment].flatMap(([transferId, some]) =>
      withFee.has(transferId) || some.length > LINES_OF_A_FEE ? [] : some.map(({ line }) => line.lineId),
    ),
  );
  return unmatched.map((entry) => (waiting.has(entry.line.lineId) ? { ...entry, difference: "fee" as const } : entry));
}

type KnownLine = Awaited<ReturnType<typeof listOpenLines>>[number];

async function readOpenLines({ pool, merchant }: WriteContext<Merchant>): Promise<KnownLine[]> {
  const lines: KnownLine[] = [];
  for (;;) {
    const slice = await listOpenLines(pool, merchant, lines.at(-1)?.lineId ?? 0n, SLICE_LINES);
    lines.push(...slice);
    if (slice.length < SLICE_LINES || lines.length >= MAX_OPEN_LINES) return lines;
  }
}

async function readItems({ pool, merchant }: WriteContext<Merchant>, lines: readonly OpenLine[]): Promise<Item[]> {
  const items = new Map<string, ClearingItem>();
  for (let from = 0; from < lines.length; from += SLICE_LINES) {
    const slice = lines.slice(from, from + SLICE_LINES);
    const keys = [...new Set(slice.flatMap((line) => line.keys.split(" ")))].filter((key) => key !== "");
    const payments = slice.map(({ paymentOf }) => paymentOf).filter((id) => id !== null);
    for (const item of await findItems(pool, merchant, keys, payments))
      items.set(`${item.subjectId} ${item.kind}`, item);
  }
  return [...items.values()].toSorted((one, other) => Number(one.subjectId - other.subjectId));
}

/** Saves and posts matches, except those with a part matched meanwhile or changed with SQL. Returns their number of lines. */
async function postMatches(
  { pool, ids, merchant }: WriteContext<Merchant>,
  matches: readonly Match[],
): Promise<number> {
  const numbered: (Match & { matchId: bigint })[] = [];
  for (const match of matches) numbered.push({ ...match, matchId: await ids.next() });
  return inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    const lineIds = numbered.flatMap(({ lines }) => lines.map(({ lineId }) => lineId));
    const openLines = await findStillOpen(connection, merchant, lineIds);
    const subjects = numbered.flatMap(({ items }) => items.map(({ subjectId }) => subjectId));
    const found = await findItems(connection, merchant, [], subjects);
    const open = found.filter(({ matchId }) => matchId === null);
    const changed = new Set((await findChangedItems(connection, merchant, open)).map(nameOf));
    const openItems = new Map(open.filter((item) => !changed.has(nameOf(item))).map((item) => [nameOf(item), item]));
    const isSame = (item: Item): boolean => openItems.get(nameOf(item))?.amountPaise === item.amountPaise;
    const still = numbered
      .filter(({ lines, items }) => lines.every(({ lineId }) => openLines.has(lineId)) && items.every(isSame))
      // A match may have been undone since they were read, which changes the subject of their next posting.
      .map((match) => ({ ...match, items: match.items.map((item) => openItems.get(nameOf(item))!) }));
    for (const match of still) requireEqual(match);
    await writeMatches(connection, merchant, still);
    return still.reduce((count, { lines }) => count + lines.length, 0);
  });
}

/**
 * Saves matches and posts them: the last step of a transaction that holds the merchant's reconciliation. Further events go into the
 * same journal entry.
 */
export async function writeMatches(
  connection: Connection,
  merchant: Merchant,
  matches: readonly (Match & { readonly matchId: bigint })[],
  note: string | null = null,
  events: readonly NewEvent[] = [],
): Promise<void> {
  const lineMarks = matches.flatMap(({ lines, matchId, by }) =>
    lines.map(({ lineId }): { lineId: bigint; matchId: bigint; by: MatchedBy } => ({ lineId, matchId, by })),
  );
  const itemMarks = matches.flatMap(({ items, matchId }) => items.map((item) => ({ item, matchId })));
  await markLinesMatched(connection, merchant, lineMarks, note);
  await markItemsMatched(connection, merchant, itemMarks);
  const postings = itemMarks.flatMap(({ item }): NewEvent[] => {
    if (item.kind === "funding" || item.kind === "failed") return [];
    return [postingOf(item, POSTING_OF_ITEM[item.kind])];
  });
  await recordEvents(connection, merchant, [...postings, ...events]);
}

/** A posting about an item. */
export function postingOf(
  { subjectId, postingId, amountPaise }: Item,
  kind: (typeof POSTING_OF_ITEM | typeof REVERSAL_OF_ITEM)[keyof typeof POSTING_OF_ITEM],
): NewEvent {
  return { type: `posting.${kind}`, subjectId: postingId ?? subjectId, money: { kind, amountPaise } };
}

/** A match moves the sum of its lines. A failed payment moves nothing. */
function requireEqual({ lines, items }: Match): void {
  if (differenceOf(lines, items) !== 0n) throw new Error("lines and items of a match do not have the same sum");
}

/** The sum of lines less that of items, in paise. */
export function differenceOf(lines: Match["lines"], items: Match["items"]): bigint {
  const ofLines = lines.reduce((sum, { side, amountPaise }) => sum + (side === "in" ? amountPaise : -amountPaise), 0n);
  const ofItems = items.reduce((sum, { kind, amountPaise }) => {
    if (kind === "failed") return sum;
    return sum + (kind === "paid" || kind === "fee" ? -amountPaise : amountPaise);
  }, 0n);
  return ofLines - ofItems;
}

/** Whether a line may be the cost of verifying a beneficiary: a rupee, or its charge. */
export function mayBeVerification(line: Pick<OpenLine, "side" | "amountPaise" | "isCharge">): boolean {
  const { side, amountPaise, isCharge } = line;
  if (side !== "out") return false;
  return amountPaise === VERIFIED_WITH_PAISE || (isCharge && amountPaise <= LARGEST_VERIFICATION_FEE_PAISE);
}

/**
 * Sets aside the cost of verifying beneficiaries, a rupee and a charge, and returns the other lines:
 * docs/rules/reconciliation.md#verifications
 */
async function setVerificationsAside(
  { pool, merchant }: WriteContext<Merchant>,
  unmatched: readonly UnmatchedLine[],
): Promise<readonly UnmatchedLine[]> {
  const unknown = unmatched.filter(
    ({ line, state }) => state === "missing_here" && line.keys !== "" && mayBeVerification(line),
  );
  if (unknown.length === 0) return unmatched;
  const days = unknown
    .map(({ line }) => line.bookedOn)
    .toSorted((one, other) => Temporal.PlainDate.compare(one, other));
  const asked = await listVerifications(pool, merchant, { from: days[0]!, to: days.at(-1)! });
  const byUtr = new Map(asked.map(({ utr, beneficiaryId }) => [keyOf(utr), beneficiaryId]));
  byUtr.delete(null);
  const notes = unknown.flatMap(({ line: { lineId, keys } }) => {
    const key = keys.split(" ").find((each) => byUtr.has(each));
    return key === undefined ? [] : [{ lineId, note: `Verification of beneficiary ${byUtr.get(key)!}` }];
  });
  if (notes.length === 0) return unmatched;
  await inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    await noteLines(connection, merchant, notes);
  });
  const aside = new Set(notes.map(({ lineId }) => lineId));
  return unmatched.filter(({ line }) => !aside.has(line.lineId));
}

async function writeUnmatched(
  { pool, merchant }: WriteContext<Merchant>,
  lines: readonly KnownLine[],
  unmatched: readonly UnmatchedLine[],
): Promise<void> {
  const before = new Map(lines.map((line) => [line.lineId, line]));
  const changed = unmatched.filter(({ line, state, aboutId, difference }) => {
    const known = before.get(line.lineId)!;
    return known.state !== state || known.aboutId !== aboutId || known.difference !== difference;
  });
  for (let from = 0; from < changed.length; from += SLICE_MATCHES) {
    const slice = changed.slice(from, from + SLICE_MATCHES);
    await inTransaction(pool, async (connection) => {
      await lockReconciliation(connection, merchant);
      await markUnmatched(connection, merchant, slice);
    });
  }
}

export function nameOf({ subjectId, kind }: Pick<Item, "subjectId" | "kind">): string {
  return `${subjectId} ${kind}`;
}
