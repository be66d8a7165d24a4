// Beneficiaries: whom a merchant pays.
// What belongs here: types and rules that need no database.
import type { MerchantKey } from "../merchants/index.ts";
import type { Payee } from "./rails/rail.ts";

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
    readonly createdAt: Temporal.Instant;
  };

/** Where a transfer to the beneficiary goes. */
export function payeeOf(beneficiary: BeneficiaryDetails): Payee {
  return {
    name: beneficiary.name,
    accountNumber: beneficiary.accountNumber,
    ifsc: beneficiary.ifsc,
    upi: beneficiary.upi,
  };
}
