// All SQL of commission that was earned: by which settlement or credit note, at which rate, and how much of it was taken
// back.
// The money itself is in the ledger; what is owed is read from its accounts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { CommissionRate, CommissionType, FranchiseKey } from "./franchise.ts";

export type Commission = FranchiseKey & {
  /** What earned it: a credit note's id where a note did. */
  readonly settlementId: bigint;
  readonly invoiceId: bigint;
  readonly amountPaise: bigint;
  /** Whether somebody who may move money has to settle it: it is not paid out by itself. */
  readonly waits: boolean;
};

/** Records what a settlement, or a credit note, earned. */
export async function insertCommission(
  connection: Connection,
  now: Temporal.Instant,
  commission: Commission,
): Promise<void> {
  await connection.query(
    `insert into commission (bucket, merchant_id, settlement_id, invoice_id, franchise_id, amount_paise, accrued_at, waits)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      commission.bucket,
      commission.merchantId,
      commission.settlementId,
      commission.invoiceId,
      commission.franchiseId,
      commission.amountPaise,
      now.toString(),
      commission.waits,
    ],
  );
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

/** Lets no commission of a franchise wait any more, and answers whether any did. The caller holds the merchant's book. */
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
export type StandingCommission = { readonly settlementId: bigint; readonly standingPaise: bigint };

/** All commission that was ever earned on an invoice, latest first. Who changes it holds the merchant's book. */
export async function listCommission(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoiceId: bigint,
): Promise<StandingCommission[]> {
  const { rows } = await db.query<{ settlement_id: bigint; standing_paise: bigint }>(
    `select settlement_id, amount_paise - reversed_paise as standing_paise
     from commission
     where bucket = $1 and merchant_id = $2 and invoice_id = $3
     order by settlement_id desc`,
    [bucket, merchantId, invoiceId],
  );
  return rows.map((row) => ({ settlementId: row.settlement_id, standingPaise: row.standing_paise }));
}

type RateRow = { commission_type: CommissionType; commission_hundredths: bigint };

/** The rate that an invoice keeps of its franchise; `null` where it has none, or that of an earlier franchise. */
export async function findRate(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  invoiceId: bigint,
): Promise<CommissionRate | null> {
  const { rows } = await db.query<RateRow>({
    name: "find-commission-rate",
    text: `select commission_type, commission_hundredths from commission_rate
      where bucket = $1 and merchant_id = $2 and invoice_id = $3 and franchise_id = $4`,
    values: [bucket, merchantId, invoiceId, franchiseId],
  });
  const row = rows[0];
  return row ? { commissionType: row.commission_type, commissionHundredths: row.commission_hundredths } : null;
}

/** Lets an invoice keep the rate of its franchise from now on. The caller holds the merchant's book. */
export async function keepRate(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  invoiceId: bigint,
  { commissionType, commissionHundredths }: CommissionRate,
): Promise<void> {
  await connection.query(
    `insert into commission_rate (
       bucket, merchant_id, invoice_id, franchise_id, commission_type, commission_hundredths)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (bucket, merchant_id, invoice_id) do update
     set franchise_id = excluded.franchise_id, commission_type = excluded.commission_type,
       commission_hundredths = excluded.commission_hundredths`,
    [bucket, merchantId, invoiceId, franchiseId, commissionType, commissionHundredths],
  );
}

/** Commission as a franchise sees it: by what it was earned, at which rate, and how much of it was taken back. */
export type EarnedCommission = Commission & {
  /** `null` where the invoice is another franchise's by now. */
  readonly rate: CommissionRate | null;
  readonly reversedPaise: bigint;
  readonly accruedAt: Temporal.Instant;
};

/** What a franchise earned, latest first, before the given settlement. */
export async function pageCommission(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  after: bigint | null,
  limit: number,
): Promise<EarnedCommission[]> {
  const { rows } = await db.query<{
    settlement_id: bigint;
    invoice_id: bigint;
    amount_paise: bigint;
    reversed_paise: bigint;
    waits: boolean;
    accrued_at: Temporal.Instant;
    commission_type: CommissionType | null;
    commission_hundredths: bigint | null;
  }>({
    name: "page-commission",
    text: `select
        settlement_id, invoice_id, amount_paise, reversed_paise, waits, accrued_at, commission_type,
        commission_hundredths
      from commission
      left join commission_rate using (bucket, merchant_id, invoice_id, franchise_id)
      where bucket = $1 and merchant_id = $2 and franchise_id = $3 and settlement_id < coalesce($4, 9223372036854775807)
      order by settlement_id desc
      limit $5`,
    values: [bucket, merchantId, franchiseId, after, limit],
  });
  return rows.map((row) => ({
    bucket,
    merchantId,
    franchiseId,
    settlementId: row.settlement_id,
    invoiceId: row.invoice_id,
    amountPaise: row.amount_paise,
    reversedPaise: row.reversed_paise,
    waits: row.waits && row.reversed_paise < row.amount_paise,
    accruedAt: row.accrued_at,
    rate:
      row.commission_type === null || row.commission_hundredths === null
        ? null
        : { commissionType: row.commission_type, commissionHundredths: row.commission_hundredths },
  }));
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
