// All SQL of the secrets that sign webhooks. Nothing else reads or writes them.
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { NOW, table } from "../platform/database/table.ts";
import type { EndpointKey } from "./endpoint.ts";

/** A secret with the time when it stops signing; `null` for the newest. */
export type StoredSecret = { readonly secret: string; readonly endsAt: Temporal.Instant | null };

type SecretKey = EndpointKey & { readonly secretId: bigint };

const SECRETS = table<SecretKey & StoredSecret & { readonly createdAt: Temporal.Instant }, SecretKey>(
  "webhook_secret",
  ["bucket", "merchantId", "endpointId", "secretId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    endpointId: "bigint",
    secretId: "bigint",
    secret: "text sealed",
    createdAt: "timestamptz",
    endsAt: "timestamptz",
  },
);

export const WEBHOOK_SECRETS = SECRETS.secretTable();

/** Adds an endpoint's newest secret. */
export async function insertSecret(
  connection: Connection,
  { bucket, merchantId, endpointId }: EndpointKey,
  secretId: bigint,
  secret: string,
): Promise<void> {
  await SECRETS.insert(connection, { bucket, merchantId, endpointId, secretId, secret, createdAt: NOW });
}

/** The secrets that sign for an endpoint now, the newest first. */
export async function listSecrets(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
): Promise<StoredSecret[]> {
  return SECRETS.select(db, {
    name: "list-webhook-secrets",
    text: `select * from webhook_secret
      where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and (ends_at is null or ends_at > now())
      order by ends_at desc nulls first`,
    values: [bucket, merchantId, endpointId],
  });
}

/** Makes the endpoint's newest secret stop signing after a time. */
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

/** Removes the secrets of all merchants that no longer sign. */
export async function forgetEndedSecrets(db: Queryable): Promise<void> {
  await db.query("delete from webhook_secret where ends_at < now()");
}
