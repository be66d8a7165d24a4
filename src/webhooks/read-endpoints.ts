// Use cases: a merchant's endpoints with what became of its events there, as the dashboard and the commands show them.
import type { Merchant, ReadContext } from "../merchants/index.ts";
import { formatTimestamp, type WriteInstant } from "../platform/time.ts";
import { countDeliveries, listDeliveries } from "./delivery-store.ts";
import { describeEndpoint } from "./endpoint-fields.ts";
import { findEndpoint, listEndpoints } from "./endpoint-store.ts";
import { endpointNotFound, type Endpoint } from "./endpoint.ts";

const DELIVERIES_SHOWN = 100;

/** An endpoint, and how many events it has not come to yet, wait by themselves, and were given up. */
export async function withCounts(
  { pool, merchant }: ReadContext<Merchant>,
  endpoint: Endpoint,
  write: WriteInstant = formatTimestamp,
) {
  const { behind, waiting, failed } = await countDeliveries(pool, endpoint);
  return {
    ...describeEndpoint(endpoint, merchant, write),
    behind: Number(behind),
    waiting: Number(waiting),
    failed: Number(failed),
  };
}

/** Every endpoint of a merchant. */
export async function readEndpoints(context: ReadContext<Merchant>, write?: WriteInstant) {
  const endpoints = [];
  for (const endpoint of await listEndpoints(context.pool, context.merchant)) {
    endpoints.push(await withCounts(context, endpoint, write));
  }
  return endpoints;
}

/**
 * One endpoint, with the first 100 events that it was not given and that it waits for by themselves.
 * @throws NodalError `not_found`
 */
export async function readEndpoint(
  context: ReadContext<Merchant>,
  endpointId: bigint,
  write: WriteInstant = formatTimestamp,
) {
  const { pool, merchant } = context;
  const { bucket, merchantId, timeZone } = merchant;
  const endpoint = await findEndpoint(pool, { bucket, merchantId, endpointId });
  if (!endpoint) throw endpointNotFound();
  const deliveries = [];
  for (const status of ["Failed", "Waiting"] as const) {
    for (const delivery of await listDeliveries(pool, endpoint, status, DELIVERIES_SHOWN)) {
      deliveries.push({
        seq: String(delivery.eventNo),
        status,
        tries: delivery.tries,
        first_attempt_at: write(delivery.firstAttemptAt, timeZone),
        next_attempt_at: status === "Waiting" ? write(delivery.nextAttemptAt, timeZone) : null,
      });
    }
  }
  return { endpoint: await withCounts(context, endpoint, write), deliveries };
}
