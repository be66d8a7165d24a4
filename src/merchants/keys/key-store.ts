// All SQL of access keys.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table, type Row } from "../../platform/database/table.ts";
import { readSecretRows, secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import { NodalError } from "../../platform/errors.ts";
import { readActor } from "../actor-store.ts";
import { readMerchantRow } from "../merchant-store.ts";
import type { Merchant, MerchantKey } from "../merchant.ts";
import { OPERATORS } from "../users/login.ts";
import type { Permission } from "../users/permission.ts";
import type { AccessKeyName } from "./access-key.ts";
import { isProvedKey, proveKey, type KeyTerms } from "./key-terms.ts";

/** A stored key. */
export type AccessKey = AccessKeyName &
  KeyTerms & {
    readonly secretHash: Buffer;
    /** Its creator, as named in the journal; if a key created it, that key's creator. */
    readonly madeBy: string;
    readonly proof: Buffer;
    readonly createdAt: Temporal.Instant;
    readonly revokedAt: Temporal.Instant | null;
    /** To the hour; `null` for a key that was never used. */
    readonly lastUsedAt: Temporal.Instant | null;
  };

/** Lists are space-separated texts. */
type Stored = Omit<AccessKey, "scopes" | "addresses"> & { readonly scopes: string; readonly addresses: string };

const ACCESS_KEYS = table<Stored, AccessKeyName>("access_key", ["bucket", "merchantId", "accessKeyId"], {
  bucket: "smallint",
  merchantId: "bigint",
  accessKeyId: "text",
  secretHash: "bytea",
  name: "text",
  scopes: "text",
  addresses: "text",
  expiresAt: "timestamptz",
  madeBy: "text",
  proof: "bytea",
  createdAt: "timestamptz",
  revokedAt: "timestamptz",
  lastUsedAt: "timestamptz",
});

const itemsIn = (text: string): string[] => (text === "" ? [] : text.split(" "));

function opened({ scopes, addresses, ...key }: Stored): AccessKey {
  return { ...key, scopes: itemsIn(scopes) as Permission[], addresses: itemsIn(addresses) };
}

/** Inserts new access keys, many in one statement; the transaction's actor is their creator. */
export async function insertAccessKeys(
  db: Queryable,
  createdAt: Temporal.Instant,
  keys: readonly Omit<AccessKey, "madeBy" | "createdAt" | "revokedAt" | "lastUsedAt" | "proof">[],
): Promise<void> {
  const [first] = keys;
  if (!first) return;
  const secrets = await secretsOf(db);
  const madeBy = await findPersonBehind(db, first, await readActor(db));
  const rows = keys.map((key) => ({
    ...key,
    madeBy,
    scopes: key.scopes.join(" "),
    addresses: key.addresses.join(" "),
    proof: proveKey(secrets, { ...key, madeBy, revokedAt: null }),
    createdAt,
    revokedAt: null,
    lastUsedAt: null,
  }));
  await ACCESS_KEYS.insertAll(db, rows);
}

/**
 * The person behind an actor: the creator of an access key, or else the actor itself.
 * @throws NodalError `access_denied` for a key whose row was changed with SQL
 */
export async function findPersonBehind(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  actor: string,
): Promise<string> {
  const accessKeyId = actor.startsWith("key:") ? actor.slice("key:".length) : null;
  if (accessKeyId === null) return actor;
  const stored = await ACCESS_KEYS.find(db, { bucket, merchantId, accessKeyId });
  if (!stored) return actor;
  const key = opened(stored);
  if (isProvedKey(await secretsOf(db), key)) return key.madeBy;
  throw new NodalError(
    "access_denied",
    `The row of the access key ${accessKeyId} was changed in the database: have it put back. \`nodal verify\` lists all such rows.`,
  );
}

/** The access keys of a merchant or, for `OPERATORS`, of operators, oldest first. */
export async function listAccessKeys(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<AccessKey[]> {
  const text = "select * from access_key where bucket = $1 and merchant_id = $2 order by created_at, access_key_id";
  return (await ACCESS_KEYS.select(db, text, [bucket, merchantId])).map(opened);
}

/** Revokes a key permanently; returns whether the merchant has such a key. */
export async function revokeAccessKey(
  connection: Connection,
  revokedAt: Temporal.Instant,
  name: AccessKeyName,
): Promise<boolean> {
  const stored = await ACCESS_KEYS.find(connection, name, true);
  if (!stored) return false;
  if (stored.revokedAt) return true;
  const proof = proveKey(await secretsOf(connection), { ...opened(stored), revokedAt });
  return ACCESS_KEYS.update(connection, { ...name, revokedAt, proof });
}

/** Saves that a key was used in this hour. */
export async function noteKeyUse(db: Queryable, { bucket, merchantId, accessKeyId }: AccessKeyName): Promise<void> {
  await db.query({
    name: "note-key-use",
    text: `update access_key set last_used_at = now()
      where bucket = $1 and merchant_id = $2 and access_key_id = $3
        and (last_used_at is null or last_used_at < now() - interval '1 hour')`,
    values: [bucket, merchantId, accessKeyId],
  });
}

/** `isProved`: whether the server wrote the key's terms. An operator's key has no merchant. */
export type KeyHolder = { readonly key: AccessKey; readonly isProved: boolean; readonly merchant: Merchant | null };

/** The merchant's columns have some of the same names. */
const PREFIX = "key__";
const KEY_COLUMNS = ACCESS_KEYS.columns.split(", ");
const SELECTED = KEY_COLUMNS.map((name) => `access_key.${name} as ${PREFIX}${name}`).join(", ");

function readKey(row: Row): AccessKey {
  return opened(ACCESS_KEYS.read(Object.fromEntries(KEY_COLUMNS.map((name) => [name, row[PREFIX + name]]))));
}

/** Looks many keys up at once, with their merchants; `null` if there is no such key. */
export async function findKeyHolders(db: Queryable, names: readonly AccessKeyName[]): Promise<(KeyHolder | null)[]> {
  const isOperators = ({ merchantId }: AccessKeyName): boolean => merchantId === OPERATORS.merchantId;
  const ofMerchants = names.filter((name) => !isOperators(name));
  const ofOperators = names.filter(isOperators);
  const found = new Map<string, KeyHolder>();
  const note = (holder: KeyHolder | null): unknown => holder && found.set(holder.key.accessKeyId, holder);
  if (ofMerchants.length > 0) (await findMerchantKeys(db, ofMerchants)).forEach(note);
  if (ofOperators.length > 0) (await findOperatorKeys(db, ofOperators)).forEach(note);
  return names.map(({ accessKeyId }) => found.get(accessKeyId) ?? null);
}

async function findOperatorKeys(db: Queryable, names: readonly AccessKeyName[]): Promise<KeyHolder[]> {
  const text = "select * from access_key where bucket = $1 and merchant_id = $2 and access_key_id = any($3::text[])";
  const ids = names.map(({ accessKeyId }) => accessKeyId);
  const keys = (await ACCESS_KEYS.select(db, text, [OPERATORS.bucket, OPERATORS.merchantId, ids])).map(opened);
  if (keys.length === 0) return [];
  const secrets = await secretsOf(db);
  return keys.map((key) => ({ key, isProved: isProvedKey(secrets, key), merchant: null }));
}

async function findMerchantKeys(db: Queryable, names: readonly AccessKeyName[]): Promise<KeyHolder[]> {
  const { rows } = await db.query<Row>({
    name: "find-key-holders",
    text: `select merchant.*, ${SELECTED}
      from unnest($1::smallint[], $2::bigint[], $3::text[]) as wanted (bucket, merchant_id, access_key_id)
      join access_key using (bucket, merchant_id, access_key_id)
      join merchant using (bucket, merchant_id)`,
    values: [
      names.map((name) => name.bucket),
      names.map((name) => name.merchantId),
      names.map((name) => name.accessKeyId),
    ],
  });
  if (rows.length === 0) return [];
  const ofProofs = await secretsOf(db);
  const read = (row: Row, secrets: Secrets): KeyHolder => {
    const key = readKey(row);
    return { key, isProved: isProvedKey(ofProofs, key), merchant: readMerchantRow(row, secrets) };
  };
  return readSecretRows(db, rows, read);
}
