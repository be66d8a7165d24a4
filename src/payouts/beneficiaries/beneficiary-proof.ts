// Proof that the server wrote the columns that decide whether a beneficiary may be paid. Name, account, IFSC and handle are
// bound together by their encryption.
import { isSame } from "../../platform/bytes.ts";
import type { Secrets } from "../../platform/secrets/index.ts";
import type { Beneficiary, BeneficiaryApproval, VerificationState } from "./beneficiary.ts";

/** The proved parts of a beneficiary. */
export type ProvedBeneficiary = Pick<
  Beneficiary,
  "bucket" | "merchantId" | "beneficiaryId" | "approval" | "createdAt"
> & { readonly verification: Pick<Beneficiary["verification"], "state"> };

/** Each row has one: half of the hash is enough. */
const PROOF_BYTES = 16;

/** The proof of a beneficiary's approval, of its account's verification, and of when it was saved (the cooling-off period), to the microsecond. */
export function proveBeneficiary(secrets: Secrets, beneficiary: ProvedBeneficiary): Buffer {
  const { bucket, merchantId, beneficiaryId, approval, verification, createdAt } = beneficiary;
  const texts = [bucket, merchantId, beneficiaryId, approval, verification.state, createdAt].map(String);
  return secrets.mac("beneficiary.proof", texts).subarray(0, PROOF_BYTES);
}

/** The columns needed to check a row's proof. */
export const PROVED_COLUMNS = "bucket, merchant_id, beneficiary_id, approval, verification, created_at, proof";

/** A row with `PROVED_COLUMNS`. */
export type ProvedRow = {
  readonly bucket: number;
  readonly merchant_id: bigint;
  readonly beneficiary_id: bigint;
  readonly approval: BeneficiaryApproval;
  readonly verification: VerificationState;
  readonly created_at: Temporal.Instant;
  readonly proof: Buffer | null;
};

/** Whether a row has the proof that the server wrote for it. */
export function isProved(secrets: Secrets, row: ProvedRow): boolean {
  const { bucket, merchant_id: merchantId, beneficiary_id: beneficiaryId, approval, created_at: createdAt } = row;
  const verification = { state: row.verification };
  const expected = proveBeneficiary(secrets, { bucket, merchantId, beneficiaryId, approval, verification, createdAt });
  return row.proof !== null && isSame(expected, row.proof);
}
