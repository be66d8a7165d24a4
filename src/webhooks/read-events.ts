// Use cases: the events of a merchant or the installation, with the bodies that webhooks have.
import { findEvents, listEvents, readLastEntryNo } from "../ledger/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import type { JsonObject } from "../platform/json.ts";
import { catalogFor, includesType, type EventOwner } from "./endpoint.ts";
import { composeEvents, messageId, type MessageParts, type OutgoingEvent } from "./event-message.ts";

/** How many journal entries one statement searches for the requested types. */
const STEP = 20_000n;
/** The most statements for one page. */
const STEPS_AT_ONCE = 10;

export type EventContext = {
  readonly pool: Queryable;
  readonly owner: EventOwner;
  readonly messages: MessageParts;
  /** Formats account numbers and handles. */
  readonly show: (text: string) => string;
};

export type EventSearch = {
  /** The page starts after this event number; 0 for the first page. */
  readonly after: bigint;
  /** Types and kinds such as `transfer.*`; `null` for all events. */
  readonly types: readonly string[] | null;
  readonly limit: number;
};

/** A page of events in order. `next` is `after` for the next page; `null` at the end. */
export type EventPage = { readonly events: readonly OutgoingEvent[]; readonly next: bigint | null };

/**
 * The events after a number, in order, as webhooks send them. One page searches at most 200,000 journal entries, so it may be short or
 * empty and still have a next one.
 */
export async function readEvents(context: EventContext, { after, types, limit }: EventSearch): Promise<EventPage> {
  const { pool, owner } = context;
  const sent = catalogFor(owner).types.filter((type) => types === null || includesType(types, type));
  const last = await readLastEntryNo(pool, owner);
  const found = [];
  let seen = after;
  for (let step = 0; step < STEPS_AT_ONCE && seen < last && found.length <= limit; step += 1) {
    const upTo = seen + STEP;
    // One more than fits the page shows whether there is another page.
    found.push(...(await listEvents(pool, owner, { after: seen, upTo, limit: limit + 1 - found.length, types: sent })));
    seen = upTo;
  }
  const events = await shown(context, found.slice(0, limit));
  if (found.length > limit) return { events, next: found[limit - 1]!.eventNo };
  return { events, next: seen < last ? seen : null };
}

/**
 * One event by its number, as webhooks send it.
 * @throws NodalError `not_found` if the owner has no such event
 */
export async function readEvent(context: EventContext, eventNo: bigint): Promise<OutgoingEvent> {
  const { types } = catalogFor(context.owner);
  const found = await findEvents(context.pool, context.owner, [eventNo]);
  const [event] = await shown(
    context,
    found.filter(({ type }) => types.includes(type)),
  );
  if (event) return event;
  throw eventNotFound();
}

async function shown({ pool, owner, messages, show }: EventContext, events: Parameters<typeof composeEvents>[2]) {
  const outgoing = await composeEvents(pool, owner, events, messages);
  return outgoing.map(({ event, message }) => ({
    event,
    message: { ...message, data: showMembers(message.data, show) },
  }));
}

/** The members of events' objects that hold account numbers and handles. */
const MASKED_MEMBERS = new Set(["bank_account_no", "bankAccount", "upi"]);

/** An event's object as it is shown. */
function showMembers(data: object, show: EventContext["show"]): object {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      return [name, MASKED_MEMBERS.has(name) && typeof value === "string" ? show(value) : (value as unknown)];
    }),
  );
}

/** An event as the API lists it: its id, which is the `webhook-id` of its deliveries, and the body that webhooks send. */
export function describeEvent(owner: EventOwner, { event, message }: OutgoingEvent) {
  return { id: messageId(owner, event.eventNo), ...message, data: message.data as JsonObject };
}

/**
 * The number in an event's id: `evt_1000001_42`, or its sequence alone.
 * @throws NodalError `not_found` for anything else, and for an id of another owner
 */
export function eventNoOf({ merchantId }: EventOwner, id: string): bigint {
  const [, owner, eventNo] = /^(?:evt_([0-9]{1,16})_)?([0-9]{1,16})$/.exec(id) ?? [];
  if (eventNo === undefined || (owner !== undefined && BigInt(owner) !== merchantId)) throw eventNotFound();
  return BigInt(eventNo);
}

function eventNotFound(): NodalError {
  return new NodalError("not_found", "This event does not exist: check the list of events.");
}
