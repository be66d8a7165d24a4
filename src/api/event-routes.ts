// Routes of events, as sent by webhooks, to read by number. For a merchant, and for the installation.
import { optional, requiredText } from "../platform/http/fields.ts";
import { describeEvent, eventNoOf, eventTypes, readEvent, readEvents } from "../webhooks/index.ts";
import type { DashboardScope } from "./guarded-routes.ts";
import { numberIn, pageFields, readPage } from "./list-routes.ts";
import { ownerRoutes, type OwnerCall } from "./owner-routes.ts";
import { showTo } from "./shown.ts";

const ID_LENGTH = 40;

/** Adds the list of events, and one event. */
export function registerEventRoutes(scope: DashboardScope) {
  const contextOf = ({ db, merchant, caller }: OwnerCall) => ({
    pool: db,
    owner: merchant,
    messages: { links: scope.parts.links },
    show: showTo(caller),
  });
  return [
    ...ownerRoutes(scope, {
      route: "GET /events",
      summary: "List events",
      query: { type: optional(eventTypes()), ...pageFields() },
      handler: (call) =>
        readPage("events", call.query, async ({ after, limit }) => {
          const search = { after: numberIn(after) ?? 0n, types: call.query.type, limit };
          const { events, next } = await readEvents(contextOf(call), search);
          return {
            rows: events.map((event) => describeEvent(call.merchant, event)),
            next: next === null ? null : String(next),
          };
        }),
    }),
    ...ownerRoutes(scope, {
      route: "GET /events/:event_id",
      summary: "Read an event",
      params: { event_id: requiredText(ID_LENGTH) },
      handler: async (call) => {
        const event = await readEvent(contextOf(call), eventNoOf(call.merchant, call.params.event_id));
        return describeEvent(call.merchant, event);
      },
    }),
  ];
}
