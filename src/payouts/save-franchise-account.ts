// One use case: a franchise's bank account is kept as a beneficiary of its merchant, or found to be one already.
import type { FranchisePayee } from "../franchises/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import type { Beneficiary } from "./beneficiary.ts";
import { keepBeneficiary } from "./keep-beneficiary.ts";

/** Answers the id of the beneficiary that has the account, inside the caller's transaction. */
export async function saveFranchiseAccount(connection: Connection, payee: FranchisePayee): Promise<bigint> {
  const { contact } = payee;
  const beneficiary: Beneficiary = {
    bucket: payee.bucket,
    merchantId: payee.merchantId,
    beneficiaryId: payee.beneficiaryId,
    type: "Franchise",
    approval: "approved",
    name: payee.name,
    emailId: contact.emailId,
    mobile: contact.mobile,
    accountNumber: payee.accountNumber,
    ifsc: payee.ifsc,
    upi: null,
    address: contact.address,
    city: contact.city,
    state: contact.state,
    zipcode: contact.zipcode,
    createdAt: Temporal.Now.instant(),
  };
  return (await keepBeneficiary(connection, beneficiary, payee.isApproved)).beneficiaryId;
}
