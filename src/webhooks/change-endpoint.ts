// Three use cases: an endpoint is enabled, it is disabled, and events are sent to it again.
import { findEvents, listEvents, recordEvents, type NewEvent } from "../ledger/index.ts";
import type { ReadContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { requireRoom } from "./create-endpoint.ts";
import { queueDeliveries } from "./delivery-store.ts";
import { endpointEvent, endpointNotFound, takesType, type Endpoint } from "./endpoint.ts";
import { disableEndpoint, enableEndpoint, findEndpoint } from "./endpoint-store.ts";

/** How many events one request may ask for again. */
export const REDELIVERY_MAX_EVENTS = 10_000;

export type Enable = { readonly endpointId: bigint; readonly skipsMissed: boolean };
/** Events by their numbers, both included. */
export type Redeliver = { readonly endpointId: bigint; readonly from: bigint; readonly to: bigint };

/**
 * Enables an endpoint, or, where it is, makes all that waits for it due now. It goes on where it stopped, unless
 * `skipsMissed` lets it begin with the next event.
 * @throws NodalError `not_found`, or `limit_exceeded` where 100 are enabled
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
 * Disables an endpoint: nothing is sent to it, and its events wait.
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
 * Queues events `from` … `to` to be sent to an endpoint again, those of its types. Events that it has not come to yet
 * are left out: they will be sent anyway. Returns how many are queued.
 * @throws NodalError `not_found`, or `validation_failed` where the endpoint is disabled or there is nothing to send
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
        : await listEvents(connection, endpoint, from - 1n, REDELIVERY_MAX_EVENTS);
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
    await queueDeliveries(connection, endpoint, eventNos);
  };
  await change(context, endpointId, work, () => ({
    type: "webhook_endpoint.redelivered",
    subjectId: endpointId,
    after: { from: String(from), to: String(to), queued },
  }));
  return queued;
}
