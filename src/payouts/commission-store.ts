// SQL of transfers that pay commission out. Nodal asks for them itself, so they have no reference of the merchant's.
import type { FranchiseKey } from "../franchises/index.ts";
import { insertPostings } from "../ledger/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import type { Payee, RailMode } from "./rails/rail.ts";
import { sealPayee } from "./transfer-store.ts";

/** What is under way to the bank for a franchise, in paise. */
export async function readUnderWay(db: Queryable, { bucket, merchantId, franchiseId }: FranchiseKey): Promise<bigint> {
  const { rows } = await db.query<{ under_way: bigint }>(
    `select coalesce(sum(amount_paise), 0)::bigint as under_way
     from transfer
     where bucket = $1 and merchant_id = $2 and franchise_id = $3 and kind = 'commission'
       and state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')`,
    [bucket, merchantId, franchiseId],
  );
  return rows[0]!.under_way;
}

export type CommissionTransfer = FranchiseKey & {
  readonly transferId: bigint;
  readonly beneficiaryId: bigint;
  readonly payee: Payee;
  readonly rail: string;
  readonly railMode: RailMode;
  readonly amountPaise: bigint;
  readonly narrative: string;
};

/** Inserts a transfer with its reservation, free for any process to take to the bank. The caller holds the book. */
export async function insertCommissionTransfer(
  connection: Connection,
  now: Temporal.Instant,
  transfer: CommissionTransfer,
): Promise<void> {
  const { bucket, merchantId, transferId, amountPaise, payee } = transfer;
  const sealed = sealPayee(await secretsOf(connection), transfer, payee);
  await connection.query(
    `insert into transfer (
       bucket, merchant_id, transfer_id, kind, franchise_id, beneficiary_id, payee_name, account_number, ifsc, mode, rail,
       rail_mode, amount_paise, narrative, state, added_at)
     values ($1, $2, $3, 'commission', $4, $5, $6, $7, $8, 'banktransfer', $9, $10, $11, $12, 'RESERVED', $13)`,
    [
      bucket,
      merchantId,
      transferId,
      transfer.franchiseId,
      transfer.beneficiaryId,
      payee.name,
      sealed.account_number,
      payee.ifsc,
      transfer.rail,
      transfer.railMode,
      amountPaise,
      transfer.narrative,
      now.toString(),
    ],
  );
  await connection.query(
    "insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at) values ($1, $2, $3, $4)",
    [bucket, merchantId, transferId, now.toString()],
  );
  const posting = { kind: "reserve", eventType: "commission.accepted", subjectId: transferId, amountPaise };
  await insertPostings(connection, now, bucket, merchantId, [posting]);
}
