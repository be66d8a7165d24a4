// Proof that the server wrote what decides about a merchant's money: a keyed hash in the merchant's row, compared whenever that
// row decides something.
import { RowProof, type Secrets } from "../platform/secrets/index.ts";

/** What is proved of a merchant. */
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
  /** Of the merchant's own account; its number opens in this row only. */
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
    // The database keeps the members of an object in an order of its own.
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

/** Whether a merchant is as the server wrote it. */
export function isProvedPayer(secrets: Secrets, terms: PayerTerms, proof: Uint8Array | null): boolean {
  return PROOF.fits(secrets, terms, proof);
}

/** The proof to write when a merchant changes; `undefined` where SQL has changed it before, and the old proof stays. */
export function renewPayerProof(
  secrets: Secrets,
  before: PayerTerms,
  proof: Uint8Array | null,
  after: PayerTerms,
): Buffer | undefined {
  return PROOF.renewed(secrets, before, proof, after);
}

/** The columns by which a merchant's proof is compared. */
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

/** What is proved of a row. */
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

/** Whether a merchant is as the server wrote it, for a row as a query has found it. */
export function isProvedPayerRow(secrets: Secrets, row: PayerRow): boolean {
  return isProvedPayer(secrets, payerTermsOf(row), row.proof);
}
