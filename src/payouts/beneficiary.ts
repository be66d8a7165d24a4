// Beneficiaries: whom a merchant pays.
// What belongs here: types and rules that need no database.
import type { MerchantKey } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import type { Payee } from "./rails/rail.ts";

/** Whether a second person has approved it, where the merchant's policy asks for one. A decision is for good. */
export type BeneficiaryApproval = "pending" | "approved" | "rejected";

/** What a merchant saves. Texts that were not given are empty; a missing account, IFSC or handle is `null`. */
export type BeneficiaryDetails = {
  readonly name: string;
  readonly emailId: string;
  readonly mobile: string;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
};

export type Beneficiary = MerchantKey &
  BeneficiaryDetails & {
    readonly beneficiaryId: bigint;
    readonly type: string;
    readonly approval: BeneficiaryApproval;
    readonly createdAt: Temporal.Instant;
  };

/** The refusal `beneficiary_not_approved` for one that can't be paid yet, or never; `null` for all others. */
export function refusalOfPayee({ approval }: Pick<Beneficiary, "approval">): NodalError | null {
  if (approval === "approved") return null;
  const message =
    approval === "pending"
      ? "This beneficiary waits for the approval of a second person: try again once it is approved. Nothing was transferred."
      : "This beneficiary was rejected and can't be paid: save the account again to ask anew. Nothing was transferred.";
  return new NodalError("beneficiary_not_approved", message);
}

/** Where a transfer to the beneficiary goes. */
export function payeeOf({ name, accountNumber, ifsc, upi }: Payee): Payee {
  return { name, accountNumber, ifsc, upi };
}
