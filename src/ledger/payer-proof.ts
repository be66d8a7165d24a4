// Proof that the server wrote the columns that decide about a merchant's money: a keyed hash in the merchant's row,
// checked whenever that row is used for a decision.
import { RowProof, type Secrets } from "../platform/secrets/index.ts";

/** The merchant's columns that the proof covers. */
export type PayerTerms = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly status: string;
  readonly live: boolean;
  readonly counterpartId: bigint | null;
  readonly feesPaidBy: string;
  readonly payoutRails: Readonly<Partial<Record<string, string>>> | null;
  readonly whenDown: string;
  readonly giveUpMinutes: number | null;
  readonly timeZone: string;
  readonly clockDate: Temporal.PlainDate | null;
  /** Of the merchant's own account. Its encrypted number can only be decrypted in this row. */
  readonly ifsc: string;
  readonly bankHolder: string;
};

const PROOF = new RowProof<PayerTerms>(
  "merchant",
  ({ bucket, merchantId }) => [bucket, merchantId],
  (terms) => [
    terms.status,
    terms.live,
    terms.counterpartId,
    terms.feesPaidBy,
    // jsonb does not keep the order of an object's members.
    terms.payoutRails && Object.entries(terms.payoutRails).map(String).toSorted(),
    terms.whenDown,
    terms.giveUpMinutes,
    terms.timeZone,
    terms.clockDate && String(terms.clockDate),
    terms.ifsc,
    terms.bankHolder,
  ],
);

/** The proof of a merchant. */
export function provePayer(secrets: Secrets, terms: PayerTerms): Buffer {
  return PROOF.of(secrets, terms);
}

/** Did the server write this merchant's terms? */
export function isProvedPayer(secrets: Secrets, terms: PayerTerms, proof: Uint8Array | null): boolean {
  return PROOF.fits(secrets, terms, proof);
}

/** The proof to write when a merchant changes; `undefined` if it was changed with SQL before, so that the old proof stays. */
export function renewPayerProof(
  secrets: Secrets,
  before: PayerTerms,
  proof: Uint8Array | null,
  after: PayerTerms,
): Buffer | undefined {
  return PROOF.renewed(secrets, before, proof, after);
}

/** The columns for checking a merchant's proof. */
export const PAYER_COLUMNS = `merchant.bucket, merchant.merchant_id, merchant.status, merchant.live, merchant.counterpart_id,
  merchant.fees_paid_by, merchant.payout_rails, merchant.when_down, merchant.give_up_minutes, merchant.time_zone,
  merchant.clock_date, merchant.ifsc, merchant.bank_holder, merchant.proof`;

/** A row with `PAYER_COLUMNS`. */
export type PayerRow = {
  readonly bucket: number;
  readonly merchant_id: bigint;
  readonly status: string;
  readonly live: boolean;
  readonly counterpart_id: bigint | null;
  readonly fees_paid_by: string;
  readonly payout_rails: Readonly<Record<string, string>> | null;
  readonly when_down: string;
  readonly give_up_minutes: number | null;
  readonly time_zone: string;
  readonly clock_date: Temporal.PlainDate | null;
  readonly ifsc: string;
  readonly bank_holder: string;
  readonly proof: Buffer | null;
};

/** The proved columns of a row. */
export function payerTermsOf(row: PayerRow): PayerTerms {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    status: row.status,
    live: row.live,
    counterpartId: row.counterpart_id,
    feesPaidBy: row.fees_paid_by,
    payoutRails: row.payout_rails,
    whenDown: row.when_down,
    giveUpMinutes: row.give_up_minutes,
    timeZone: row.time_zone,
    clockDate: row.clock_date,
    ifsc: row.ifsc,
    bankHolder: row.bank_holder,
  };
}

/** Did the server write this row's terms? */
export function isProvedPayerRow(secrets: Secrets, row: PayerRow): boolean {
  return isProvedPayer(secrets, payerTermsOf(row), row.proof);
}
