// Use cases: undo a match, or a fee booked from a statement, by reversing postings. docs/rules/reconciliation.md#undoing
import { auditValues, hasEvent, recordEvents, type NewEvent } from "../ledger/index.ts";
import type { Merchant, WriteContext } from "../merchants/index.ts";
import { undoLateFee } from "../payouts/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../platform/errors.ts";
import {
  findItems,
  findItemsOfMatches,
  lockReconciliation,
  markItemsUnmatched,
  type ClearingItem,
} from "./clearing-store.ts";
import { followJournal } from "./follow-journal-store.ts";
import { nameOf, postingOf, REVERSAL_OF_ITEM } from "./reconcile.ts";
import { FOLLOWED_AT_ONCE, notOpen, refuseChangedItems } from "./resolve.ts";
import { findLines, findLinesOfMatches, markLinesUnmatched } from "./statement-store.ts";

const UNMATCHED = "statement.unmatched";

export type UndoMatches = { readonly matchIds: readonly bigint[]; readonly reason: string };
export type UndoFee = { readonly feeId: bigint; readonly reason: string };

/**
 * Undoes matches in one transaction: each of their postings is reversed, their items are open again, and their lines need a person.
 * Skips matches that were undone before. Returns how many were undone now.
 * @throws NodalError `not_found` if the merchant never had such a match; then nothing is changed
 */
export async function undoMatches(context: WriteContext<Merchant>, { matchIds, reason }: UndoMatches): Promise<number> {
  const { pool, merchant } = context;
  const newIds = await newIdsFor(context, await findItemsOfMatches(pool, merchant, matchIds));
  return inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    return undoWithin(connection, merchant, { matchIds, reason }, newIds);
  });
}

/** The matches of lines. @throws NodalError `not_found`, `validation_failed` for a line that is not matched */
export async function findMatchesOfLines(
  { pool, merchant }: Pick<WriteContext<Merchant>, "pool" | "merchant">,
  lineIds: readonly bigint[],
): Promise<bigint[]> {
  const lines = await findLines(pool, merchant, lineIds);
  if (lines.length !== new Set(lineIds).size) throw notOpen();
  const open = lines.find(({ matchId }) => matchId === null);
  if (open) throw fieldRefusal("validation_failed", "line", `Line ${open.lineId} is not matched.`);
  return [...new Set(lines.map(({ matchId }) => matchId!))];
}

/**
 * Reverses a fee that was booked from a statement, and undoes its match, in one transaction. Returns whether it was still booked.
 * @throws NodalError `not_found`
 */
export async function undoFee(context: WriteContext<Merchant>, { feeId, reason }: UndoFee): Promise<boolean> {
  const { pool, merchant } = context;
  const before = await findItems(pool, merchant, [], [feeId]);
  const newIds = await newIdsFor(context, await findItemsOfMatches(pool, merchant, matchesOf(before)));
  return inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    while (await followJournal(connection, merchant, FOLLOWED_AT_ONCE));
    const matchIds = matchesOf(await findItems(connection, merchant, [], [feeId]));
    if (matchIds.length > 0) await undoWithin(connection, merchant, { matchIds, reason }, newIds);
    const isUndone = await undoLateFee(connection, merchant, feeId, reason);
    while (await followJournal(connection, merchant, FOLLOWED_AT_ONCE));
    return isUndone;
  });
}

function matchesOf(items: readonly ClearingItem[]): bigint[] {
  return items.flatMap(({ matchId }) => (matchId === null ? [] : [matchId]));
}

/** An id for each item, by its name: taken in advance, since a transaction that waits for another connection may deadlock. */
async function newIdsFor(
  { ids }: WriteContext<Merchant>,
  items: readonly ClearingItem[],
): Promise<ReadonlyMap<string, bigint>> {
  const newIds = new Map<string, bigint>();
  for (const item of items) newIds.set(nameOf(item), await ids.next());
  return newIds;
}

async function undoWithin(
  connection: Connection,
  merchant: Merchant,
  { matchIds, reason }: UndoMatches,
  newIds: ReadonlyMap<string, bigint>,
): Promise<number> {
  const lines = Map.groupBy(await findLinesOfMatches(connection, merchant, matchIds), ({ matchId }) => matchId!);
  const items = Map.groupBy(await findItemsOfMatches(connection, merchant, matchIds), ({ matchId }) => matchId!);
  const matched = [...new Set(matchIds)].filter((matchId) => lines.has(matchId) || items.has(matchId));
  for (const matchId of matchIds) {
    const isKnown = matched.includes(matchId) || (await hasEvent(connection, merchant, matchId, [UNMATCHED]));
    if (!isKnown) throw new NodalError("not_found", `There is no match ${matchId}: see \`nodal reconcile list\`.`);
  }
  const lineIds = matched.flatMap((matchId) => (lines.get(matchId) ?? []).map(({ lineId }) => lineId));
  const marks = matched
    .flatMap((matchId) => items.get(matchId) ?? [])
    .map((item) => ({ item, postingId: newIds.get(nameOf(item)) }));
  await refuseChangedItems(
    connection,
    merchant,
    matched.flatMap((matchId) => items.get(matchId) ?? []),
  );
  // Another match of the same items was made in between.
  if (marks.some(({ postingId }) => postingId === undefined)) throw matchChanged();
  await markLinesUnmatched(connection, merchant, lineIds, reason);
  await markItemsUnmatched(connection, merchant, marks as { item: ClearingItem; postingId: bigint }[]);
  const events = matched.flatMap((matchId): NewEvent[] => {
    const ofMatch = items.get(matchId) ?? [];
    const after = auditValues({
      lines: (lines.get(matchId) ?? []).map(({ lineId }) => String(lineId)),
      with: ofMatch.map(nameOf),
      reason,
    });
    return [...ofMatch.flatMap(reversalsOf), { type: UNMATCHED, subjectId: matchId, after }];
  });
  await recordEvents(connection, merchant, events);
  return matched.length;
}

/** Incoming money and failed payments have no posting for their match. */
function reversalsOf(item: ClearingItem): NewEvent[] {
  if (item.kind === "funding" || item.kind === "failed") return [];
  return [postingOf(item, REVERSAL_OF_ITEM[item.kind])];
}

function matchChanged(): NodalError {
  return new NodalError("unavailable", "This match was changed in the meantime. Nothing was undone: try again.");
}
