// Sample merchants and the beneficiary that each has: for the demo of the first start and for `nodal seed`.
// What belongs here: data that the simulated bank treats well. No real person's.
import { auditValues, recordEventsOfMany } from "../ledger/index.ts";
import type { MerchantKey, MerchantProfile } from "../merchants/index.ts";
import { insertBeneficiaries, type Beneficiary } from "../payouts/index.ts";
import type { Connection } from "../platform/database/pool.ts";

/** The profile of a sample merchant, complete with a bank account for withdrawals. */
export function sampleProfile(name: string, email: string): MerchantProfile {
  return {
    name,
    email,
    mobile: "9876543210",
    address: "12 Brigade Road",
    city: "Bengaluru",
    state: "Karnataka",
    zipcode: "560001",
    gstin: "",
    pan: "",
    bankAccount: "00011020001772",
    ifsc: "HDFC0000001",
    bankHolder: name,
    timeZone: "Asia/Kolkata",
  };
}

/** A beneficiary whose account and UPI handle the simulated bank pays. */
export function sampleBeneficiary(owner: MerchantKey, beneficiaryId: bigint): Beneficiary {
  return {
    bucket: owner.bucket,
    merchantId: owner.merchantId,
    beneficiaryId,
    type: "Vendor",
    approval: "approved",
    name: "Asha Rao",
    emailId: "asha@example.com",
    mobile: "9876500000",
    accountNumber: "026291800001191",
    ifsc: "YESB0000262",
    upi: "success@upi",
    address: "",
    city: "Mysuru",
    state: "Karnataka",
    zipcode: "570001",
    createdAt: Temporal.Now.instant(),
  };
}

/** Saves sample beneficiaries of merchants that are made in the same transaction, and tells of them. */
export async function saveSampleBeneficiaries(
  connection: Connection,
  beneficiaries: readonly Beneficiary[],
): Promise<void> {
  await insertBeneficiaries(connection, beneficiaries);
  await recordEventsOfMany(
    connection,
    beneficiaries.map((beneficiary) => ({
      bucket: beneficiary.bucket,
      merchantId: beneficiary.merchantId,
      type: "beneficiary.created",
      subjectId: beneficiary.beneficiaryId,
      after: auditValues(beneficiary),
    })),
  );
}
