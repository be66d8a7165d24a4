// SQL of commission that was paid by other means than a transfer of Nodal's: cash, a cheque, the merchant's own bank.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
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

type PaymentKey = MerchantKey & { readonly paymentId: bigint };

type StoredPayment = CommissionPayment & { readonly recordedAt: Temporal.Instant };

const PAYMENTS = table<StoredPayment, PaymentKey>("commission_payment", ["bucket", "merchantId", "paymentId"], {
  bucket: "smallint",
  merchantId: "bigint",
  paymentId: "bigint",
  franchiseId: "bigint",
  amountPaise: "bigint",
  paidDate: "date",
  mode: "text",
  bankRefNo: "text",
  note: "text",
  recordedAt: "timestamptz",
  reversedAt: "timestamptz",
  reversalReason: "text",
});

/** Records a payment. The caller has locked the merchant's book. */
export async function insertCommissionPayment(
  connection: Connection,
  now: Temporal.Instant,
  payment: CommissionPayment,
): Promise<void> {
  await PAYMENTS.insert(connection, { ...payment, recordedAt: now });
}

/** Finds a merchant's payment of commission. */
export function findCommissionPayment(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  paymentId: bigint,
): Promise<CommissionPayment | null> {
  return PAYMENTS.find(db, { bucket, merchantId, paymentId });
}

/** The last payments of commission to a franchise by other means, the reversed ones too, latest first. */
export async function listCommissionPayments(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  limit: number,
): Promise<CommissionPayment[]> {
  return PAYMENTS.select(db, {
    name: "list-commission-payments",
    text: `select * from commission_payment
      where bucket = $1 and merchant_id = $2 and franchise_id = $3
      order by payment_id desc
      limit $4`,
    values: [bucket, merchantId, franchiseId, limit],
  });
}

/** Marks a payment as reversed. The caller has locked the merchant's book. */
export async function markCommissionPaymentReversed(
  connection: Connection,
  { bucket, merchantId, paymentId }: CommissionPayment,
  now: Temporal.Instant,
  reason: string,
): Promise<void> {
  await PAYMENTS.update(connection, { bucket, merchantId, paymentId, reversedAt: now, reversalReason: reason });
}
