// Use cases: endpoints with their delivery counts, for the API and the commands.
import type { ReadContext } from "../merchants/index.ts";
import type { WriteInstant } from "../platform/time.ts";
import { countDeliveries, listDeliveries } from "./delivery-store.ts";
import { describeDelivery, describeEndpoint } from "./endpoint-fields.ts";
import { findEndpoint, listEndpoints } from "./endpoint-store.ts";
import { endpointNotFound, type Endpoint, type EndpointOwner } from "./endpoint.ts";

const DELIVERIES_SHOWN = 100;

/** An endpoint, with its numbers of pending, retrying and abandoned events. */
export async function withCounts(
  { pool, merchant }: ReadContext<EndpointOwner>,
  endpoint: Endpoint,
  write?: WriteInstant,
) {
  const { behind, waiting, failed } = await countDeliveries(pool, endpoint);
  return {
    ...describeEndpoint(endpoint, merchant, write),
    behind: Number(behind),
    waiting: Number(waiting),
    failed: Number(failed),
  };
}

/** Every endpoint of an owner. */
export async function readEndpoints(context: ReadContext<EndpointOwner>, write?: WriteInstant) {
  const endpoints = [];
  for (const endpoint of await listEndpoints(context.pool, context.merchant)) {
    endpoints.push(await withCounts(context, endpoint, write));
  }
  return endpoints;
}

/**
 * One endpoint, with the first 100 of its retrying and abandoned events.
 * @throws NodalError `not_found`
 */
export async function readEndpoint(context: ReadContext<EndpointOwner>, endpointId: bigint, write?: WriteInstant) {
  const endpoint = await requireEndpoint(context, endpointId);
  const deliveries = [];
  for (const status of ["Failed", "Waiting"] as const) {
    const search = { status, after: 0n, limit: DELIVERIES_SHOWN };
    for (const delivery of await listDeliveries(context.pool, endpoint, search)) {
      deliveries.push(describeDelivery(delivery, context.merchant, write));
    }
  }
  return { endpoint: await withCounts(context, endpoint, write), deliveries };
}

/** Finds an endpoint of an owner. @throws NodalError `not_found` */
export async function requireEndpoint({ pool, merchant }: ReadContext, endpointId: bigint): Promise<Endpoint> {
  const { bucket, merchantId } = merchant;
  const endpoint = await findEndpoint(pool, { bucket, merchantId, endpointId });
  if (!endpoint) throw endpointNotFound();
  return endpoint;
}
