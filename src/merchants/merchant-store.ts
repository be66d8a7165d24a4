// All SQL of merchants, and the installation's secret.
import { randomBytes } from "node:crypto";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table, type Row } from "../platform/database/table.ts";
import { readSecretRows, secretsOf, type RowPath, type SecretTable, type Secrets } from "../platform/secrets/index.ts";
import type { KycStatus, Merchant, MerchantKey, PayoutRails } from "./merchant.ts";
import { isProvedPayer, openBooks, provePayer, renewPayerProof } from "../ledger/index.ts";
import { profileRecord } from "./profile.ts";
import { OPERATORS } from "./users/login.ts";
import { NodalError } from "../platform/errors.ts";

type StoredMerchant = Omit<Merchant, "isChanged"> & { readonly proof: Uint8Array | null };

const MERCHANTS = table<StoredMerchant, MerchantKey>("merchant", ["bucket", "merchantId"], {
  bucket: "smallint",
  merchantId: "bigint",
  ...profileRecord.columns,
  rateLimitPerMinute: "integer",
  status: "text",
  live: "boolean",
  counterpartId: "bigint",
  feesPaidBy: "text",
  kycStatus: "text",
  kyc: "jsonb",
  payoutRails: "jsonb",
  whenDown: "text",
  giveUpMinutes: "integer",
  clockDate: "date",
  createdAt: "timestamptz",
  proof: "bytea",
});

/** A merchant as in its row, or suspended if SQL has changed columns that affect its money. */
function toMerchant(secrets: Secrets, { proof, ...merchant }: StoredMerchant): Merchant {
  if (isProvedPayer(secrets, merchant, proof)) return merchant;
  return { ...merchant, status: "suspended", isChanged: true };
}

async function toMerchants(db: Queryable, stored: readonly StoredMerchant[]): Promise<Merchant[]> {
  const secrets = await secretsOf(db);
  return stored.map((merchant) => toMerchant(secrets, merchant));
}

/** Whether a merchant is a sandbox or live never changes. */
const CHANGING = MERCHANTS.without("live", "createdAt");

export const MERCHANT_SECRETS = MERCHANTS.secretTable();

/** The key of the installation's own row, which belongs to no merchant. */
const INSTALLATION_PATH: RowPath = [0, 0n];

export const INSTALLATION_SECRETS: SecretTable = {
  table: "installation",
  key: { bucket: "smallint", owner_id: "bigint" },
  path: ["bucket", "owner_id"],
  columns: ["secret"],
  indexes: [],
};

/** Inserts new merchants, many in one statement. */
export async function insertMerchants(connection: Connection, merchants: readonly Merchant[]): Promise<void> {
  const secrets = await secretsOf(connection);
  await MERCHANTS.insertAll(
    connection,
    merchants.map((merchant) => ({ ...merchant, proof: provePayer(secrets, merchant) })),
  );
}

/** Saves a merchant's profile and settings. The caller has locked its row, and read `before` from it. */
export async function updateMerchant(connection: Connection, before: Merchant, after: Merchant): Promise<void> {
  const stored = await MERCHANTS.find(connection, before, true);
  if (!stored) return;
  // A merchant changed with SQL only counts as suspended.
  const written = { ...after, status: after.status === before.status ? stored.status : after.status };
  const proof = renewPayerProof(await secretsOf(connection), stored, stored.proof, written);
  await CHANGING.update(connection, { ...written, proof });
}

/**
 * Finds a merchant by its id alone, for the command line: an operator does not know buckets. `lock` keeps the row
 * locked until the transaction ends.
 */
export async function findMerchant(db: Queryable, merchantId: bigint, lock = false): Promise<Merchant | null> {
  const found = (await MERCHANTS.select(db, "select * from merchant where merchant_id = $1", [merchantId]))[0] ?? null;
  const stored = found && lock ? await MERCHANTS.find(db, found, true) : found;
  return stored && toMerchant(await secretsOf(db), stored);
}

/** Locks the merchant's row until the transaction ends, for writers that must take turns. */
export async function lockMerchant(connection: Connection, { bucket, merchantId }: MerchantKey): Promise<void> {
  await connection.query({
    name: "lock-merchant",
    text: "select from merchant where bucket = $1 and merchant_id = $2 for no key update",
    values: [bucket, merchantId],
  });
}

/** Finds a merchant by its key. */
export async function findMerchantByKey(db: Queryable, key: MerchantKey): Promise<Merchant | null> {
  const stored = await MERCHANTS.find(db, key);
  return stored && toMerchant(await secretsOf(db), stored);
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
  return toMerchants(db, await MERCHANTS.select(db, "select * from merchant order by merchant_id"));
}

export type MerchantSearch = {
  /** Part of the name or e-mail, or the whole id; "" for every merchant. */
  readonly search: string;
  /** Only merchants with KYC in this state; `null` for any. */
  readonly kycStatus: KycStatus | null;
  /** The last merchant of the previous page; `null` for the first page. */
  readonly after: bigint | null;
  readonly limit: number;
};

/**
 * How many merchants a search reads before it uses the trigram index: a frequent text is found among them, and a rare one has few
 * matches in the index.
 */
const FIRST_STEPS = 250;
const PLACE = "($3::bigint is null or merchant_id < $3) and ($5::text is null or kyc_status = $5)";
const NEWEST_FIRST = "order by merchant_id desc limit";
/** $1 is part of a name or an e-mail address, in any case; $2 an id. */
const MATCHES = `(
  strpos(lower(normalize(name)), lower(normalize($1))) > 0 or strpos(lower(normalize(email)), lower(normalize($1))) > 0
  or merchant_id = $2::bigint)`;
/** All matches, and a few rows that don't match. */
const HAS_PARTS = `(
  merchant_parts(name, false) @> merchant_parts($1, true) or merchant_parts(email, false) @> merchant_parts($1, true)
  or merchant_id = $2::bigint)`;

/** Merchants of the installation, the highest id first, a page at a time. */
export async function searchMerchants(
  db: Queryable,
  { search, kycStatus, after, limit }: MerchantSearch,
): Promise<Merchant[]> {
  const id = /^[0-9]{1,16}$/.test(search) ? search : null;
  const values = [search, id, after, limit, kycStatus];
  const newest = `select * from merchant where ${PLACE} ${NEWEST_FIRST} ${search === "" ? "$4" : FIRST_STEPS}`;
  const first = await MERCHANTS.select(
    db,
    `select * from (${newest}) as newest where ${MATCHES} ${NEWEST_FIRST} $4`,
    values,
  );
  if (first.length === limit || search === "") return toMerchants(db, first);
  // Forces the index: PostgreSQL assumes that a frequent text is spread evenly, and would scan all newer rows. Comparing texts
  // costs most, so the rows are sorted first (`offset 0`), and compared until the page is full.
  const all = await MERCHANTS.select(
    db,
    `with candidate as materialized (select * from merchant where ${HAS_PARTS} and ${PLACE})
     select * from (select * from candidate ${NEWEST_FIRST} all offset 0) as candidate
     where ${MATCHES} ${NEWEST_FIRST} $4`,
    values,
  );
  return toMerchants(db, all);
}

/** Reads a row with a merchant's columns. */
export function readMerchantRow(row: Row, secrets: Secrets): Merchant {
  return toMerchant(secrets, MERCHANTS.read(row, secrets));
}

/**
 * Gives a new database the installation's secret, 256 random bits, and the book of everything that belongs to no merchant:
 * operators, and provider accounts that serve all. It holds no money. Needs the database's owner.
 */
export async function insertInstallationSecret(connection: Connection): Promise<void> {
  const secrets = await secretsOf(connection);
  await openBooks(connection, [OPERATORS.bucket], [OPERATORS.merchantId]);
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

/** The installation's rails, for merchants without their own. `null` if it has no account. */
export async function readPayoutRails(db: Queryable): Promise<PayoutRails | null> {
  const { rows } = await db.query<{ payout_rails: PayoutRails | null }>("select payout_rails from installation");
  return rows[0]!.payout_rails;
}

/** Saves them. Callers hold `lockInstallation`. */
export async function updatePayoutRails(connection: Connection, rails: PayoutRails | null): Promise<void> {
  await connection.query("update installation set payout_rails = $1", [rails && JSON.stringify(rails)]);
}

/** Locks the installation's row until the transaction ends. */
export async function lockInstallation(connection: Connection): Promise<void> {
  await connection.query("select from installation for no key update");
}

/**
 * Finds a merchant for an operator. `lock` locks it until the transaction ends.
 * @throws NodalError `merchant_not_found`
 */
export async function requireMerchant(db: Queryable, merchantId: bigint, lock = false): Promise<Merchant> {
  const merchant = await findMerchant(db, merchantId, lock);
  if (merchant) return merchant;
  throw new NodalError("merchant_not_found", `There is no merchant ${merchantId}: see \`nodal merchant list\`.`);
}
