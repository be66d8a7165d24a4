// All SQL of merchants, their access keys, and the installation's secret.
import { randomBytes } from "node:crypto";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { readSecretRows, secretsOf, type RowPath, type Secrets, type SecretTable } from "../platform/secrets/index.ts";
import type { AccessKeyName } from "./access-key.ts";
import type { Merchant, MerchantKey } from "./merchant.ts";

export const MERCHANT_SECRETS: SecretTable = {
  table: "merchant",
  key: { bucket: "smallint", merchant_id: "bigint" },
  path: ["bucket", "merchant_id"],
  columns: ["pan", "bank_account"],
  indexes: [],
};

/** The columns of a merchant, in the order in which they are inserted. */
const COLUMNS = {
  bucket: "smallint",
  merchant_id: "bigint",
  name: "text",
  email: "text",
  mobile: "text",
  address: "text",
  city: "text",
  state: "text",
  zipcode: "text",
  gstin: "text",
  pan: "text",
  bank_account: "text",
  ifsc: "text",
  bank_holder: "text",
  time_zone: "text",
  rate_limit_per_minute: "integer",
  status: "text",
  live: "boolean",
  clock_date: "date",
  created_at: "timestamptz",
} as const;
const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

type MerchantRow = {
  bucket: number;
  merchant_id: bigint;
  name: string;
  email: string;
  mobile: string;
  address: string;
  city: string;
  state: string;
  zipcode: string;
  gstin: string;
  pan: string;
  bank_account: string;
  ifsc: string;
  bank_holder: string;
  time_zone: string;
  rate_limit_per_minute: number | null;
  status: Merchant["status"];
  live: boolean;
  clock_date: Temporal.PlainDate | null;
  created_at: Temporal.Instant;
};

/** The path of the installation's own row, which belongs to no merchant. */
const INSTALLATION_PATH: RowPath = [0, 0n];

export const INSTALLATION_SECRETS: SecretTable = {
  table: "installation",
  key: { bucket: "smallint", owner_id: "bigint" },
  path: ["bucket", "owner_id"],
  columns: ["secret"],
  indexes: [],
};

function fromRow(row: MerchantRow, secrets: Secrets): Merchant {
  const path: RowPath = [row.bucket, row.merchant_id];
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    name: row.name,
    email: row.email,
    mobile: row.mobile,
    address: row.address,
    city: row.city,
    state: row.state,
    zipcode: row.zipcode,
    gstin: row.gstin,
    pan: secrets.unseal("merchant.pan", path, row.pan),
    bankAccount: secrets.unseal("merchant.bank_account", path, row.bank_account),
    ifsc: row.ifsc,
    bankHolder: row.bank_holder,
    timeZone: row.time_zone,
    rateLimitPerMinute: row.rate_limit_per_minute,
    status: row.status,
    live: row.live,
    clockDate: row.clock_date,
    createdAt: row.created_at,
  };
}

function toRow(merchant: Merchant, secrets: Secrets): MerchantRow {
  const path: RowPath = [merchant.bucket, merchant.merchantId];
  return {
    bucket: merchant.bucket,
    merchant_id: merchant.merchantId,
    name: merchant.name,
    email: merchant.email,
    mobile: merchant.mobile,
    address: merchant.address,
    city: merchant.city,
    state: merchant.state,
    zipcode: merchant.zipcode,
    gstin: merchant.gstin,
    pan: secrets.seal("merchant.pan", path, merchant.pan),
    bank_account: secrets.seal("merchant.bank_account", path, merchant.bankAccount),
    ifsc: merchant.ifsc,
    bank_holder: merchant.bankHolder,
    time_zone: merchant.timeZone,
    rate_limit_per_minute: merchant.rateLimitPerMinute,
    status: merchant.status,
    live: merchant.live,
    clock_date: merchant.clockDate,
    created_at: merchant.createdAt,
  };
}

/** Inserts new merchants, many in one statement. */
export async function insertMerchants(connection: Connection, merchants: readonly Merchant[]): Promise<void> {
  const secrets = await secretsOf(connection);
  const rows = merchants.map((merchant) => toRow(merchant, secrets));
  const arrays = COLUMN_NAMES.map((column, index) => `$${index + 1}::${COLUMNS[column]}[]`).join(", ");
  await connection.query(
    `insert into merchant (${COLUMN_NAMES.join(", ")}) select * from unnest(${arrays})`,
    COLUMN_NAMES.map((column) => rows.map((row) => toParameter(row[column]))),
  );
}

/** The driver writes dates of Temporal as JSON, in quotes. */
function toParameter<T>(value: T): T | string {
  return value instanceof Temporal.PlainDate || value instanceof Temporal.Instant ? value.toString() : value;
}

/** Writes back a merchant's profile and settings. */
export async function updateMerchant(db: Queryable, merchant: Merchant): Promise<void> {
  const row = toRow(merchant, await secretsOf(db));
  const settable = COLUMN_NAMES.filter((column) => !["bucket", "merchant_id", "created_at"].includes(column));
  await db.query(
    `update merchant set ${settable.map((column, index) => `${column} = $${index + 3}`).join(", ")}
     where bucket = $1 and merchant_id = $2`,
    [merchant.bucket, merchant.merchantId, ...settable.map((column) => toParameter(row[column]))],
  );
}

/**
 * Finds a merchant by its id alone, for the command line: an operator does not know buckets. `lock` holds the row until
 * the transaction ends.
 */
export async function findMerchant(db: Queryable, merchantId: bigint, lock = false): Promise<Merchant | null> {
  const { rows } = await db.query<MerchantRow>(
    `select * from merchant where merchant_id = $1${lock ? " for update" : ""}`,
    [merchantId],
  );
  return (await readSecretRows(db, rows, fromRow))[0] ?? null;
}

/** Holds the merchant's row until the transaction ends, for writers of one merchant that have to take turns. */
export async function lockMerchant(connection: Connection, { bucket, merchantId }: MerchantKey): Promise<void> {
  await connection.query({
    name: "lock-merchant",
    text: "select from merchant where bucket = $1 and merchant_id = $2 for no key update",
    values: [bucket, merchantId],
  });
}

/** Finds a merchant by its key. */
export async function findMerchantByKey(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<Merchant | null> {
  const { rows } = await db.query<MerchantRow>({
    name: "find-merchant-by-key",
    text: "select * from merchant where bucket = $1 and merchant_id = $2",
    values: [bucket, merchantId],
  });
  return (await readSecretRows(db, rows, fromRow))[0] ?? null;
}

/** Whether the installation has any merchant. */
export async function hasMerchants(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ some: boolean }>("select exists (select from merchant) as some");
  return rows[0]!.some;
}

/** Whether the installation has a merchant of this name and e-mail address. */
export async function hasMerchantNamed(db: Queryable, name: string, email: string): Promise<boolean> {
  const { rows } = await db.query<{ some: boolean }>(
    "select exists (select from merchant where name = $1 and email = $2) as some",
    [name, email],
  );
  return rows[0]!.some;
}

/** Every merchant of the installation, in id order. */
export async function listMerchants(db: Queryable): Promise<Merchant[]> {
  const { rows } = await db.query<MerchantRow>("select * from merchant order by merchant_id");
  return readSecretRows(db, rows, fromRow);
}

export type MerchantSearch = {
  /** A part of the name or e-mail, or the whole id; "" for every merchant. */
  readonly search: string;
  /** The last merchant of the page before; `null` for the first page. */
  readonly after: bigint | null;
  readonly limit: number;
};

/** Merchants of the installation, the highest id first, a page at a time. */
export async function searchMerchants(db: Queryable, { search, after, limit }: MerchantSearch): Promise<Merchant[]> {
  const part = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const { rows } = await db.query<MerchantRow>(
    `select * from merchant
     where (name ilike $1 or email ilike $1 or merchant_id::text = $2) and ($3::bigint is null or merchant_id < $3)
     order by merchant_id desc limit $4`,
    [part, search, after, limit],
  );
  return readSecretRows(db, rows, fromRow);
}

export type StoredAccessKey = AccessKeyName & {
  readonly secretHash: Buffer;
  readonly createdAt: Temporal.Instant;
  readonly revokedAt: Temporal.Instant | null;
};

type AccessKeyRow = {
  bucket: number;
  merchant_id: bigint;
  access_key_id: string;
  secret_hash: Buffer;
  key_created_at: Temporal.Instant;
  revoked_at: Temporal.Instant | null;
};

function keyFromRow(row: AccessKeyRow): StoredAccessKey {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    accessKeyId: row.access_key_id,
    secretHash: row.secret_hash,
    createdAt: row.key_created_at,
    revokedAt: row.revoked_at,
  };
}

/** Inserts new access keys, many in one statement. */
export async function insertAccessKeys(
  db: Queryable,
  now: Temporal.Instant,
  keys: readonly Pick<StoredAccessKey, "bucket" | "merchantId" | "accessKeyId" | "secretHash">[],
): Promise<void> {
  await db.query(
    `insert into access_key (bucket, merchant_id, access_key_id, secret_hash, created_at)
     select *, $5::timestamptz from unnest($1::smallint[], $2::bigint[], $3::text[], $4::bytea[])`,
    [
      keys.map((key) => key.bucket),
      keys.map((key) => key.merchantId),
      keys.map((key) => key.accessKeyId),
      keys.map((key) => key.secretHash),
      now.toString(),
    ],
  );
}

/** The merchant's access keys, oldest first. */
export async function listAccessKeys(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<StoredAccessKey[]> {
  const { rows } = await db.query<AccessKeyRow>(
    `select *, created_at as key_created_at from access_key
     where bucket = $1 and merchant_id = $2 order by created_at, access_key_id`,
    [bucket, merchantId],
  );
  return rows.map(keyFromRow);
}

/** Revokes a key, once and for all; answers whether the merchant has such a key. */
export async function revokeAccessKey(db: Queryable, now: Temporal.Instant, key: AccessKeyName): Promise<boolean> {
  const { rowCount } = await db.query(
    `update access_key set revoked_at = coalesce(revoked_at, $4)
     where bucket = $1 and merchant_id = $2 and access_key_id = $3`,
    [key.bucket, key.merchantId, key.accessKeyId, now.toString()],
  );
  return rowCount === 1;
}

export type KeyHolder = { readonly key: StoredAccessKey; readonly merchant: Merchant };

/** Looks many keys up in one statement, with their merchants; `null` where there is no such key. */
export async function findKeyHolders(db: Queryable, names: readonly AccessKeyName[]): Promise<(KeyHolder | null)[]> {
  const { rows } = await db.query<MerchantRow & AccessKeyRow & { place: bigint }>({
    name: "find-key-holders",
    text: `select wanted.place, merchant.*, access_key.access_key_id, access_key.secret_hash,
        access_key.created_at as key_created_at, access_key.revoked_at
      from unnest($1::smallint[], $2::bigint[], $3::text[]) with ordinality
        as wanted (bucket, merchant_id, access_key_id, place)
      join access_key using (bucket, merchant_id, access_key_id)
      join merchant using (bucket, merchant_id)`,
    values: [
      names.map((name) => name.bucket),
      names.map((name) => name.merchantId),
      names.map((name) => name.accessKeyId),
    ],
  });
  const holders: (KeyHolder | null)[] = names.map(() => null);
  const merchants = await readSecretRows(db, rows, fromRow);
  for (const [index, row] of rows.entries()) {
    holders[Number(row.place) - 1] = { key: keyFromRow(row), merchant: merchants[index]! };
  }
  return holders;
}

/** Gives a new database the installation's secret: 256 bits that nobody has seen. Its owner alone may. */
export async function insertInstallationSecret(connection: Connection): Promise<void> {
  const secrets = await secretsOf(connection);
  await connection.query("insert into installation (secret) values ($1)", [
    secrets.seal("installation.secret", INSTALLATION_PATH, randomBytes(32).toString("hex")),
  ]);
}

/** The secret of the installation, which keys the hashes of access key secrets and signs tokens. */
export async function readInstallationSecret(db: Queryable): Promise<Buffer> {
  const { rows } = await db.query<{ secret: string }>("select secret from installation");
  const [secret] = await readSecretRows(db, rows, (row, secrets) =>
    secrets.unseal("installation.secret", INSTALLATION_PATH, row.secret),
  );
  return Buffer.from(secret!, "hex");
}
