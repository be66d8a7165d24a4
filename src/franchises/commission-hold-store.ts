// SQL of commission on hold: the part of a franchise's commission that waits for a user who may move money. Each franchise has a row
// from the start, with a proof, so that it can't be cleared or deleted with SQL just for an automatic payout.
import { openCommissionAccounts } from "../ledger/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import { changedWithSql, RowProof, secretsOf } from "../platform/secrets/index.ts";
import type { FranchiseKey } from "./franchise.ts";

type Hold = FranchiseKey & { readonly waitingPaise: bigint };

const HOLDS = table<Hold & { readonly proof: Uint8Array | null }, FranchiseKey>(
  "commission_hold",
  ["bucket", "merchantId", "franchiseId"],
  { bucket: "smallint", merchantId: "bigint", franchiseId: "bigint", waitingPaise: "bigint", proof: "bytea" },
);

const PROOF = new RowProof<Hold>(
  "commission_hold",
  ({ bucket, merchantId, franchiseId }) => [bucket, merchantId, franchiseId],
  ({ waitingPaise }) => [waitingPaise],
);

/** Opens the ledger accounts for a new franchise's commission, with nothing on hold. */
export async function openCommission(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
): Promise<void> {
  await openCommissionAccounts(connection, bucket, merchantId, franchiseId);
  const hold = { bucket, merchantId, franchiseId, waitingPaise: 0n };
  await HOLDS.insert(connection, { ...hold, proof: PROOF.of(await secretsOf(connection), hold) });
}

/**
 * How much of a franchise's commission is on hold, in paise.
 * @throws NodalError `access_denied` where SQL has changed or deleted the row
 */
export async function readHeldCommission(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
): Promise<bigint> {
  const hold = await HOLDS.find(db, { bucket, merchantId, franchiseId });
  if (!hold || !PROOF.fits(await secretsOf(db), hold, hold.proof)) {
    throw changedWithSql(`The commission of franchise ${franchiseId}`);
  }
  return hold.waitingPaise;
}

/**
 * Sets how much is on hold. The caller has locked the merchant's book.
 * @throws NodalError `access_denied` where SQL has changed or deleted the row
 */
export async function writeHeldCommission(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  waitingPaise: bigint,
): Promise<void> {
  const hold = { bucket, merchantId, franchiseId, waitingPaise };
  await HOLDS.update(connection, { ...hold, proof: PROOF.of(await secretsOf(connection), hold) });
}

/** A page of holds in key order, of one merchant or of all, and whether each has the server's proof. */
export async function listHolds(
  db: Queryable,
  scope: Pick<FranchiseKey, "bucket" | "merchantId"> | null,
  after: FranchiseKey | null,
  limit: number,
): Promise<(FranchiseKey & { readonly isProved: boolean })[]> {
  const holds = await HOLDS.select(
    db,
    `select * from commission_hold
     where ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
       and (bucket, merchant_id, franchise_id) > ($3::smallint, $4::bigint, $5::bigint)
     order by bucket, merchant_id, franchise_id limit $6`,
    [
      scope?.bucket ?? null,
      scope?.merchantId ?? null,
      after?.bucket ?? -1,
      after?.merchantId ?? 0n,
      after?.franchiseId ?? 0n,
      limit,
    ],
  );
  const secrets = await secretsOf(db);
  return holds.map((hold) => ({ ...hold, isProved: PROOF.fits(secrets, hold, hold.proof) }));
}
