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
/** How a beneficiary is reached: what may change of it. */
export const contactRecord = new RecordList(CONTACT_MEMBERS);
export const accountRecord = new RecordList(ACCOUNT_MEMBERS);

/** What a merchant saves. Texts that were not given are empty; a missing account, IFSC or handle is `null`. */
export type BeneficiaryDetails = typeof beneficiaryRecord.blank;
export type BeneficiaryContact = typeof contactRecord.blank;

/**
 * The result of verifying the bank account. `name_differs`: the bank has another name; `accepted`: a user accepted that name;
 * `invalid`: the account doesn't exist. UPI handles are not verified.
 */
export type VerificationState = "unverified" | "pending" | "verified" | "name_differs" | "accepted" | "invalid";

export type Verification = {
  readonly state: VerificationState;
  /** When it was said; `null` where the bank was never asked. */
  readonly at: Temporal.Instant | null;
  /** Texts are empty where they are not known. */
  readonly nameAtBank: string;
  readonly branch: string;
  readonly utr: string;
  /** Where an answer is waited for: the rail, and what its provider calls the question. */
  readonly reference: string | null;
};

/** Of an account that the bank was not asked about. */
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
 * Whether neither the account nor the handle can be used, of which every beneficiary is saved with one at least: they, the
 * name, the IFSC, the approval, the verification or the time of saving were changed with SQL.
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
