// Routes of webhook endpoints and the log of what was sent to them.
import {
  createEndpoint,
  describeAttempt,
  DESCRIPTION_LENGTH,
  disable,
  enable,
  endpointNotFound,
  endpointUrl,
  EVENT_KINDS,
  EVENT_TYPES,
  findEndpoint,
  listAttempts,
  readEndpoint,
  readEndpoints,
  redeliver,
  rotateSecret,
  tryEndpoint,
  withCounts,
} from "../webhooks/index.ts";
import { digitsOrNumber, flag, list, oneOf, optional, optionalText, wholeNumber } from "../platform/http/fields.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { cutPage, listRoute, placeField } from "./list-routes.ts";

const permission = "webhooks.manage";
/** When an attempt was made, in microseconds, and its event: several may have been made at one time. */
const PLACE = /^([0-9]{1,17})-([0-9]{1,16})$/;
const NANOSECONDS_OF_MICROSECOND = 1000n;
type Place = { readonly attemptedAt: Temporal.Instant; readonly eventNo: bigint };
const params = { endpoint_id: digitsOrNumber(16) };
const EVENTS = [...EVENT_KINDS, ...EVENT_TYPES];

/** Adds what shows a merchant's endpoints and what became of its events there. */
export function registerWebhookReadRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /webhooks",
      summary: "List webhook endpoints",
      permission,
      handler: async ({ db, merchant }) => ({
        endpoints: await readEndpoints({ pool: db, merchant }, formatInstant),
        event_kinds: EVENT_KINDS,
        event_types: EVENT_TYPES,
      }),
    }),
    dashboardRoute(scope, {
      route: "GET /webhooks/:endpoint_id",
      summary: "Read a webhook endpoint",
      permission,
      params,
      handler: ({ db, merchant, params: { endpoint_id } }) =>
        readEndpoint({ pool: db, merchant }, BigInt(endpoint_id), formatInstant),
    }),
    listRoute(scope, {
      url: "/webhooks/:endpoint_id/attempts",
      summary: "List deliveries to a webhook endpoint",
      permission,
      params,
      filters: {
        event: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
        status: optional(oneOf(["taken", "not_taken"])),
      },
      paging: { after: placeField(60, PLACE) },
      rowsIn: "attempts",
      read: async ({ db, merchant, params: { endpoint_id }, query }, asked) => {
        const { bucket, merchantId } = merchant;
        const endpoint = await findEndpoint(db, { bucket, merchantId, endpointId: BigInt(endpoint_id) });
        if (!endpoint) throw endpointNotFound();
        const eventNo = query.event === null ? null : BigInt(query.event);
        const succeeded = query.status === null ? null : query.status === "taken";
        const search = { eventNo, succeeded, after: placeOf(asked.after), limit: asked.limit + 1 };
        const { rows, next } = cutPage(await listAttempts(db, endpoint, search), asked, formatPlace);
        return { rows: rows.map((attempt) => describeAttempt(attempt, merchant, formatInstant)), next };
      },
    }),
  ];
}

/** Adds what creates and changes endpoints, and what sends to them. */
export function registerWebhookRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "POST /webhooks",
      summary: "Create a webhook endpoint; the secret is shown once",
      permission,
      body: {
        url: endpointUrl(() => parts.webhookGuard.allowPrivate),
        events: optional(list(oneOf(EVENTS), EVENTS.length)),
        description: optionalText(DESCRIPTION_LENGTH),
      },
      handler: async ({ db, merchant, body }) => {
        const draft = { url: body.url, eventTypes: body.events, description: body.description ?? "" };
        const context = { pool: db, ids: parts.ids, merchant };
        const { endpoint, secret } = await createEndpoint(context, draft);
        return { endpoint: await withCounts(context, endpoint, formatInstant), secret };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /webhooks/:endpoint_id/test",
      summary: "Send a test event",
      once: "at_most_once",
      permission,
      params,
      handler: async ({ db, merchant, params: { endpoint_id } }) => {
        const attempt = await tryEndpoint({ pool: db, guard: parts.webhookGuard, merchant }, BigInt(endpoint_id));
        return { attempt: describeAttempt(attempt, merchant, formatInstant) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /webhooks/:endpoint_id/rotate-secret",
      summary: "Replace the secret of a webhook endpoint",
      permission,
      params,
      handler: async ({ db, merchant, params: { endpoint_id } }) => {
        const context = { pool: db, ids: parts.ids, merchant };
        const { secret, oldSecretEndsAt } = await rotateSecret(context, BigInt(endpoint_id));
        return { secret, old_secret_ends_at: formatInstant(oldSecretEndsAt, merchant.timeZone) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /webhooks/:endpoint_id/redeliver",
      summary: "Deliver events again",
      permission,
      params,
      body: { event: wholeNumber(1, Number.MAX_SAFE_INTEGER) },
      handler: async ({ db, merchant, params: { endpoint_id }, body }) => {
        const eventNo = BigInt(body.event);
        const range = { endpointId: BigInt(endpoint_id), from: eventNo, to: eventNo };
        return { queued: await redeliver({ pool: db, merchant }, range) };
      },
    }),
  ];
}

/** Adds what stops endpoints and lets them go on. */
export function registerWebhookStateRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "POST /webhooks/:endpoint_id/disable",
      summary: "Disable a webhook endpoint",
      permission,
      params,
      handler: async ({ db, merchant, params: { endpoint_id } }) => {
        const context = { pool: db, merchant };
        return { endpoint: await withCounts(context, await disable(context, BigInt(endpoint_id)), formatInstant) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /webhooks/:endpoint_id/enable",
      summary: "Enable a webhook endpoint",
      permission,
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
