// The events of an endpoint whose own schedule says that they are due, with what is sent of them.
import { findEvents } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { listDueDeliveries, type Delivery } from "./delivery-store.ts";
import type { EndpointKey } from "./endpoint.ts";
import { tellEvents, type MessageParts, type Told } from "./event-message.ts";

const PAGE_DELIVERIES = 25;

export type DueDelivery = { readonly delivery: Delivery; readonly told: Told };

/** The first page of an endpoint's events that are due by themselves, longest due first. */
export async function readDueDeliveries(
  db: Queryable,
  { endpoint, merchant }: { readonly endpoint: EndpointKey; readonly merchant: Merchant },
  messages: MessageParts,
): Promise<DueDelivery[]> {
  const deliveries = await listDueDeliveries(db, endpoint, PAGE_DELIVERIES);
  if (deliveries.length === 0) return [];
  const eventNos = deliveries.map(({ eventNo }) => eventNo);
  const told = await tellEvents(db, merchant, await findEvents(db, merchant, eventNos), messages);
  const byNumber = new Map(told.map((item) => [item.event.eventNo, item]));
  return deliveries.map((delivery) => ({ delivery, told: byNumber.get(delivery.eventNo)! }));
}
