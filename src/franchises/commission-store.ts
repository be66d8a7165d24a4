// All SQL of commission that was earned: by which settlement or credit note, and how much of it was taken back.
// The money itself is in the ledger; what is owed is read from its accounts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { FranchiseKey } from "./franchise.ts";

export type Commission = FranchiseKey & {
  /** What earned it: a credit note's id where a note did. */
  readonly settlementId: bigint;
  readonly invoiceId: bigint;
  readonly amountPaise: bigint;
};

/** Records what a settlement, or a credit note, earned. */
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
