// Beneficiaries: the people and businesses that a merchant pays.
import type { MerchantKey } from "../../merchants/index.ts";
import { NodalError } from "../../platform/errors.ts";
import { RecordList } from "../../platform/http/record.ts";
import { ACCOUNT_MEMBERS, BENEFICIARY_MEMBERS, CONTACT_MEMBERS } from "./beneficiary-members.ts";

/**
 * Whether a beneficiary can be paid. If the merchant's policy requires it, a second person approves or rejects it first. An
 * approved one can be deactivated. A rejection or deactivation is permanent.
 */
export type BeneficiaryApproval = "pending" | "approved" | "rejected" | "deactivated";

export const beneficiaryRecord = new RecordList(BENEFICIARY_MEMBERS);
/** A beneficiary's contact details, which may change. */
export const contactRecord = new RecordList(CONTACT_MEMBERS);
export const accountRecord = new RecordList(ACCOUNT_MEMBERS);

/** The details that a merchant saves. Missing texts are empty; a missing account, IFSC or handle is `null`. */
export type BeneficiaryDetails = typeof beneficiaryRecord.blank;
export type BeneficiaryContact = typeof contactRecord.blank;

/**
 * The result of verifying the bank account. `name_differs`: the bank has another name; `accepted`: a user accepted that name;
 * `invalid`: the account doesn't exist. UPI handles are not verified.
 */
export type VerificationState = "unverified" | "pending" | "verified" | "name_differs" | "accepted" | "invalid";

export type Verification = {
  readonly state: VerificationState;
  /** When the bank answered; `null` if it was never asked. */
  readonly at: Temporal.Instant | null;
  /** Unknown texts are empty. */
  readonly nameAtBank: string;
  readonly branch: string;
  readonly utr: string;
  /** For a pending answer: the rail, and the provider's id of the question. */
  readonly reference: string | null;
};

export const UNVERIFIED: Verification = {
  state: "unverified",
  at: null,
  nameAtBank: "",
  branch: "",
  utr: "",
  reference: null,
};

export type Beneficiary = MerchantKey &
  BeneficiaryDetails & {
    readonly verification: Verification;
    readonly beneficiaryId: bigint;
    readonly type: string;
    readonly approval: BeneficiaryApproval;
    readonly createdAt: Temporal.Instant;
  };

/**
 * Whether a beneficiary has neither an account nor a handle. Every beneficiary is saved with at least one, so its account, handle, name,
 * IFSC, approval, verification or time of saving was changed with SQL.
 */
export function isUnreadable({ accountNumber, upi }: Pick<BeneficiaryDetails, "accountNumber" | "upi">): boolean {
  return accountNumber === null && upi === null;
}

/** The refusal for a beneficiary that was changed with SQL since it was saved: see `isUnreadable`. */
export function beneficiaryChanged(consequence: string): NodalError {
  return new NodalError(
    "beneficiary_not_approved",
    `This beneficiary was changed in the database since it was saved, and can't be paid: deactivate it and save the account again, and ask the operator to run \`nodal verify --deep\`. ${consequence}`,
  );
}

/** The refusal for a beneficiary that the merchant does not have. */
export function beneficiaryNotFound(): NodalError {
  return new NodalError("beneficiary_not_found", "This beneficiary does not exist: choose one from the list.");
}
