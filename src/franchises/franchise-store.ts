// All SQL of franchises, and of when the next automatic payout of each is due. Their commission is in commission-store.ts.
import { inBookOrder } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { findOnNodes } from "../platform/database/citus/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table, type Row } from "../platform/database/table.ts";
import { readSecretRows, RowProof, secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { contactRecord, type Franchise, type FranchiseKey } from "./franchise.ts";

type StoredFranchise = Omit<Franchise, "isChanged"> & {
  readonly updatedAt: Temporal.Instant;
  readonly proof: Uint8Array | null;
};

const FRANCHISES = table<StoredFranchise, FranchiseKey>("franchise", ["bucket", "merchantId", "franchiseId"], {
  bucket: "smallint",
  merchantId: "bigint",
  franchiseId: "bigint",
  code: "franchise_code text",
  ...contactRecord.columns,
  onlineSettlement: "boolean",
  commissionType: "text",
  commissionHundredths: "bigint",
  settlementType: "text",
  account: {
    holderName: "bank_holder_name text",
    accountNumber: "text sealed",
    bankName: "text",
    accountType: "text",
    ifsc: "text",
  },
  beneficiaryId: "bigint",
  loginEmail: "text",
  roleName: "text",
  nextPayoutAt: "timestamptz",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
  deletedAt: "timestamptz",
  proof: "bytea",
});

/** Proves how much commission is earned, when it is paid, and to whom. The account number can only be decrypted in its own row. */
const PROOF = new RowProof<Omit<Franchise, "isChanged">>(
  "franchise",
  ({ bucket, merchantId, franchiseId }) => [bucket, merchantId, franchiseId],
  ({ onlineSettlement, settlementType, commissionType, commissionHundredths, beneficiaryId, deletedAt }) => [
    onlineSettlement,
    settlementType,
    commissionType,
    commissionHundredths,
    beneficiaryId,
    deletedAt !== null,
  ],
);

function toFranchise(secrets: Secrets, { proof, ...franchise }: StoredFranchise): Franchise {
  return PROOF.fits(secrets, franchise, proof) ? franchise : { ...franchise, isChanged: true };
}

async function toFranchises(db: Queryable, stored: readonly StoredFranchise[]): Promise<Franchise[]> {
  const secrets = await secretsOf(db);
  return stored.map((franchise) => toFranchise(secrets, franchise));
}

export const FRANCHISE_SECRETS = FRANCHISES.secretTable();

/** Inserts a franchise. Returns false if an existing one has its code; waits for another that is just being saved. */
export async function insertFranchise(connection: Connection, franchise: Franchise): Promise<boolean> {
  const ofCode = "on conflict (bucket, merchant_id, franchise_code) where deleted_at is null do nothing";
  const proof = PROOF.of(await secretsOf(connection), franchise);
  return FRANCHISES.insert(connection, { ...franchise, updatedAt: franchise.createdAt, proof }, ofCode);
}

type Changes = Partial<Omit<Franchise, keyof FranchiseKey | "code" | "createdAt" | "isChanged">>;

/** Changes what is given of a franchise that the caller has locked. */
export async function writeChanges(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  now: Temporal.Instant,
  changes: Changes,
): Promise<void> {
  const key = { bucket, merchantId, franchiseId };
  const before = await FRANCHISES.find(connection, key, true);
  if (!before) return;
  const proof = PROOF.renewed(await secretsOf(connection), before, before.proof, { ...before, ...changes });
  await FRANCHISES.update(connection, { ...changes, updatedAt: now, ...key, proof });
}

/** Marks a franchise that the caller has locked as deleted, and forgets its login. */
export async function markDeleted(connection: Connection, key: FranchiseKey, now: Temporal.Instant): Promise<void> {
  await writeChanges(connection, key, now, { deletedAt: now, loginEmail: null, roleName: null });
}

/** Finds a merchant's franchise, deleted or not. */
export async function findFranchise(db: Queryable, key: FranchiseKey, lock = false): Promise<Franchise | null> {
  const found = await FRANCHISES.find(db, key, lock);
  return found && toFranchise(await secretsOf(db), found);
}

/** A live franchise whose commission goes to this beneficiary. */
export async function findFranchiseOfAccount(
  db: Queryable,
  { bucket, merchantId, beneficiaryId }: MerchantKey & { readonly beneficiaryId: bigint },
): Promise<Franchise | null> {
  const text = `select * from franchise
    where bucket = $1 and merchant_id = $2 and beneficiary_id = $3 and deleted_at is null
    order by franchise_id limit 1`;
  const found = await FRANCHISES.select(db, text, [bucket, merchantId, beneficiaryId]);
  return (await toFranchises(db, found))[0] ?? null;
}

/** Those of these franchises that are live, each its merchant's own. */
export async function findLiveFranchises<Key extends MerchantKey & { readonly franchiseId: bigint }>(
  db: Queryable,
  wanted: readonly Key[],
): Promise<Key[]> {
  const { rows } = await db.query<{ place: number }>({
    name: "find-live-franchises",
    text: `select wanted.place::integer
      from unnest($1::smallint[], $2::bigint[], $3::bigint[])
        with ordinality as wanted (bucket, merchant_id, franchise_id, place)
      join franchise using (bucket, merchant_id, franchise_id)
      where deleted_at is null`,
    values: [
      wanted.map(({ bucket }) => bucket),
      wanted.map(({ merchantId }) => merchantId),
      wanted.map(({ franchiseId }) => franchiseId),
    ],
  });
  return rows.map(({ place }) => wanted[place - 1]!);
}

/** The merchant's franchises in id order, deleted ones too. */
export async function listFranchises(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<Franchise[]> {
  const text = "select * from franchise where bucket = $1 and merchant_id = $2 order by franchise_id";
  return toFranchises(db, await FRANCHISES.select(db, text, [bucket, merchantId]));
}

export type FranchiseSearch = {
  /** Part of the name or code, ignoring case; `null` for all. */
  readonly text: string | null;
  readonly status: "active" | "deleted" | null;
  /** The franchise after which the page begins. */
  readonly after: bigint | null;
  readonly limit: number;
};

/** One page of a merchant's franchises, newest first. */
export async function pageFranchises(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { text, status, after, limit }: FranchiseSearch,
): Promise<Franchise[]> {
  const found = await FRANCHISES.select(
    db,
    `select * from franchise
     where bucket = $1 and merchant_id = $2 and ($3::bigint is null or franchise_id < $3)
       and ($4::text is null or strpos(lower(franchise_name), lower($4)) > 0
         or strpos(lower(franchise_code), lower($4)) > 0 or strpos(lower(contact_person_name), lower($4)) > 0)
       and ($5::text is null or (deleted_at is not null) = ($5 = 'deleted'))
     order by franchise_id desc
     limit $6`,
    [bucket, merchantId, after, text, status, limit],
  );
  return toFranchises(db, found);
}

/**
 * A franchise whose automatic payout is due, with its merchant's time zone and current time.
 */
export type DuePayout = {
  readonly franchise: Franchise;
  readonly timeZone: string;
  readonly merchantNow: Temporal.Instant;
};

/** An automatic payout whose time comes in a span, by its place among all of them. */
const payoutsDue = (span: string): string => `(
  select franchise.*, merchant.time_zone, merchant_now($1, time_zone, live, clock_date) as merchant_now
  from merchant
  join franchise using (bucket, merchant_id)
  where settlement_type = 'Auto' and online_settlement and deleted_at is null and merchant.status = 'active' and ${span}
    and ($2::timestamptz is null or (next_payout_at, bucket, merchant_id, franchise_id) > ($2, $3, $4, $5))
    and ($7::smallint is null or (bucket = $7 and merchant_id = $8))
  order by next_payout_at, bucket, merchant_id, franchise_id
  limit $6)`;

const FIND_DUE_PAYOUTS = `
  ${payoutsDue("next_payout_at <= $1")}
  union all
  ${payoutsDue(`merchant.clock_date is not null and not merchant.live and next_payout_at > $1
    and next_payout_at <= merchant_now($1, time_zone, live, clock_date)`)}
  order by next_payout_at, bucket, merchant_id, franchise_id
  limit $6`;

/**
 * Franchises whose automatic payout is due by the clock of their merchant, longest due first, those after the given
 * one: of all merchants, or of one. Nothing is locked.
 */
export async function findDuePayouts(
  db: Queryable,
  now: Temporal.Instant,
  after: Franchise | null,
  limit: number,
  merchant: MerchantKey | null = null,
): Promise<DuePayout[]> {
  const values = [
    now.toString(),
    after?.nextPayoutAt.toString() ?? null,
    after?.bucket ?? null,
    after?.merchantId ?? null,
    after?.franchiseId ?? null,
    limit,
    merchant?.bucket ?? null,
    merchant?.merchantId ?? null,
  ];
  const automatic = { table: "franchise", condition: "settlement_type = 'Auto' and deleted_at is null", limit: null };
  const due = await findOnNodes(db, automatic, async (part) => {
    type DueRow = Row & { time_zone: string; merchant_now: Temporal.Instant };
    const { rows } = await part.query<DueRow>(FIND_DUE_PAYOUTS, values);
    return readSecretRows(db, rows, (row, secrets) => ({
      franchise: toFranchise(secrets, FRANCHISES.read(row, secrets)),
      timeZone: row.time_zone,
      merchantNow: row.merchant_now,
    }));
  });
  // Sorted, so that the caller can continue after the last one.
  return due.toSorted(byTurn).slice(0, limit);
}

function byTurn({ franchise: one }: DuePayout, { franchise: other }: DuePayout): number {
  const order = Temporal.Instant.compare(one.nextPayoutAt, other.nextPayoutAt) || inBookOrder(one, other);
  return order || Number(one.franchiseId - other.franchiseId);
}

/** Moves a merchant's automatic payouts forward to the given time at the latest, after its clock was set back. */
export async function bringPayoutsForward(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  latest: Temporal.Instant,
): Promise<void> {
  await connection.query(
    "update franchise set next_payout_at = $3 where bucket = $1 and merchant_id = $2 and next_payout_at > $3",
    [bucket, merchantId, latest.toString()],
  );
}

/** Takes a due payout for this transaction by setting when the next one is due. Returns false if another process took it. */
export async function takeDuePayout(
  connection: Connection,
  { bucket, merchantId, franchiseId, nextPayoutAt }: Franchise,
  next: Temporal.Instant,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update franchise set next_payout_at = $5
     where bucket = $1 and merchant_id = $2 and franchise_id = $3 and next_payout_at = $4 and deleted_at is null
       and settlement_type = 'Auto' and online_settlement`,
    [bucket, merchantId, franchiseId, nextPayoutAt.toString(), next.toString()],
  );
  return rowCount === 1;
}
