// Use cases: create, change, enable and disable an endpoint, replace its secret, and send events to it again.
import { findEvents, listEvents, recordEvents, type NewEvent } from "../ledger/index.ts";
import {
  lockInstallation,
  lockMerchant,
  OPERATORS,
  type ReadContext,
  type MerchantKey,
  type WriteContext,
} from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { queueDeliveries } from "./delivery-store.ts";
import {
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  updateEndpoint,
  type NewEndpoint,
} from "./endpoint-store.ts";
import { catalogFor, endpointEvent, endpointNotFound, takesType, type Endpoint } from "./endpoint.ts";
import { REDELIVERY_MAX_EVENTS } from "./endpoint-fields.ts";
import { endNewestSecret, insertSecret, listSecrets } from "./secret-store.ts";
import { newSecret } from "./send-message.ts";

const OLD_SECRET_SIGNS_HOURS = 24;
/** Every secret in force adds a signature to each request. */
const MAX_SECRETS = 5;

/** An endpoint with its new secret, which is shown only once. */
export type WithSecret<T> = T & { readonly secret: string };

/** Every event goes to each of them: enough for any business, but too few to flood a third party's server. */
const MAX_ENABLED = 100;

export type CreateEndpoint = Pick<NewEndpoint, "url" | "description" | "eventTypes">;

/**
 * Creates an endpoint, which begins with its owner's next event.
 * @throws NodalError `limit_exceeded` if 100 are enabled, `validation_failed` for events that the owner doesn't have
 */
export async function createEndpoint(
  { pool, ids, merchant: { bucket, merchantId } }: WriteContext,
  draft: CreateEndpoint,
): Promise<WithSecret<{ readonly endpoint: Endpoint }>> {
  requireTypes({ merchantId }, draft.eventTypes);
  const [endpointId, secretId, secret] = [await ids.next(), await ids.next(), newSecret()];
  return inTransaction(pool, async (connection) => {
    await requireRoom(connection, { bucket, merchantId });
    const endpoint = await insertEndpoint(connection, { bucket, merchantId, endpointId, ...draft });
    await insertSecret(connection, endpoint, secretId, secret);
    await recordEvents(connection, endpoint, [endpointEvent("webhook_endpoint.created", null, endpoint)]);
    return { endpoint, secret };
  });
}

/** @throws NodalError `validation_failed` for a type or kind of events that the owner of an endpoint doesn't have */
function requireTypes(owner: Pick<MerchantKey, "merchantId">, eventTypes: readonly string[] | null): void {
  const { types, kinds } = catalogFor(owner);
  const unknown = eventTypes?.find((type) => !types.includes(type) && !kinds.includes(type));
  if (unknown === undefined) return;
  const whose = owner.merchantId === OPERATORS.merchantId ? "the installation" : "a merchant";
  const problem = `must be events of ${whose}; ${JSON.stringify(unknown)} is not one: docs/webhooks.md lists them.`;
  throw validationError([{ field: "events", code: "not_allowed", problem }]);
}

/** The changes of an endpoint; members that are left out stay unchanged. */
export type ChangeEndpoint = { readonly endpointId: bigint } & Partial<CreateEndpoint>;

/**
 * Changes an endpoint's URL, event types or note. Waiting events go to the new URL. New types apply from the next event.
 * @throws NodalError `not_found`, or `validation_failed` for events that the owner doesn't have
 */
export function changeEndpoint(context: ReadContext, { endpointId, ...changes }: ChangeEndpoint): Promise<Endpoint> {
  requireTypes(context.merchant, changes.eventTypes ?? null);
  return change(
    context,
    endpointId,
    (connection, endpoint) => updateEndpoint(connection, endpoint, changes),
    (before, after) => endpointEvent("webhook_endpoint.changed", before, after),
  );
}

/**
 * Gives an endpoint a new secret. The previous one also signs for another day.
 * @throws NodalError `not_found`, or `validation_failed` if too many secrets are active
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
        `The endpoint has ${MAX_SECRETS} active secrets: wait until one expires, a day after it was replaced.`,
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
 * Checks that another endpoint may be enabled, and locks the merchant's row, so that nobody else enables one meanwhile.
 * @throws NodalError `limit_exceeded`
 */
async function requireRoom(connection: Connection, merchant: MerchantKey): Promise<void> {
  if (merchant.merchantId === OPERATORS.merchantId) await lockInstallation(connection);
  else await lockMerchant(connection, merchant);
  const enabled = (await listEndpoints(connection, merchant)).filter(({ status }) => status === "Enabled");
  if (enabled.length < MAX_ENABLED) return;
  throw new NodalError("limit_exceeded", `At most ${MAX_ENABLED} endpoints can be enabled: disable one first.`);
}

export type Enable = { readonly endpointId: bigint; readonly skipsMissed: boolean };
/** A range of event numbers, both included. */
export type Redeliver = { readonly endpointId: bigint; readonly from: bigint; readonly to: bigint };

/**
 * Enables an endpoint; if it is enabled already, makes its waiting events due now. It continues where it stopped, unless `skipsMissed`
 * makes it start with the next event.
 * @throws NodalError `not_found`, or `limit_exceeded` if 100 are enabled
 */
export function enable(context: ReadContext, { endpointId, skipsMissed }: Enable): Promise<Endpoint> {
  return change(
    context,
    endpointId,
    async (connection, endpoint) => {
      if (endpoint.status === "Disabled") await requireRoom(connection, endpoint);
      await enableEndpoint(connection, endpoint, skipsMissed);
    },
    (before, after) => {
      const enabled = endpointEvent("webhook_endpoint.enabled", before, after);
      return { ...enabled, after: { ...enabled.after, skips_missed: skipsMissed } };
    },
  );
}

/**
 * Disables an endpoint. Its events wait.
 * @throws NodalError `not_found`
 */
export function disable(context: ReadContext, endpointId: bigint): Promise<Endpoint> {
  return change(context, endpointId, disableEndpoint, (before, after) =>
    endpointEvent("webhook_endpoint.disabled", before, after),
  );
}

async function change(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  endpointId: bigint,
  work: (connection: Connection, endpoint: Endpoint) => Promise<void>,
  eventOf: (before: Endpoint, after: Endpoint) => NewEvent,
): Promise<Endpoint> {
  const key = { bucket, merchantId, endpointId };
  return inTransaction(pool, async (connection) => {
    const endpoint = await findEndpoint(connection, key, true);
    if (!endpoint) throw endpointNotFound();
    await work(connection, endpoint);
    const changed = (await findEndpoint(connection, key))!;
    await recordEvents(connection, key, [eventOf(endpoint, changed)]);
    return changed;
  });
}

/**
 * Queues events `from` … `to` of an endpoint's types to be sent again. Pending events are left out, since they will be sent anyway.
 * Returns how many are queued.
 * @throws NodalError `not_found`, or `validation_failed` if the endpoint is disabled or there is nothing to send
 */
export async function redeliver(context: ReadContext, { endpointId, from, to }: Redeliver): Promise<number> {
  let queued = 0;
  const work = async (connection: Connection, endpoint: Endpoint): Promise<void> => {
    if (endpoint.status !== "Enabled") {
      throw new NodalError("validation_failed", "The endpoint is disabled: enable it first. Nothing was queued.");
    }
    const last = to < endpoint.cursorEventNo ? to : endpoint.cursorEventNo;
    const events =
      from === to
        ? await findEvents(connection, endpoint, [from])
        : await listEvents(connection, endpoint, { after: from - 1n, limit: REDELIVERY_MAX_EVENTS });
    const wanted = events.filter(({ eventNo, type }) => eventNo <= last && takesType(endpoint, type));
    if (wanted.length === 0) {
      const named = from === to ? `Event ${from} was not` : `None of the events ${from} to ${to} was`;
      throw new NodalError(
        "validation_failed",
        `${named} sent to this endpoint: it takes other types, or is still pending. Nothing was queued.`,
      );
    }
    queued = wanted.length;
    const eventNos = wanted.map(({ eventNo }) => eventNo);
    await queueDeliveries(connection, endpoint, eventNos);
  };
  await change(context, endpointId, work, () => ({
    type: "webhook_endpoint.redelivered",
    subjectId: endpointId,
    after: { from: String(from), to: String(to), queued },
  }));
  return queued;
}
