// All SQL of commission: by which settlement or credit note it was earned, at which rate, and how much of it was taken back;
// and what of it was paid by other means than a transfer of Nodal's: cash, a cheque, the merchant's own bank.
// The money itself is in the ledger; what is owed is read from its accounts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table, type Row } from "../platform/database/table.ts";
import type { CommissionRate, FranchiseKey } from "./franchise.ts";

export type Commission = FranchiseKey & {
  /** What earned it: a credit note's id where a note did. */
  readonly settlementId: bigint;
  readonly invoiceId: bigint;
  readonly amountPaise: bigint;
  /** Whether somebody who may move money has to settle it: it is not paid out by itself. */
  readonly waits: boolean;
};

type StoredCommission = Commission & { readonly reversedPaise: bigint; readonly accruedAt: Temporal.Instant };
type CommissionKey = MerchantKey & Pick<Commission, "settlementId">;

const COMMISSION = table<StoredCommission, CommissionKey>("commission", ["bucket", "merchantId", "settlementId"], {
  bucket: "smallint",
  merchantId: "bigint",
  settlementId: "bigint",
  invoiceId: "bigint",
  franchiseId: "bigint",
  amountPaise: "bigint",
  reversedPaise: "bigint",
  accruedAt: "timestamptz",
  waits: "boolean",
});

type KeptRate = CommissionRate & FranchiseKey & { readonly invoiceId: bigint };

/** The rate that each invoice keeps of its franchise. */
const RATES = table<KeptRate, MerchantKey & Pick<KeptRate, "invoiceId">>(
  "commission_rate",
  ["bucket", "merchantId", "invoiceId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    invoiceId: "bigint",
    franchiseId: "bigint",
    commissionType: "text",
    commissionHundredths: "bigint",
  },
);

/** Records what a settlement, or a credit note, earned. */
export async function insertCommission(
  connection: Connection,
  accruedAt: Temporal.Instant,
  commission: Commission,
): Promise<void> {
  await COMMISSION.insert(connection, { ...commission, accruedAt });
}

/** The franchises among the given ones with commission that waits for somebody who may move money. */
export async function findWaiting(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  franchiseIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  const { rows } = await db.query<{ franchise_id: bigint }>({
    name: "find-waiting-commission",
    text: `select distinct franchise_id from commission
      where bucket = $1 and merchant_id = $2 and franchise_id = any ($3) and waits and reversed_paise < amount_paise`,
    values: [bucket, merchantId, franchiseIds],
  });
  return new Set(rows.map((row) => row.franchise_id));
}

/**
 * Lets no commission of a franchise wait any more, and returns whether any did. The caller has locked the merchant's
 * book.
 */
export async function clearWaiting(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
): Promise<boolean> {
  const { rowCount } = await connection.query({
    name: "end-waiting-commission",
    text: `update commission set waits = false
      where bucket = $1 and merchant_id = $2 and franchise_id = $3 and waits`,
    values: [bucket, merchantId, franchiseId],
  });
  return rowCount! > 0;
}

/** What stands of the commission that a settlement earned; 0 where all of it was taken back. */
export type RemainingCommission = { readonly settlementId: bigint; readonly remainingPaise: bigint };

/** All commission that was ever earned on an invoice, latest first. Who changes it has locked the merchant's book. */
export async function listCommission(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoiceId: bigint,
): Promise<RemainingCommission[]> {
  const { rows } = await db.query<{ settlement_id: bigint; standing_paise: bigint }>(
    `select settlement_id, amount_paise - reversed_paise as standing_paise
     from commission
     where bucket = $1 and merchant_id = $2 and invoice_id = $3
     order by settlement_id desc`,
    [bucket, merchantId, invoiceId],
  );
  return rows.map((row) => ({ settlementId: row.settlement_id, remainingPaise: row.standing_paise }));
}

/** The rate that an invoice keeps of its franchise; `null` where it has none, or that of an earlier franchise. */
export async function findRate(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  invoiceId: bigint,
): Promise<CommissionRate | null> {
  const rate = await RATES.find(db, { bucket, merchantId, invoiceId });
  return rate?.franchiseId === franchiseId ? toRate(rate) : null;
}

function toRate({ commissionType, commissionHundredths }: CommissionRate): CommissionRate {
  return { commissionType, commissionHundredths };
}

/** Lets an invoice keep the rate of its franchise from now on. The caller has locked the merchant's book. */
export async function keepRate(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  invoiceId: bigint,
  { commissionType, commissionHundredths }: CommissionRate,
): Promise<void> {
  const rate = { bucket, merchantId, franchiseId, invoiceId, commissionType, commissionHundredths };
  const instead = `on conflict (bucket, merchant_id, invoice_id) do update set ${RATES.assignmentsFrom("excluded")}`;
  await RATES.insert(connection, rate, instead);
}

/** Commission as a franchise sees it: by what it was earned, at which rate, and how much of it was taken back. */
export type EarnedCommission = StoredCommission & {
  /** `null` where the invoice is another franchise's by now. */
  readonly rate: CommissionRate | null;
};

/** What a franchise earned, latest first, before the given settlement. */
export async function pageCommission(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  after: bigint | null,
  limit: number,
): Promise<EarnedCommission[]> {
  const { rows } = await db.query<Row>({
    name: "page-commission",
    text: `select commission.*, commission_type, commission_hundredths
      from commission
      left join lateral (
        select commission_type, commission_hundredths from commission_rate rate
        where rate.bucket = $1 and rate.merchant_id = $2 and rate.invoice_id = commission.invoice_id
          and rate.franchise_id = commission.franchise_id
        limit 1
      ) as rate on true
      where bucket = $1 and merchant_id = $2 and franchise_id = $3 and settlement_id < coalesce($4, 9223372036854775807)
      order by settlement_id desc
      limit $5`,
    values: [bucket, merchantId, franchiseId, after, limit],
  });
  return rows.map((row) => {
    const commission = COMMISSION.read(row);
    const rate = toRate(RATES.read(row));
    const waits = commission.waits && commission.reversedPaise < commission.amountPaise;
    return { ...commission, waits, rate: rate.commissionType === null ? null : rate };
  });
}

/** Notes that so much of what a settlement earned is taken back. */
export async function addReversed(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  settlementId: bigint,
  amountPaise: bigint,
): Promise<void> {
  await connection.query(
    `update commission set reversed_paise = reversed_paise + $4
     where bucket = $1 and merchant_id = $2 and settlement_id = $3`,
    [bucket, merchantId, settlementId, amountPaise],
  );
}

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
