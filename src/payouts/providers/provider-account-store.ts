// All SQL of accounts at providers.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table, type Columns } from "../../platform/database/table.ts";
import { RowProof, secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import { readClaimedTransfersOf } from "../claim-store.ts";
import type { PaymentReference } from "../rails/rail.ts";
import { CREDENTIAL_COLUMNS } from "./credentials.ts";
import { INSTALLATION, railName, type ProviderAccount, type ProviderAccountKey } from "./provider-account.ts";

type StoredAccount = Omit<ProviderAccount, "isChanged"> & { readonly proof: Uint8Array | null };

const COLUMNS: Columns<StoredAccount> = {
  bucket: "smallint",
  merchantId: "bigint",
  accountId: "bigint",
  provider: "text",
  baseUrl: "text",
  keyId: "text",
  secret: "text sealed",
  webhookSecret: "text sealed",
  ...CREDENTIAL_COLUMNS,
  returnsFees: "boolean",
  callsPerSecond: "integer",
  tag: "text",
  priorities: "jsonb",
  version: "integer",
  olderWebhookSecret: "text sealed",
  credentialsChangedAt: "timestamptz",
  failingSince: "timestamptz",
  failingReason: "text",
  connectedAt: "timestamptz",
  disconnectedAt: "timestamptz",
  proof: "bytea",
};

// If somebody changes the address or owner with SQL, the credentials can't be decrypted.
const ACCOUNTS = table<StoredAccount, ProviderAccountKey>(
  "provider_account",
  ["bucket", "merchantId", "accountId"],
  COLUMNS,
  { secret: ["provider", "baseUrl", "keyId", "tag"], verifySecret: ["provider", "baseUrl", "verifyKeyId"] },
);

export const PROVIDER_SECRETS = ACCOUNTS.secretTable();

/** The settings of an account that decide about payments over it, and which of its fees are booked. */
type Terms = Pick<StoredAccount, "returnsFees" | "fundSource" | "priorities" | "disconnectedAt"> & ProviderAccountKey;

const PROOF = new RowProof<Terms>(
  "provider_account",
  ({ bucket, merchantId, accountId }) => [bucket, merchantId, accountId],
  ({ returnsFees, fundSource, priorities, disconnectedAt }) => [
    returnsFees,
    fundSource,
    // The database does not keep the order of an object's members.
    Object.entries(priorities).map(String).toSorted(),
    disconnectedAt !== null,
  ],
);

/** The same columns, read without decrypting anything. */
const TERMS = table<Terms & Pick<StoredAccount, "proof">, ProviderAccountKey>(
  "provider_account",
  ["bucket", "merchantId", "accountId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    accountId: "bigint",
    returnsFees: "boolean",
    fundSource: "text",
    priorities: "jsonb",
    disconnectedAt: "timestamptz",
    proof: "bytea",
  },
);

async function select(db: Queryable, text: string, values: unknown[] = []): Promise<ProviderAccount[]> {
  const stored = await ACCOUNTS.select(db, text, values);
  const secrets = await secretsOf(db);
  return stored.map((account) => toAccount(secrets, account));
}

function toAccount(secrets: Secrets, { proof, ...account }: StoredAccount): ProviderAccount {
  return PROOF.fits(secrets, account, proof) ? account : { ...account, isChanged: true };
}

export async function insertProviderAccount(connection: Connection, account: ProviderAccount): Promise<void> {
  await ACCOUNTS.insert(connection, { ...account, proof: PROOF.of(await secretsOf(connection), account) });
}

/** An account of a merchant, even a disconnected one; `null` if the merchant has none with this id. */
export async function findProviderAccount(
  db: Queryable,
  { bucket, merchantId, accountId }: ProviderAccountKey,
): Promise<ProviderAccount | null> {
  const found = await ACCOUNTS.find(db, { bucket, merchantId, accountId });
  return found && toAccount(await secretsOf(db), found);
}

/** Whether an account is still connected and not changed with SQL. Waits for a transaction that is disconnecting it. */
export async function isStillConnected(
  db: Queryable,
  { bucket, merchantId, accountId }: ProviderAccountKey,
): Promise<boolean> {
  const [terms] = await TERMS.select(db, {
    name: "is-still-connected",
    text: `select ${TERMS.columns} from provider_account
      where bucket = $1 and merchant_id = $2 and account_id = $3 for share`,
    values: [bucket, merchantId, accountId],
  });
  return terms?.disconnectedAt === null && PROOF.fits(await secretsOf(db), terms, terms.proof);
}

/** A merchant's accounts, the newest first. */
export function listProviderAccounts(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<ProviderAccount[]> {
  return select(db, "select * from provider_account where bucket = $1 and merchant_id = $2 order by account_id desc", [
    bucket,
    merchantId,
  ]);
}

/** Lets one transaction at a time compare the accounts of all owners. A merchant's own database may take this lock too. */
export async function lockAllAccounts(connection: Connection): Promise<void> {
  await connection.query("select pg_advisory_xact_lock(hashtext('nodal provider accounts'))");
}

/** The connected accounts of all owners, under one key id at a provider. */
export function listConnected(
  db: Queryable,
  { provider, keyId }: Pick<ProviderAccount, "provider" | "keyId">,
): Promise<ProviderAccount[]> {
  return select(db, "select * from provider_account where provider = $1 and key_id = $2 and disconnected_at is null", [
    provider,
    keyId,
  ]);
}

/** The connected accounts of all owners, the oldest first. */
export function listAllConnected(db: Queryable): Promise<ProviderAccount[]> {
  return select(db, "select * from provider_account where disconnected_at is null order by account_id");
}

/** Writes the given changes of an account. */
export async function updateProviderAccount(
  connection: Connection,
  changes: ProviderAccountKey & Partial<ProviderAccount>,
): Promise<void> {
  const { bucket, merchantId, accountId } = changes;
  const before = await TERMS.find(connection, { bucket, merchantId, accountId }, true);
  if (!before) return;
  const {
    returnsFees = before.returnsFees,
    fundSource = before.fundSource,
    priorities = before.priorities,
    disconnectedAt = before.disconnectedAt,
  } = changes;
  const after = { bucket, merchantId, accountId, returnsFees, fundSource, priorities, disconnectedAt };
  const proof = PROOF.renewed(await secretsOf(connection), before, before.proof, after);
  await ACCOUNTS.update(connection, { ...changes, proof });
}

/**
 * How many transfers over an account are in progress or wait for approval: of its merchant, or of all merchants for the installation's
 * account. Counts twice, because a transfer that was claimed between the two statements of the first count is only in the second.
 */
export async function countOpenOver(db: Queryable, account: ProviderAccount): Promise<bigint> {
  const [first, second] = [await lookOver(db, account), await lookOver(db, account)];
  return first > second ? first : second;
}

async function lookOver(db: Queryable, account: ProviderAccount): Promise<bigint> {
  const { bucket, merchantId } = account;
  const ofOwner = merchantId === INSTALLATION.merchantId ? "$1 = 0 and $2 = 0" : "bucket = $1 and merchant_id = $2";
  const rail = railName(account);
  const claimed = (await readClaimedTransfersOf(db, merchantId)).filter((transfer) => transfer.rail === rail);
  const { rows } = await db.query<{ count: bigint }>(
    `select count(*) as count from (
       select bucket, merchant_id, rail from transfer_dispatch join transfer using (bucket, merchant_id, transfer_id)
       union all
       select transfer.bucket, transfer.merchant_id, transfer.rail
       from approval
       join transfer
         on transfer.bucket = approval.bucket and transfer.merchant_id = approval.merchant_id
         and transfer.transfer_id = approval.approval_id
       where decision is null
     ) as waiting
     where ${ofOwner} and rail = $3`,
    [bucket, merchantId, rail],
  );
  return rows[0]!.count + BigInt(claimed.length);
}

/** The newest payment over an account that the provider certainly has, to ask about; `null` if there is none yet. */
export async function findNewestPaid(db: Queryable, account: ProviderAccount): Promise<PaymentReference | null> {
  const { bucket, merchantId } = account;
  const ofOwner = merchantId === INSTALLATION.merchantId ? "$1 = 0 and $2 = 0" : "bucket = $1 and merchant_id = $2";
  const { rows } = await db.query<{ bucket: number; merchant_id: bigint; transfer_id: bigint; amount_paise: bigint }>(
    `select bucket, merchant_id, transfer_id, amount_paise from transfer
     where ${ofOwner} and rail = $3 and state in ('SUCCESS', 'PENDING', 'REVERSED')
     order by transfer_id desc limit 1`,
    [bucket, merchantId, railName(account)],
  );
  const [row] = rows;
  if (!row) return null;
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    transferId: row.transfer_id,
    amountPaise: row.amount_paise,
  };
}

/** Records that an account is out of order, since the first time it was recorded, or that it works. */
export async function noteHealth(
  db: Queryable,
  { bucket, merchantId, accountId }: ProviderAccountKey,
  reason: string | null,
): Promise<void> {
  // Citus allows no now() in a case.
  await db.query({
    name: reason === null ? "note-provider-works" : "note-provider-fails",
    text: `update provider_account
      set failing_since = ${reason === null ? "null" : "least(failing_since, now())"}, failing_reason = $4
      where bucket = $1 and merchant_id = $2 and account_id = $3`,
    values: [bucket, merchantId, accountId, reason],
  });
}
