// Approvals: requests that need a second person, and their decisions.
import { NodalError, validationError } from "../../platform/errors.ts";
import { isOperator, personOf } from "../../platform/origin.ts";
import type { MerchantBankAccount, MerchantKey } from "../merchant.ts";
import type { PolicyChanges } from "./payout-policy.ts";

/**
 * `commission` is a payout to a franchise; `franchise_account` the bank account of a new franchise, `franchise_account_change` that
 * of an existing one; `bank_account` the merchant's own; `payout_batch` many payouts at once; `transfer_resolution` the outcome of
 * a stuck transfer; `funding` a large deposit of the installation's account.
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

/** A requested bank account; a franchise's has the bank's name and the kind of account. */
export type AccountChange = MerchantBankAccount & { readonly bankName?: string; readonly accountType?: string };

/** The outcome of a stuck transfer, as somebody found out. */
export type Resolution = {
  readonly as: "success" | "failed";
  /** The bank's reference of a success. */
  readonly utr: string | null;
  readonly reason: string;
  /** The evidence: the bank's line with this reference, or a statement without any; "" for none. */
  readonly evidence: string;
  /** Why the provider could not be asked; `null` if it was. */
  readonly unasked: string | null;
  /** It left over the installation's account: the merchant's people can't decide it. */
  readonly operatorsOnly: boolean;
};

/** Incoming money for an operator to credit. `deposits` are its other names in the bank's statement. */
export type RequestedFunding = {
  readonly amountPaise: bigint;
  readonly reference: string;
  readonly deposits?: readonly string[];
};

/** `withdrawn`: by its requester. */
export type Decision = "approved" | "rejected" | "expired" | "withdrawn";

export type ApprovalKey = MerchantKey & { readonly approvalId: bigint };

export type Approval = ApprovalKey & {
  readonly kind: ApprovalKind;
  /** The subject: a transfer, beneficiary, franchise, batch or merchant. */
  readonly subjectId: bigint;
  readonly requestedBy: string;
  readonly requestedAt: Temporal.Instant;
  /** `null` if it was restored from a backup: it waits until somebody decides. */
  readonly expiresAt: Temporal.Instant | null;
  /** If another account is requested; a merchant's empty texts remove it. */
  readonly bankAccount: AccountChange | null;
  /** For the kind `policy`: the change. */
  readonly policyChanges: PolicyChanges | null;
  /** For the kind `transfer_resolution`. */
  readonly resolution: Resolution | null;
  /** For the kind `funding`. */
  readonly funding: RequestedFunding | null;
  /** `null` while it is open. */
  readonly decision: Decision | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Temporal.Instant | null;
  readonly note: string;
};

/** API keys request, and never decide; schedules only expire approvals. */
const MAY_DECIDE = /^(user|operator|command):/;

/**
 * Whether `actor` is one of those who decide this: the merchant's own people, and for stuck transfers operators too. Only operators
 * decide on money that left over the installation's account, or came in there.
 */
export function mayDecide({ kind, resolution }: Pick<Approval, "kind" | "resolution">, actor: string): boolean {
  if (kind === "funding") return isOperator(actor);
  if (actor.startsWith("operator:")) return kind === "transfer_resolution";
  return MAY_DECIDE.test(actor) && (!resolution?.operatorsOnly || isOperator(actor));
}

/**
 * The decider: the actor, the time by the merchant's clock, and the person behind the request, such as the maker of an access key.
 */
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
  // A key created by an operator or the command line is the merchant's: its maker does not use it.
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

/** The error for an approval that the merchant doesn't have. */
export function approvalNotFound(): NodalError {
  return new NodalError("approval_not_found", "This approval does not exist: check its id in the list.");
}
