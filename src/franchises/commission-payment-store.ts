// SQL of commission that was paid by other means than a transfer of Nodal's: cash, a cheque, the merchant's own bank.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { FranchiseKey } from "./franchise.ts";

/** How commission was paid. Texts that were not given are empty. */
export type CommissionPaymentDetails = {
  readonly amountPaise: bigint;
  readonly paidDate: Temporal.PlainDate;
  readonly mode: string;
  readonly bankRefNo: string;
  readonly note: string;
};

export type CommissionPayment = FranchiseKey &
  CommissionPaymentDetails & {
    readonly paymentId: bigint;
    readonly reversedAt: Temporal.Instant | null;
    /** Why it was reversed; `null` while it stands. */
    readonly reversalReason: string | null;
  };

type PaymentRow = {
  bucket: number;
  merchant_id: bigint;
  payment_id: bigint;
  franchise_id: bigint;
  amount_paise: bigint;
  paid_date: Temporal.PlainDate;
  mode: string;
  bank_ref_no: string;
  note: string;
  reversed_at: Temporal.Instant | null;
  reversal_reason: string | null;
};

function fromRow(row: PaymentRow): CommissionPayment {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    paymentId: row.payment_id,
    franchiseId: row.franchise_id,
    amountPaise: row.amount_paise,
    paidDate: row.paid_date,
    mode: row.mode,
    bankRefNo: row.bank_ref_no,
    note: row.note,
    reversedAt: row.reversed_at,
    reversalReason: row.reversal_reason,
  };
}

/** Records a payment. The caller holds the merchant's book. */
export async function insertCommissionPayment(
  connection: Connection,
  now: Temporal.Instant,
  payment: CommissionPayment,
): Promise<void> {
  await connection.query(
    `insert into commission_payment (
       bucket, merchant_id, payment_id, franchise_id, amount_paise, paid_date, mode, bank_ref_no, note, recorded_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      payment.bucket,
      payment.merchantId,
      payment.paymentId,
      payment.franchiseId,
      payment.amountPaise,
      payment.paidDate.toString(),
      payment.mode,
      payment.bankRefNo,
      payment.note,
      now.toString(),
    ],
  );
}

/** Finds a merchant's payment of commission. */
export async function findCommissionPayment(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  paymentId: bigint,
): Promise<CommissionPayment | null> {
  const { rows } = await db.query<PaymentRow>(
    "select * from commission_payment where bucket = $1 and merchant_id = $2 and payment_id = $3",
    [bucket, merchantId, paymentId],
  );
  return rows[0] ? fromRow(rows[0]) : null;
}

/** The last payments of commission to a franchise by other means, the reversed ones too, latest first. */
export async function listCommissionPayments(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  limit: number,
): Promise<CommissionPayment[]> {
  const { rows } = await db.query<PaymentRow>({
    name: "list-commission-payments",
    text: `select * from commission_payment
      where bucket = $1 and merchant_id = $2 and franchise_id = $3
      order by payment_id desc
      limit $4`,
    values: [bucket, merchantId, franchiseId, limit],
  });
  return rows.map(fromRow);
}

/** Marks a payment as reversed. The caller holds the merchant's book. */
export async function markCommissionPaymentReversed(
  connection: Connection,
  { bucket, merchantId, paymentId }: CommissionPayment,
  now: Temporal.Instant,
  reason: string,
): Promise<void> {
  await connection.query(
    `update commission_payment set reversed_at = $4, reversal_reason = $5
     where bucket = $1 and merchant_id = $2 and payment_id = $3`,
    [bucket, merchantId, paymentId, now.toString(), reason],
  );
}
