// Use cases for lines that could not be matched: match by hand, book as incoming money, set aside with a reason.
// docs/rules/reconciliation.md#resolving
import { findReceiptsOfLines } from "../invoices/index.ts";
import { auditValues, findPaymentWithUtr, recordEvents } from "../ledger/index.ts";
import { creditWithin, type Credited, type Merchant, type WriteContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../platform/errors.ts";
import { formatRupees } from "../platform/indian-format.ts";
import { findItems, lockReconciliation, noteItem, type ClearingItem } from "./clearing-store.ts";
import { bankReferencesOf, depositNamesOf } from "./deposit-names.ts";
import { findChangedItems, followJournal } from "./follow-journal-store.ts";
import { isOfAnotherMerchant } from "./line-keys.ts";
import type { ItemKind } from "./match-lines.ts";
import { differenceOf, nameOf, reconcile, writeMatches } from "./reconcile.ts";
import { findLines, noteLine, type FoundLine, type StatementLine } from "./statement-store.ts";

/** An item's name: its kind, and the transfer or the funding. */
export type ItemName = { readonly kind: ItemKind; readonly subjectId: bigint };

/** Postings followed before the lock on the merchant's reconciliation is taken again. */
export const FOLLOWED_AT_ONCE = 5000;
const BOOKED = "Booked as funding";

export type MatchByHand = {
  readonly lineIds: readonly bigint[];
  readonly items: readonly ItemName[];
  readonly reason: string;
};

/**
 * Matches lines and items with the same sum, one or many on each side; either side may be empty if the other sums to zero, as a
 * payment and its return do. It is posted, and a reversing posting can undo it (undo.ts).
 * @throws NodalError `not_found`, `validation_failed` if an item is matched already, or the sums differ
 */
export async function matchByHand(
  context: WriteContext<Merchant>,
  { lineIds, items: names, reason }: MatchByHand,
): Promise<bigint> {
  const { pool, ids, merchant } = context;
  const matchId = await ids.next();
  return inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    const lines = await requireLines(connection, merchant, lineIds);
    refuseForeign(lines);
    const items = await requireItems(connection, merchant, names);
    const difference = differenceOf(lines, items);
    if (lines.length + items.length < 2 || difference !== 0n) {
      throw fieldRefusal(
        "validation_failed",
        "with",
        lines.length + items.length < 2
          ? "Give at least one line and one item to match it with."
          : `The lines add up to ${formatRupees(difference)} more than the items: both must have the same sum.`,
      );
    }
    const after = auditValues({ lines: lineIds.map(String), with: names.map(nameOf), reason });
    const told = { type: "statement.matched", subjectId: matchId, after };
    await writeMatches(connection, merchant, [{ lines, items, by: "hand", matchId }], reason, [told]);
    return matchId;
  });
}

/**
 * Books a line of incoming money as the merchant's, once for its reference, and matches it, in one transaction. Journal entries up
 * to now are followed first. A large deposit of the installation's account waits for a second operator, and its line with it: the
 * money of a returned payment is credited by the payment's own posting.
 * @throws NodalError `not_found`, `validation_failed` for a line that is matched, is about a payment, or went
 * out, `reference_conflict`
 */
export async function bookAsFunding(context: WriteContext<Merchant>, lineId: bigint): Promise<Credited> {
  const { pool, ids, merchant } = context;
  await requireLines(pool, merchant, [lineId]);
  await reconcile(context);
  const [newId, matchId] = [await ids.next(), await ids.next()];
  return inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    const [line] = await requireLines(connection, merchant, [lineId]);
    refuseNoIncoming(line!, "booked as funding");
    await refusePayment(connection, merchant, line!);
    const named = line!.reference || bankReferencesOf(line!)[0];
    const reference = named?.slice(0, 64) || `statement line ${lineId}`;
    const request = { amountPaise: line!.amountPaise, reference, deposits: depositNamesOf(line!), fundingId: newId };
    // It may have been booked under this reference before: then the line matches that booking.
    const credited = await creditWithin(connection, merchant, request);
    const { fundingId } = credited;
    if (credited.isWaiting) return credited;
    while (await followJournal(connection, merchant, FOLLOWED_AT_ONCE));
    const items = await requireItems(connection, merchant, [{ kind: "funding", subjectId: fundingId }]);
    const by = line!.keys.split(" ").includes(items[0]!.utrKey ?? "") ? "utr" : "hand";
    const told = {
      type: "statement.matched",
      subjectId: matchId,
      after: auditValues({ lines: [String(lineId)], reason: BOOKED }),
    };
    await writeMatches(connection, merchant, [{ lines: [line!], items, by, matchId }], BOOKED, [told]);
    return credited;
  });
}

/**
 * A payment's money is not new money, no matter who made the payment: its return is credited by the payment's own posting. A line
 * whose match was undone, or that was set aside before, has lost its link to the payment, so the payment is looked up.
 */
export async function refusePayment(
  connection: Connection,
  merchant: Merchant,
  { lineId, keys, paymentOf }: StatementLine,
): Promise<void> {
  const references = keys.split(" ").filter((key) => key !== "");
  const subjects = paymentOf === null ? [] : [paymentOf];
  const own = (await findItems(connection, merchant, references, subjects)).find(
    ({ kind, utrKey, subjectId }) =>
      kind !== "funding" && (subjectId === paymentOf || (utrKey !== null && references.includes(utrKey))),
  );
  if (own) throw refuseAbout(lineId, own.subjectId);
  const payment = await findPaymentWithUtr(connection, merchant, references);
  if (payment === null) return;
  if (typeof payment === "bigint") throw refuseAbout(lineId, payment);
  const problem = `Line ${lineId} has the reference of another merchant's payment: set it aside.`;
  throw fieldRefusal("validation_failed", "line", problem);
}

/** A line with the id of another merchant's payment can't be used here. @throws NodalError `validation_failed` */
function refuseForeign(lines: readonly StatementLine[]): void {
  const foreign = lines.find(isOfAnotherMerchant);
  if (!foreign) return;
  const problem = `Line ${foreign.lineId} has the id of another merchant's payment: it stays set aside.`;
  throw fieldRefusal("validation_failed", "line", problem);
}

/** Refuses a line that shows no new money. `use` is its intended use. @throws NodalError `validation_failed` */
export function refuseNoIncoming(line: StatementLine, use: string): void {
  const { lineId, side, state, aboutId, duplicateOf } = line;
  refuseForeign([line]);
  if (state === "noted")
    throw fieldRefusal("validation_failed", "line", `Line ${lineId} is set aside: reopen it first.`);
  if (side !== "in")
    throw fieldRefusal("validation_failed", "line", `This line is a debit: only a credit can be ${use}.`);
  if (duplicateOf !== null) {
    throw fieldRefusal(
      "validation_failed",
      "line",
      `Line ${lineId} may be line ${duplicateOf} of a file in another format: set it aside, or reopen it as a line of its own.`,
    );
  }
  if (aboutId !== null) throw refuseAbout(lineId, aboutId);
}

function refuseAbout(lineId: bigint, aboutId: bigint): NodalError {
  return fieldRefusal(
    "validation_failed",
    "line",
    `Line ${lineId} has the reference of ${aboutId}, which already has postings: match it by hand, or set it aside.`,
  );
}

/**
 * Sets a line or an item aside with a reason, or reopens it (`null`). Nothing is posted.
 * @throws NodalError `not_found` if there is no open one
 */
export async function setAside(
  { pool, merchant }: WriteContext<Merchant>,
  { target, reason }: { readonly target: bigint | ItemName; readonly reason: string | null },
): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    const isLine = typeof target === "bigint";
    if (isLine) await refuseReceipts(connection, merchant, [target]);
    if (isLine && reason === null) refuseForeign(await findLines(connection, merchant, [target]));
    const noted = isLine
      ? await noteLine(connection, merchant, target, reason)
      : await noteItem(connection, merchant, target, reason);
    if (!noted) throw notOpen();
    const event = {
      type: reason === null ? "statement.taken_up" : "statement.set_aside",
      subjectId: isLine ? target : target.subjectId,
      after: auditValues({ what: isLine ? "line" : target.kind, reason: reason ?? "" }),
    };
    await recordEvents(connection, merchant, [event]);
  });
}

/**
 * The merchant's lines with these numbers, none of them matched.
 * @throws NodalError `not_found`; `validation_failed` also for a line that was changed with SQL
 */
export async function requireLines(
  db: Connection | WriteContext["pool"],
  merchant: Merchant,
  lineIds: readonly bigint[],
): Promise<FoundLine[]> {
  const lines = await findLines(db, merchant, lineIds);
  if (lines.length !== new Set(lineIds).size) throw notOpen();
  const matched = lines.find(({ matchId }) => matchId !== null);
  if (matched) throw fieldRefusal("validation_failed", "line", `Line ${matched.lineId} is already matched.`);
  await refuseReceipts(db, merchant, lineIds);
  refuseChanged(lines);
  return lines;
}

/** Refuses lines with receipts recorded from them. @throws NodalError `validation_failed` */
async function refuseReceipts(
  db: Connection | WriteContext["pool"],
  merchant: Merchant,
  lineIds: readonly bigint[],
): Promise<void> {
  const [receipt] = await findReceiptsOfLines(db, merchant, lineIds);
  if (!receipt) return;
  const problem = `Line ${receipt.statementLineId!} is the receipt ${receipt.receiptNumber}: reverse the receipt first.`;
  throw fieldRefusal("validation_failed", "line", problem);
}

/** Refuses to book from a line that was changed with SQL since its import. @throws NodalError `validation_failed` */
export function refuseChanged(lines: readonly FoundLine[]): void {
  const changed = lines.find(({ isSound }) => !isSound);
  if (!changed) return;
  const problem = `Line ${changed.lineId} was changed in the database since it was imported, and nothing was booked: set it aside, import its file again, and ask the operator to run \`nodal verify\`.`;
  throw fieldRefusal("validation_failed", "line", problem);
}

/** The items with these names, none of them matched. @throws NodalError `not_found`, `validation_failed` */
export async function requireItems(
  connection: Connection,
  merchant: Merchant,
  names: readonly ItemName[],
): Promise<ClearingItem[]> {
  const subjects = names.map(({ subjectId }) => subjectId);
  const found = new Map((await findItems(connection, merchant, [], subjects)).map((item) => [nameOf(item), item]));
  const items = [...new Set(names.map(nameOf))].map((name) => {
    const item = found.get(name);
    if (!item) {
      throw new NodalError("not_found", `The ledger has no open item ${name}: see \`nodal reconcile list\`.`);
    }
    if (item.matchId !== null) throw fieldRefusal("validation_failed", "with", `${name} is already matched.`);
    return item;
  });
  await refuseChangedItems(connection, merchant, items);
  return items;
}

/** Refuses to match, or to undo a match, with an item that was changed with SQL. @throws NodalError `validation_failed` */
export async function refuseChangedItems(
  connection: Connection,
  merchant: Merchant,
  items: readonly ClearingItem[],
): Promise<void> {
  const [changed] = await findChangedItems(connection, merchant, items);
  if (!changed) return;
  const problem = `${nameOf(changed)} was changed in the database since it was booked, and nothing was matched: ask the operator to run \`nodal verify\`.`;
  throw fieldRefusal("validation_failed", "with", problem);
}

/** The error for a line that the merchant doesn't have, or that is not open. */
export function notOpen(): NodalError {
  return new NodalError("not_found", "This line is not open: see `nodal reconcile list`.");
}
