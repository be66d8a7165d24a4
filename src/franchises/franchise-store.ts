// All SQL of franchises. Their commission is in commission-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { Franchise, FranchiseKey } from "./franchise.ts";

type StoredFranchise = Franchise & { readonly updatedAt: Temporal.Instant };

export const FRANCHISES = table<StoredFranchise, FranchiseKey>("franchise", ["bucket", "merchantId", "franchiseId"], {
  bucket: "smallint",
  merchantId: "bigint",
  franchiseId: "bigint",
  code: "franchise_code text",
  name: "franchise_name text",
  contactPersonName: "text",
  emailId: "text",
  mobile: "text",
  panNumber: "text sealed",
  aadharNumber: "text sealed",
  gstNumber: "text",
  address: "text",
  city: "text",
  state: "text",
  zipcode: "text",
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
});

export const FRANCHISE_SECRETS = FRANCHISES.secretTable();

/** Inserts a franchise. Returns false where a live one has its code; waits for another that is just being saved. */
export function insertFranchise(connection: Connection, franchise: Franchise): Promise<boolean> {
  const ofCode = "on conflict (bucket, merchant_id, franchise_code) where deleted_at is null do nothing";
  return FRANCHISES.insert(connection, { ...franchise, updatedAt: franchise.createdAt }, ofCode);
}

/** What of a franchise may change. */
type Changes = Partial<Omit<Franchise, keyof FranchiseKey | "code" | "createdAt" | "deletedAt">>;

/** Changes what is given of a franchise that the caller has locked. */
export async function writeChanges(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  now: Temporal.Instant,
  changes: Changes,
): Promise<void> {
  await FRANCHISES.update(connection, { ...changes, updatedAt: now, bucket, merchantId, franchiseId });
}

/** Marks a franchise that the caller has locked as deleted, and forgets its login. */
export async function markDeleted(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  now: Temporal.Instant,
): Promise<void> {
  const gone = { deletedAt: now, updatedAt: now, loginEmail: null, roleName: null };
  await FRANCHISES.update(connection, { bucket, merchantId, franchiseId, ...gone });
}

/** Finds a merchant's franchise, deleted or not. */
export function findFranchise(db: Queryable, key: FranchiseKey, lock = false): Promise<Franchise | null> {
  return FRANCHISES.find(db, key, lock);
}

/** A live franchise whose commission goes to this beneficiary. */
export async function findFranchiseOfAccount(
  db: Queryable,
  { bucket, merchantId, beneficiaryId }: MerchantKey & { readonly beneficiaryId: bigint },
): Promise<Franchise | null> {
  const text = `select * from franchise
    where bucket = $1 and merchant_id = $2 and beneficiary_id = $3 and deleted_at is null
    order by franchise_id limit 1`;
  return (await FRANCHISES.select(db, text, [bucket, merchantId, beneficiaryId]))[0] ?? null;
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
  return FRANCHISES.select(db, text, [bucket, merchantId]);
}

export type FranchiseSearch = {
  /** A part of the name, or of the code, in any case; `null` for all. */
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
  return FRANCHISES.select(
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
}
