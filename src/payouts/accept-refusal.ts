// Why a transfer was not accepted, in a sentence.
// What belongs here: the refusals that a batch decides on. Others are made where they are found.
import { idempotencyConflict, suspended } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import { formatRupees } from "../platform/indian-format.ts";
import { formatPaise } from "../platform/money.ts";
import { noPayoutProvider } from "./make-payout.ts";
import type { AcceptOutcome } from "./transfer-store.ts";

/** The refusal for an outcome that accepted nothing; `reference_conflict` for one that stands for something else. */
export function refusalOf({ outcome, terms }: AcceptOutcome): NodalError {
  switch (outcome) {
    case "idempotency_conflict":
      return idempotencyConflict();
    case "suspended":
      return suspended();
    case "wrong_rail":
      return noPayoutProvider();
    case "insufficient_balance":
      return new NodalError(
        "insufficient_balance",
        "The available balance does not cover this amount: add funds or send less. The reference is still free.",
      );
    case "transfer_limit":
      return new NodalError(
        "limit_exceeded",
        `The merchant's policy lets at most ${formatRupees(terms!.limitPaise!)} leave at once: send less. The reference is still free.`,
        { details: { limit: formatPaise(terms!.limitPaise!) } },
      );
    case "daily_limit": {
      const leftPaise = terms!.leftPaise!;
      const limitPaise = terms!.limitPaise!;
      const todayPaise = leftPaise > 0n ? leftPaise : 0n;
      return new NodalError(
        "limit_exceeded",
        `The merchant's policy lets at most ${formatRupees(limitPaise)} leave in a day, and ${formatRupees(todayPaise)} is left today: send less, or send it tomorrow. The reference is still free.`,
        { details: { limit: formatPaise(limitPaise), left_today: formatPaise(todayPaise) } },
      );
    }
    case "not_verified":
      return new NodalError(
        "beneficiary_not_verified",
        "The merchant's policy pays verified bank accounts only: have this beneficiary's account verified, then pay it by bank transfer (UPI handles can't be verified). The reference is still free.",
      );
    case "cooling_off": {
      // The first whole second at which it is true.
      const at = terms!.payableAt!.round({ smallestUnit: "second", roundingMode: "ceil" }).toPlainDateTime();
      const time = at.toString({ smallestUnit: "second" }).replace("T", " ");
      return new NodalError(
        "limit_exceeded",
        `This beneficiary is new and can be paid from ${time} on: try again then. The reference is still free.`,
        { details: { payable_from: time } },
      );
    }
    case "created":
    case "awaiting_approval":
    case "existing":
    case "replayed":
      return new NodalError("reference_conflict", "This reference stands for another transfer: use a new one.");
  }
}
