// A payout that Nodal asks for by itself, in others' transactions: commission, a refund.
// What belongs here: making and accepting one, and whether what stops it leaves it owed.
import type { Connection } from "../platform/database/pool.ts";
import { NodalError, type ErrorCode } from "../platform/errors.ts";
import { refusalOf } from "./accept-refusal.ts";
import type { Payer, PayoutMaker, PayoutWish } from "./make-payout.ts";
import { writePayoutsWithin } from "./batch/write-payouts.ts";

/** Nobody claims the transfer: the dispatcher of any running server takes it up. */
const NOBODY = 0n;

/** What stands in the way for now, and not in the request. */
const FOR_NOW: ReadonlySet<ErrorCode> = new Set(["access_denied", "no_payout_provider", "beneficiary_not_approved"]);

export type OwnPayout =
  | { readonly how: "accepted" | "existing" }
  /** `isPayeeNew` where only the payee stands in the way: it has to be approved or to cool off. */
  | { readonly how: "refused"; readonly refusal: NodalError; readonly isPayeeNew: boolean };

/**
 * Makes and accepts a payout in the caller's transaction, which then holds the merchant's book. What stops it for now is
 * an answer, and changes nothing.
 * @throws NodalError `limit_exceeded` for more than UPI carries
 */
export async function acceptOwnPayout(
  connection: Connection,
  maker: PayoutMaker,
  payer: Payer,
  wish: PayoutWish,
): Promise<OwnPayout> {
  try {
    const transfer = maker.make(payer, wish);
    const batch = { requests: [{ transfer, claim: false }], reports: [] };
    const { outcomes } = await writePayoutsWithin(connection, Temporal.Now.instant(), NOBODY, batch);
    const [accepted] = outcomes;
    const { outcome } = accepted!;
    if (outcome === "created" || outcome === "awaiting_approval") return { how: "accepted" };
    if (outcome === "existing") return { how: "existing" };
    return { how: "refused", refusal: refusalOf(accepted!), isPayeeNew: outcome === "cooling_off" };
  } catch (error) {
    if (!(error instanceof NodalError) || !FOR_NOW.has(error.code)) throw error;
    return { how: "refused", refusal: error, isPayeeNew: error.code === "beneficiary_not_approved" };
  }
}
