// Approvals: what waits for a second person, and how it was decided.
import { NodalError, validationError } from "../../platform/errors.ts";
import { isOperator, personOf } from "../../platform/origin.ts";
import type { MerchantBankAccount, MerchantKey } from "../merchant.ts";
import type { PolicyChanges } from "./payout-policy.ts";

/**
 * `commission` is a payout to a franchise; `franchise_account` the bank account of a new one, `franchise_account_change`
 * another account of one that there is; `bank_account` the merchant's own; `payout_batch` many payouts at once;
 * `transfer_resolution` what a stuck transfer came to; `funding` a large deposit of the installation's account.
 */
export type ApprovalKind =
  | "transfer"
  | "withdrawal"
  | "commission"
  | "beneficiary"
  | "franchise_account"
  | "franchise_account_change"
  | "bank_account"
  | "policy"
  | "payout_batch"
  | "transfer_resolution"
  | "funding";

/** A bank account that is asked for; of a franchise's with the name of the bank and the kind of account. */
export type AccountChange = MerchantBankAccount & { readonly bankName?: string; readonly accountType?: string };

/** How a stuck transfer ended, as somebody found out. */
export type Resolution = {
  readonly as: "success" | "failed";
  /** The bank's reference, of a success. */
  readonly utr: string | null;
  readonly reason: string;
  /** What shows it: the bank's line with this reference, or a statement without any; "" for none. */
  readonly evidence: string;
  /** Why the provider could not be asked at all; `null` where it was. */
  readonly unasked: string | null;
  /** It left over the installation's account: nobody of the merchant decides it. */
  readonly operatorsOnly: boolean;
};

/** Money that came in, as an operator wants to credit it. `deposits` is what else names it in the bank's statement. */
export type RequestedFunding = {
  readonly amountPaise: bigint;
  readonly reference: string;
  readonly deposits?: readonly string[];
};

/** `withdrawn`: by who had asked for it. */
export type Decision = "approved" | "rejected" | "expired" | "withdrawn";

export type ApprovalKey = MerchantKey & { readonly approvalId: bigint };

export type Approval = ApprovalKey & {
  readonly kind: ApprovalKind;
  /** The transfer, beneficiary, franchise, batch or merchant that it is about. */
  readonly subjectId: bigint;
  readonly requestedBy: string;
  readonly requestedAt: Temporal.Instant;
  /** `null` where it came back with a backup: it waits until somebody decides. */
  readonly expiresAt: Temporal.Instant | null;
  /** Where another account is asked for; a merchant's empty texts take it away. */
  readonly bankAccount: AccountChange | null;
  /** With a kind of `policy`: what becomes true. */
  readonly policyChanges: PolicyChanges | null;
  /** With a kind of `transfer_resolution`. */
  readonly resolution: Resolution | null;
  /** With a kind of `funding`. */
  readonly funding: RequestedFunding | null;
  /** `null` while it is open. */
  readonly decision: Decision | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Temporal.Instant | null;
  readonly note: string;
};

/** Keys of the API ask, and never decide; schedules only let things expire. */
const MAY_DECIDE = /^(user|operator|command):/;

/**
 * Whether `actor` is one who decides this: the merchant's own people, and of stuck transfers operators too. What left over the
 * installation's account, and what came in there, is for operators alone.
 */
export function mayDecide({ kind, resolution }: Pick<Approval, "kind" | "resolution">, actor: string): boolean {
  if (kind === "funding") return isOperator(actor);
  if (actor.startsWith("operator:")) return kind === "transfer_resolution";
  return MAY_DECIDE.test(actor) && (!resolution?.operatorsOnly || isOperator(actor));
}

/** Who decides: the actor, the time by the merchant's clock, and who is behind the request, such as the maker of an access key. */
type Deciding = { readonly actor: string; readonly now: Temporal.Instant; readonly person: string };

/**
 * Checks that `actor` can decide. Nobody approves what an access key of their own has requested.
 * @throws NodalError `approval_decided`, `approval_not_allowed` or `same_person`
 */
export function refuseDecider(approval: Approval, { actor, now, person }: Deciding): void {
  refuseDecided(approval, now);
  if (!MAY_DECIDE.test(actor)) {
    throw new NodalError("approval_not_allowed", "Only a user can decide this: sign in, or use `nodal approval`.");
  }
  if (!mayDecide(approval, actor)) {
    const who =
      approval.kind === "funding"
        ? "This deposit uses the installation's account: only an operator can decide this."
        : approval.resolution?.operatorsOnly
          ? "This payout used the installation's account: only an operator can decide this."
          : "Operators can only decide stuck transfers and large deposits: ask a user of the merchant.";
    throw new NodalError("approval_not_allowed", who);
  }
  // A key that an operator or the command line has made is the merchant's: its maker does not use it.
  const isOwnKey = person === actor && actor.startsWith("user:");
  if (isOwnKey || personOf(approval.requestedBy) === personOf(actor)) {
    throw new NodalError("same_person", `${describeRequester(actor)} requested this: another person must decide it.`);
  }
}

/**
 * Checks that `actor`, the requester, can withdraw. A request restored from a backup may have been paid since, so its requester alone
 * can't release the money.
 * @throws NodalError `approval_decided` or `approval_not_allowed`
 */
export function refuseWithdrawal(approval: Approval, actor: string, now: Temporal.Instant): void {
  refuseDecided(approval, now);
  if (!MAY_DECIDE.test(actor) || personOf(approval.requestedBy) !== personOf(actor)) {
    throw new NodalError("approval_not_allowed", "Only the requester can withdraw this: reject it instead.");
  }
  if (approval.expiresAt === null) {
    throw new NodalError(
      "approval_not_allowed",
      "This was restored from a backup and may have been carried out since: another person must decide it.",
    );
  }
}

function refuseDecided(approval: Approval, now: Temporal.Instant): void {
  if (approval.decision !== null) {
    throw new NodalError("approval_decided", `This request was already ${approval.decision}.`);
  }
  if (approval.expiresAt !== null && Temporal.Instant.compare(approval.expiresAt, now) <= 0) {
    throw new NodalError("approval_decided", "This request has expired: create a new one.");
  }
}

/** Requires a reason, because the requester sees it. @throws NodalError `validation_failed` */
export function refuseWithoutReason(note: string): void {
  if (note.trim() !== "") return;
  const problem = "Give a reason for the rejection: the requester sees it.";
  throw validationError([{ field: "note", code: "required", problem }]);
}

function describeRequester(actor: string): string {
  if (personOf(actor) === actor) return actor;
  return "The command line, which counts as one person,";
}

/** The refusal for an approval that the merchant does not have. */
export function approvalNotFound(): NodalError {
  return new NodalError("approval_not_found", "This approval does not exist: check its id in the list.");
}
