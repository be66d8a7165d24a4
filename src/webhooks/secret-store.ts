// All SQL of the secrets that sign webhooks. Nothing else reads or writes them.
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { readSecretRows, secretsOf, type SecretTable } from "../platform/secrets/index.ts";
import type { EndpointKey } from "./endpoint.ts";

export const WEBHOOK_SECRETS: SecretTable = {
  table: "webhook_secret",
  key: { bucket: "smallint", merchant_id: "bigint", endpoint_id: "bigint", secret_id: "bigint" },
  path: ["bucket", "merchant_id", "endpoint_id", "secret_id"],
  columns: ["secret"],
  indexes: [],
};

/** A secret with the time at which it stops signing; `null` for the newest. */
export type StoredSecret = { readonly secret: string; readonly endsAt: Temporal.Instant | null };

/** Adds an endpoint's newest secret. */
export async function insertSecret(
  connection: Connection,
  { bucket, merchantId, endpointId }: EndpointKey,
  secretId: bigint,
  secret: string,
): Promise<void> {
  const secrets = await secretsOf(connection);
  const sealed = secrets.seal("webhook_secret.secret", [bucket, merchantId, endpointId, secretId], secret);
  await connection.query(
    `insert into webhook_secret (bucket, merchant_id, endpoint_id, secret_id, secret, created_at)
     values ($1, $2, $3, $4, $5, now())`,
    [bucket, merchantId, endpointId, secretId, sealed],
  );
}

/** The secrets that sign for an endpoint now, the newest first. */
export async function listSecrets(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
): Promise<StoredSecret[]> {
  const { rows } = await db.query<{ secret_id: bigint; secret: string; ends_at: Temporal.Instant | null }>({
    name: "list-webhook-secrets",
    text: `select secret_id, secret, ends_at from webhook_secret
      where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and (ends_at is null or ends_at > now())
      order by ends_at desc nulls first`,
    values: [bucket, merchantId, endpointId],
  });
  return readSecretRows(db, rows, (row, secrets) => ({
    secret: secrets.unseal("webhook_secret.secret", [bucket, merchantId, endpointId, row.secret_id], row.secret),
    endsAt: row.ends_at,
  }));
}

/** Lets the endpoint's newest secret sign for so long and no longer. */
export async function endNewestSecret(
  connection: Connection,
  { bucket, merchantId, endpointId }: EndpointKey,
  endsAt: Temporal.Instant,
): Promise<void> {
  await connection.query(
    `update webhook_secret set ends_at = $4
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and ends_at is null`,
    [bucket, merchantId, endpointId, endsAt.toString()],
  );
}

/** Removes the secrets that sign no more, of every merchant. */
export async function forgetEndedSecrets(db: Queryable): Promise<void> {
  await db.query("delete from webhook_secret where ends_at < now()");
}
