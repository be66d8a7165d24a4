// Two use cases: an endpoint is created, and its secret is replaced.
// What belongs here: what an endpoint begins with, and how long a replaced secret goes on signing.
import { recordEvents } from "../ledger/index.ts";
import { lockMerchant, type MerchantKey, type WriteContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { endpointEvent, endpointNotFound, type Endpoint } from "./endpoint.ts";
import { findEndpoint, insertEndpoint, listEndpoints, type NewEndpoint } from "./endpoint-store.ts";
import { endNewestSecret, insertSecret, listSecrets } from "./secret-store.ts";
import { newSecret } from "./send-message.ts";

const OLD_SECRET_SIGNS_HOURS = 24;
/** Every secret in force adds a signature to each request. */
const MAX_SECRETS = 5;

/** An endpoint with a secret that is shown only now. */
export type WithSecret<T> = T & { readonly secret: string };

/** Every event goes to each of them: enough for any business, and too few to flood a server of somebody else's. */
const MAX_ENABLED = 100;

export type CreateEndpoint = Pick<NewEndpoint, "url" | "description" | "eventTypes">;

/**
 * Creates an endpoint, which begins with the merchant's next event.
 * @throws NodalError `limit_exceeded` where 100 are enabled
 */
export async function createEndpoint(
  { pool, ids, merchant: { bucket, merchantId } }: WriteContext,
  draft: CreateEndpoint,
): Promise<WithSecret<{ readonly endpoint: Endpoint }>> {
  const [endpointId, secretId, secret] = [await ids.next(), await ids.next(), newSecret()];
  return inTransaction(pool, async (connection) => {
    await requireRoom(connection, { bucket, merchantId });
    const endpoint = await insertEndpoint(connection, { bucket, merchantId, endpointId, ...draft });
    await insertSecret(connection, endpoint, secretId, secret);
    await recordEvents(connection, endpoint, [endpointEvent("webhook_endpoint.created", null, endpoint)]);
    return { endpoint, secret };
  });
}

/**
 * Gives an endpoint a new secret. The one before goes on signing beside it for a day.
 * @throws NodalError `not_found`, or `validation_failed` where too many secrets are in force
 */
export async function rotateSecret(
  { pool, ids, merchant: { bucket, merchantId } }: WriteContext,
  endpointId: bigint,
): Promise<WithSecret<{ readonly oldSecretEndsAt: Temporal.Instant }>> {
  const key = { bucket, merchantId, endpointId };
  const [secretId, secret] = [await ids.next(), newSecret()];
  const oldSecretEndsAt = Temporal.Now.instant().add({ hours: OLD_SECRET_SIGNS_HOURS });
  return inTransaction(pool, async (connection) => {
    if (!(await findEndpoint(connection, key, true))) throw endpointNotFound();
    if ((await listSecrets(connection, key)).length >= MAX_SECRETS) {
      throw new NodalError(
        "validation_failed",
        `The endpoint has ${MAX_SECRETS} secrets in force: wait until one of them ends, a day after it was replaced.`,
      );
    }
    await endNewestSecret(connection, key, oldSecretEndsAt);
    await insertSecret(connection, key, secretId, secret);
    const after = { old_secret_ends_at: oldSecretEndsAt.toString() };
    await recordEvents(connection, key, [{ type: "webhook_endpoint.secret_rotated", subjectId: endpointId, after }]);
    return { secret, oldSecretEndsAt };
  });
}

/**
 * Makes sure that one more endpoint may be enabled, and locks the merchant's row, so that nobody else enables one
 * meanwhile.
 * @throws NodalError `limit_exceeded`
 */
export async function requireRoom(connection: Connection, merchant: MerchantKey): Promise<void> {
  await lockMerchant(connection, merchant);
  const enabled = (await listEndpoints(connection, merchant)).filter(({ status }) => status === "Enabled");
  if (enabled.length < MAX_ENABLED) return;
  throw new NodalError(
    "limit_exceeded",
    `At most ${MAX_ENABLED} endpoints of a merchant are enabled at once: disable one of them first.`,
  );
}
