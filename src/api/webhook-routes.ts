// Routes of webhook endpoints and their delivery logs, for a merchant and for the installation.
import {
  catalogFor,
  changeEndpoint,
  checkRedelivery,
  createEndpoint,
  describeAttempt,
  describeDelivery,
  DESCRIPTION_LENGTH,
  disable,
  enable,
  endpointUrl,
  EVENT_NAMES,
  listAttempts,
  listDeliveries,
  rangeOf,
  readEndpoint,
  readEndpoints,
  redeliver,
  requireEndpoint,
  rotateSecret,
  tryEndpoint,
  withCounts,
} from "../webhooks/index.ts";
import {
  digitsOrNumber,
  flag,
  ifSent,
  list,
  oneOf,
  optional,
  optionalText,
  wholeNumber,
} from "../platform/http/fields.ts";
import { formatInstant } from "../platform/time.ts";
import type { DashboardScope } from "./guarded-routes.ts";
import { cutPage, numberIn, pageFields, placeField, readPage } from "./list-routes.ts";
import { ownerRoutes } from "./owner-routes.ts";

/** The key of an attempt: its time in microseconds, and its event, since several may have the same time. */
const PLACE = /^([0-9]{1,17})-([0-9]{1,16})$/;
const NANOSECONDS_OF_MICROSECOND = 1000n;
type Place = { readonly attemptedAt: Temporal.Instant; readonly eventNo: bigint };
const params = { endpoint_id: digitsOrNumber(16) };
/** Event types and patterns of merchants and of the installation. The use case checks the owner's. */
const EVENTS = list(oneOf(EVENT_NAMES), EVENT_NAMES.length);
const RANGE_MEMBERS = 3;
const EVENT_NO = optional(wholeNumber(1, Number.MAX_SAFE_INTEGER));

/** Adds the routes that show endpoints and their deliveries. */
export function registerWebhookReadRoutes(scope: DashboardScope) {
  return [
    ...ownerRoutes(scope, {
      route: "GET /webhooks",
      summary: "List webhook endpoints",
      handler: async ({ db, merchant }) => {
        const { kinds, types } = catalogFor(merchant);
        return {
          endpoints: await readEndpoints({ pool: db, merchant }, formatInstant),
          event_kinds: kinds,
          event_types: types,
        };
      },
    }),
    ...ownerRoutes(scope, {
      route: "GET /webhooks/:endpoint_id",
      summary: "Read a webhook endpoint",
      params,
      handler: ({ db, merchant, params: { endpoint_id } }) =>
        readEndpoint({ pool: db, merchant }, BigInt(endpoint_id), formatInstant),
    }),
    ...ownerRoutes(scope, {
      route: "GET /webhooks/:endpoint_id/attempts",
      summary: "List attempts to deliver to a webhook endpoint",
      params,
      query: {
        event: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
        status: optional(oneOf(["taken", "not_taken"])),
        ...pageFields({ after: placeField(60, PLACE) }),
      },
      handler: ({ db, merchant, params: { endpoint_id }, query }) =>
        readPage("attempts", query, async (asked) => {
          const endpoint = await requireEndpoint({ pool: db, merchant }, BigInt(endpoint_id));
          const eventNo = query.event === null ? null : BigInt(query.event);
          const succeeded = query.status === null ? null : query.status === "taken";
          const search = { eventNo, succeeded, after: placeOf(asked.after), limit: asked.limit + 1 };
          const { rows, next } = cutPage(await listAttempts(db, endpoint, search), asked, formatPlace);
          return { rows: rows.map((attempt) => describeAttempt(attempt, merchant, formatInstant)), next };
        }),
    }),
    ...ownerRoutes(scope, {
      route: "GET /webhooks/:endpoint_id/deliveries",
      summary: "List events that a webhook endpoint still gets, or that were abandoned",
      params,
      query: { status: optional(oneOf(["Waiting", "Failed"])), ...pageFields() },
      handler: ({ db, merchant, params: { endpoint_id }, query: { status, ...page } }) =>
        readPage("deliveries", page, async (asked) => {
          const endpoint = await requireEndpoint({ pool: db, merchant }, BigInt(endpoint_id));
          const search = { status, after: numberIn(asked.after) ?? 0n, limit: asked.limit + 1 };
          const { rows, next } = cutPage(await listDeliveries(db, endpoint, search), asked, ({ eventNo }) => eventNo);
          return { rows: rows.map((delivery) => describeDelivery(delivery, merchant, formatInstant)), next };
        }),
    }),
  ];
}

/** Adds the routes that create and change endpoints, and send to them. */
export function registerWebhookRoutes(scope: DashboardScope) {
  const { parts } = scope;
  const url = endpointUrl(() => parts.webhookGuard.allowPrivate);
  return [
    ...ownerRoutes(scope, {
      route: "POST /webhooks",
      summary: "Create a webhook endpoint; the secret is shown once",
      body: { url, events: optional(EVENTS), description: optionalText(DESCRIPTION_LENGTH) },
      handler: async ({ db, merchant, body }) => {
        const draft = { url: body.url, eventTypes: body.events, description: body.description ?? "" };
        const context = { pool: db, ids: parts.ids, merchant };
        const { endpoint, secret } = await createEndpoint(context, draft);
        return { endpoint: await withCounts(context, endpoint, formatInstant), secret };
      },
    }),
    ...ownerRoutes(scope, {
      route: "PUT /webhooks/:endpoint_id",
      summary: "Change a webhook endpoint",
      params,
      body: {
        url: ifSent(url),
        events: ifSent(optional(EVENTS)),
        description: ifSent(optionalText(DESCRIPTION_LENGTH)),
      },
      handler: async ({ db, merchant, params: { endpoint_id }, body }) => {
        const context = { pool: db, merchant };
        const changes = {
          ...(body.url === undefined ? {} : { url: body.url }),
          ...(body.events === undefined ? {} : { eventTypes: body.events }),
          ...(body.description === undefined ? {} : { description: body.description ?? "" }),
        };
        const changed = await changeEndpoint(context, { endpointId: BigInt(endpoint_id), ...changes });
        return { endpoint: await withCounts(context, changed, formatInstant) };
      },
    }),
    ...ownerRoutes(scope, {
      route: "POST /webhooks/:endpoint_id/test",
      summary: "Send a test event",
      once: "at_most_once",
      params,
      handler: async ({ db, merchant, params: { endpoint_id } }) => {
        const attempt = await tryEndpoint({ pool: db, guard: parts.webhookGuard, merchant }, BigInt(endpoint_id));
        return { attempt: describeAttempt(attempt, merchant, formatInstant) };
      },
    }),
    ...ownerRoutes(scope, {
      route: "POST /webhooks/:endpoint_id/rotate-secret",
      summary: "Replace the secret of a webhook endpoint",
      params,
      handler: async ({ db, merchant, params: { endpoint_id } }) => {
        const context = { pool: db, ids: parts.ids, merchant };
        const { secret, oldSecretEndsAt } = await rotateSecret(context, BigInt(endpoint_id));
        return { secret, old_secret_ends_at: formatInstant(oldSecretEndsAt, merchant.timeZone) };
      },
    }),
    ...ownerRoutes(scope, {
      route: "POST /webhooks/:endpoint_id/redeliver",
      summary: "Deliver events again",
      params,
      body: { event: EVENT_NO, from: EVENT_NO, to: EVENT_NO },
      // Invalid members are missing here.
      betweenBody: (range, refuse) => Object.keys(range).length === RANGE_MEMBERS && checkRedelivery(range, refuse),
      handler: async ({ db, merchant, params: { endpoint_id }, body }) => {
        const range = { endpointId: BigInt(endpoint_id), ...rangeOf(body) };
        return { queued: await redeliver({ pool: db, merchant }, range) };
      },
    }),
  ];
}

/** Adds the routes that pause and resume endpoints. */
export function registerWebhookStateRoutes(scope: DashboardScope) {
  return [
    ...ownerRoutes(scope, {
      route: "POST /webhooks/:endpoint_id/disable",
      summary: "Disable a webhook endpoint",
      params,
      handler: async ({ db, merchant, params: { endpoint_id } }) => {
        const context = { pool: db, merchant };
        return { endpoint: await withCounts(context, await disable(context, BigInt(endpoint_id)), formatInstant) };
      },
    }),
    ...ownerRoutes(scope, {
      route: "POST /webhooks/:endpoint_id/enable",
      summary: "Enable a webhook endpoint",
      params,
      body: { skip_missed: optional(flag()) },
      handler: async ({ db, merchant, params: { endpoint_id }, body }) => {
        const context = { pool: db, merchant };
        const change = { endpointId: BigInt(endpoint_id), skipsMissed: body.skip_missed ?? false };
        return { endpoint: await withCounts(context, await enable(context, change), formatInstant) };
      },
    }),
  ];
}

function formatPlace({ attemptedAt, eventNo }: Place): string {
  return `${attemptedAt.epochNanoseconds / NANOSECONDS_OF_MICROSECOND}-${eventNo}`;
}

function placeOf(after: string | null): Place | null {
  const [, at, eventNo] = PLACE.exec(after ?? "") ?? [];
  if (at === undefined) return null;
  const attemptedAt = Temporal.Instant.fromEpochNanoseconds(BigInt(at) * NANOSECONDS_OF_MICROSECOND);
  return { attemptedAt, eventNo: BigInt(eventNo!) };
}
