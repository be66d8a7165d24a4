// Three use cases: an endpoint is enabled, it is disabled, and events are sent to it again.
import { findEvents, listEvents, recordEvents, type Happening } from "../ledger/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { requireRoom } from "./create-endpoint.ts";
import { queueDeliveries } from "./delivery-store.ts";
import { endpointEvent, endpointNotFound, takesType, type Endpoint, type EndpointKey } from "./endpoint.ts";
import { disableEndpoint, enableEndpoint, findEndpoint } from "./endpoint-store.ts";

/** How many events one request may ask for again. */
export const REDELIVERY_MAX_EVENTS = 10_000;

/**
 * Enables an endpoint, or, where it is, makes all that waits for it due now. It goes on where it stopped, unless
 * `skipsMissed` lets it begin with the next event.
 * @throws NodalError `not_found`, or `limit_exceeded` where 100 are enabled
 */
export function enable(pool: Pool, key: EndpointKey, skipsMissed: boolean): Promise<Endpoint> {
  return change(
    pool,
    key,
    async (connection, { status }) => {
      if (status === "Disabled") await requireRoom(connection, key);
      await enableEndpoint(connection, key, skipsMissed);
    },
    (before, after) => {
      const enabled = endpointEvent("webhook_endpoint.enabled", before, after);
      return { ...enabled, after: { ...enabled.after, skips_missed: skipsMissed } };
    },
  );
}

/**
 * Disables an endpoint: nothing is sent to it, and its events wait.
 * @throws NodalError `not_found`
 */
export function disable(pool: Pool, key: EndpointKey): Promise<Endpoint> {
  return change(
    pool,
    key,
    (connection) => disableEndpoint(connection, key),
    (before, after) => endpointEvent("webhook_endpoint.disabled", before, after),
  );
}

async function change(
  pool: Pool,
  key: EndpointKey,
  work: (connection: Connection, endpoint: Endpoint) => Promise<void>,
  tell: (before: Endpoint, after: Endpoint) => Happening,
): Promise<Endpoint> {
  return inTransaction(pool, async (connection) => {
    const endpoint = await findEndpoint(connection, key, true);
    if (!endpoint) throw endpointNotFound();
    await work(connection, endpoint);
    const changed = (await findEndpoint(connection, key))!;
    await recordEvents(connection, key, [tell(endpoint, changed)]);
    return changed;
  });
}

/**
 * Queues events `from` … `to` to be sent to an endpoint again, those of its types. Events that it has not come to yet
 * are left out: they will be sent anyway. Answers how many are queued.
 * @throws NodalError `not_found`, or `validation_failed` where the endpoint is disabled or there is nothing to send
 */
export async function redeliver(pool: Pool, key: EndpointKey, from: bigint, to: bigint): Promise<number> {
  let queued = 0;
  const work = async (connection: Connection, endpoint: Endpoint): Promise<void> => {
    if (endpoint.status !== "Enabled") {
      throw new NodalError("validation_failed", "The endpoint is disabled: enable it first. Nothing was queued.");
    }
    const last = to < endpoint.cursorEventNo ? to : endpoint.cursorEventNo;
    const events =
      from === to
        ? await findEvents(connection, key, [from])
        : await listEvents(connection, key, from - 1n, REDELIVERY_MAX_EVENTS);
    const wanted = events.filter(({ eventNo, type }) => eventNo <= last && takesType(endpoint, type));
    if (wanted.length === 0) {
      const named = from === to ? `Event ${from} was not` : `None of the events ${from} to ${to} was`;
      throw new NodalError(
        "validation_failed",
        `${named} due for this endpoint: it takes other types, or has not come so far yet. Nothing was queued.`,
      );
    }
    queued = wanted.length;
    const eventNos = wanted.map(({ eventNo }) => eventNo);
    await queueDeliveries(connection, key, eventNos);
  };
  await change(pool, key, work, () => ({
    type: "webhook_endpoint.redelivered",
    subjectId: key.endpointId,
    after: { from: String(from), to: String(to), queued },
  }));
  return queued;
}
