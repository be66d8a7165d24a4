// All SQL of commission that was earned: by which settlement, and how much of it was taken back.
// The money itself is in the ledger; what is owed is read from its accounts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import type { CommissionType, FranchiseKey } from "./franchise.ts";

export type Commission = FranchiseKey & {
  readonly settlementId: bigint;
  readonly invoiceId: bigint;
  readonly amountPaise: bigint;
};

/** Records what a settlement earned. */
export async function insertCommission(
  connection: Connection,
  now: Temporal.Instant,
  commission: Commission,
): Promise<void> {
  await connection.query(
    `insert into commission (bucket, merchant_id, settlement_id, invoice_id, franchise_id, amount_paise, accrued_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      commission.bucket,
      commission.merchantId,
      commission.settlementId,
      commission.invoiceId,
      commission.franchiseId,
      commission.amountPaise,
      now.toString(),
    ],
  );
}

/** What stands of the commission that a settlement earned, and by what kind of terms. */
export type StandingCommission = {
  readonly settlementId: bigint;
  readonly franchiseId: bigint;
  readonly commissionType: CommissionType;
  readonly standingPaise: bigint;
};

/** What stands of the commission on an invoice, latest first. The caller holds the merchant's book. */
export async function listStandingCommission(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  invoiceId: bigint,
): Promise<StandingCommission[]> {
  const { rows } = await connection.query<{
    settlement_id: bigint;
    franchise_id: bigint;
    commission_type: CommissionType;
    standing_paise: bigint;
  }>(
    `select settlement_id, franchise_id, commission_type, amount_paise - reversed_paise as standing_paise
     from commission
     join franchise using (bucket, merchant_id, franchise_id)
     where bucket = $1 and merchant_id = $2 and invoice_id = $3 and reversed_paise < amount_paise
     order by settlement_id desc`,
    [bucket, merchantId, invoiceId],
  );
  return rows.map((row) => ({
    settlementId: row.settlement_id,
    franchiseId: row.franchise_id,
    commissionType: row.commission_type,
    standingPaise: row.standing_paise,
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
