// Use case: an operator books a provider's fee that a statement showed before the provider reported it.
// docs/rules/reconciliation.md#late-fees
import { auditValues } from "../ledger/index.ts";
import type { Merchant, WriteContext } from "../merchants/index.ts";
import { bookLateFee, findTransfer } from "../payouts/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { fieldRefusal, type NodalError } from "../platform/errors.ts";
import { formatRupees } from "../platform/indian-format.ts";
import { findLargestFee, lockReconciliation } from "./clearing-store.ts";
import { followJournal } from "./follow-journal-store.ts";
import { reconcile, writeMatches } from "./reconcile.ts";
import { FOLLOWED_AT_ONCE, refuseChanged, requireItems, requireLines } from "./resolve.ts";
import { findFeeLines } from "./statement-store.ts";

/** A fee may be this many times the largest one the provider has reported: a larger amount or another mode costs more. */
const TIMES_LARGEST = 2n;
/** The cap for an account without a known fee: ₹50.00 and 18 % GST. */
const MAX_FIRST_FEE_PAISE = 5_900n;
/** The cap in any case: a column may have been mistaken for another. */
const MAX_PAISE = 50_000n;
const BOOKED = "Booked as the provider's fee";

/**
 * Books the fee of a line, with the line of its tax if there is one, and matches both, in one transaction. The provider's own
 * report takes precedence. Returns the fee's id.
 * @throws NodalError `not_found`; `validation_failed` for a line without an unbooked fee, or one above the cap
 */
export async function bookFee(context: WriteContext<Merchant>, lineId: bigint): Promise<bigint> {
  const { pool, ids, merchant } = context;
  await requireLines(pool, merchant, [lineId]);
  await reconcile(context);
  const [feeId, matchId] = [await ids.next(), await ids.next()];
  await inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    const [line] = await requireLines(connection, merchant, [lineId]);
    const transferId = line!.difference === "fee" ? line!.aboutId : null;
    if (transferId === null) throw refuse(`Line ${lineId} is not the fee of a payment that lacks one.`);
    const lines = await findFeeLines(connection, merchant, transferId);
    refuseChanged(lines);
    const amountPaise = lines.reduce((sum, each) => sum + each.amountPaise, 0n);
    await refuseAboveCap(connection, merchant, { transferId, amountPaise });
    await bookLateFee(connection, merchant, { feeId, transferId, amountPaise });
    while (await followJournal(connection, merchant, FOLLOWED_AT_ONCE));
    const items = await requireItems(connection, merchant, [{ kind: "fee", subjectId: feeId }]);
    const after = auditValues({ lines: lines.map((each) => String(each.lineId)), reason: BOOKED });
    const event = { type: "statement.matched", subjectId: matchId, after };
    await writeMatches(connection, merchant, [{ lines, items, by: "hand", matchId }], BOOKED, [event]);
  });
  return feeId;
}

/** The cap is based on fees of the same account, since anybody can write a statement file. */
async function refuseAboveCap(
  connection: Connection,
  merchant: Merchant,
  { transferId, amountPaise }: { readonly transferId: bigint; readonly amountPaise: bigint },
): Promise<void> {
  const { bucket, merchantId } = merchant;
  const transfer = await findTransfer(connection, { bucket, merchantId, transferId });
  const largest = await findLargestFee(connection, merchant, transfer!.rail);
  const wanted = largest === null ? MAX_FIRST_FEE_PAISE : largest * TIMES_LARGEST;
  const mostPaise = wanted < MAX_PAISE ? wanted : MAX_PAISE;
  if (amountPaise <= mostPaise) return;
  const seen =
    largest === null
      ? "the provider has reported no fee for this account yet"
      : `the largest fee reported for this account is ${formatRupees(largest)}`;
  throw refuse(
    `${formatRupees(amountPaise)} is too high: a fee booked from a statement can be at most ${formatRupees(mostPaise)}, as ${seen}. ` +
      "Wait for the provider to report this fee, or set the line aside.",
  );
}

function refuse(problem: string): NodalError {
  return fieldRefusal("validation_failed", "line", problem);
}
