// Routes of webhook endpoints and the log of what was sent to them.
// What belongs here: wire shapes, no logic.
import {
  countDeliveries,
  createEndpoint,
  describeAttempt,
  describeEndpoint,
  DESCRIPTION_LENGTH,
  disable,
  enable,
  endpointNotFound,
  endpointUrl,
  EVENT_KINDS,
  EVENT_TYPES,
  findEndpoint,
  listAttempts,
  listDeliveries,
  listEndpoints,
  redeliver,
  rotateSecret,
  tryEndpoint,
  type Endpoint,
  type EndpointKey,
} from "../webhooks/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import {
  digitsOrNumber,
  flag,
  list,
  oneOf,
  optional,
  optionalText,
  text,
  wholeNumber,
} from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";

const permission = "webhooks.manage";
const DELIVERIES_SHOWN = 100;
/** When an attempt was made, in microseconds, and its event: several may have been made at one time. */
const PLACE = /^([0-9]{1,17})-([0-9]{1,16})$/;
const NANOSECONDS_OF_MICROSECOND = 1000n;
type Place = { readonly attemptedAt: Temporal.Instant; readonly eventNo: bigint };
const params = { endpoint_id: digitsOrNumber(16) };
const EVENTS = [...EVENT_KINDS, ...EVENT_TYPES];

/** Adds what shows a merchant's endpoints and what became of its events there. */
export function registerWebhookReadRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/webhooks",
    permission,
    handler: async ({ db, merchant }) => {
      const endpoints = [];
      for (const endpoint of await listEndpoints(db, merchant))
        endpoints.push(await withCounts(db, endpoint, merchant));
      return { endpoints, event_kinds: EVENT_KINDS, event_types: EVENT_TYPES };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/webhooks/:endpoint_id",
    permission,
    params,
    handler: async ({ db, merchant, params: { endpoint_id } }) => {
      const endpoint = await findEndpoint(db, keyOf(merchant, endpoint_id));
      if (!endpoint) throw endpointNotFound();
      const time = (at: Temporal.Instant | null) => at && formatTimestamp(at, merchant.timeZone);
      const deliveries = [];
      for (const status of ["Failed", "Waiting"] as const) {
        for (const delivery of await listDeliveries(db, endpoint, status, DELIVERIES_SHOWN)) {
          deliveries.push({
            seq: String(delivery.eventNo),
            status,
            tries: delivery.tries,
            first_attempt_at: time(delivery.firstAttemptAt),
            next_attempt_at: status === "Waiting" ? time(delivery.nextAttemptAt) : null,
          });
        }
      }
      return { endpoint: await withCounts(db, endpoint, merchant), deliveries };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/webhooks/:endpoint_id/attempts",
    permission,
    params,
    query: {
      event: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      status: optional(oneOf(["taken", "not_taken"])),
      after: optional(text({ hint: "what next was in the last answer", maxLength: 60, pattern: PLACE })),
      limit: pageLimit(),
    },
    handler: async ({ db, merchant, params: { endpoint_id }, query }) => {
      const endpoint = await findEndpoint(db, keyOf(merchant, endpoint_id));
      if (!endpoint) throw endpointNotFound();
      const eventNo = query.event === null ? null : BigInt(query.event);
      const limit = limitOf(query);
      const succeeded = query.status === null ? null : query.status === "taken";
      const found = await listAttempts(db, endpoint, { eventNo, succeeded, after: placeOf(query.after), limit });
      return {
        attempts: found.map((attempt) => describeAttempt(attempt, merchant)),
        next: found.length === limit ? formatPlace(found.at(-1)!) : null,
      };
    },
  });
}

/** Adds what creates and changes endpoints, and what sends to them. */
export function registerWebhookRoutes(scope: DashboardScope): void {
  const { parts } = scope;
  dashboardRoute(scope, {
    method: "POST",
    url: "/webhooks",
    permission,
    body: {
      url: endpointUrl(() => parts.webhookGuard.allowPrivate),
      events: optional(list(oneOf(EVENTS), EVENTS.length)),
      description: optionalText(DESCRIPTION_LENGTH),
    },
    handler: async ({ db, merchant, body }) => {
      const draft = { url: body.url, eventTypes: body.events, description: body.description ?? "" };
      const { endpoint, secret } = await createEndpoint(db, parts.ids, merchant, draft);
      return { endpoint: await withCounts(db, endpoint, merchant), secret };
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/webhooks/:endpoint_id/test",
    permission,
    params,
    handler: async ({ db, merchant, params: { endpoint_id } }) => ({
      attempt: describeAttempt(await tryEndpoint(db, parts.webhookGuard, merchant, BigInt(endpoint_id)), merchant),
    }),
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/webhooks/:endpoint_id/rotate-secret",
    permission,
    params,
    handler: async ({ db, merchant, params: { endpoint_id } }) => {
      const { secret, oldSecretEndsAt } = await rotateSecret(db, parts.ids, keyOf(merchant, endpoint_id));
      return { secret, old_secret_ends_at: formatTimestamp(oldSecretEndsAt, merchant.timeZone) };
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/webhooks/:endpoint_id/redeliver",
    permission,
    params,
    body: { event: wholeNumber(1, Number.MAX_SAFE_INTEGER) },
    handler: async ({ db, merchant, params: { endpoint_id }, body }) => {
      const eventNo = BigInt(body.event);
      return { queued: await redeliver(db, keyOf(merchant, endpoint_id), eventNo, eventNo) };
    },
  });
}

/** Adds what stops endpoints and lets them go on. */
export function registerWebhookStateRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "POST",
    url: "/webhooks/:endpoint_id/disable",
    permission,
    params,
    handler: async ({ db, merchant, params: { endpoint_id } }) => ({
      endpoint: await withCounts(db, await disable(db, keyOf(merchant, endpoint_id)), merchant),
    }),
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/webhooks/:endpoint_id/enable",
    permission,
    params,
    body: { skip_missed: optional(flag()) },
    handler: async ({ db, merchant, params: { endpoint_id }, body }) => ({
      endpoint: await withCounts(
        db,
        await enable(db, keyOf(merchant, endpoint_id), body.skip_missed ?? false),
        merchant,
      ),
    }),
  });
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

function keyOf({ bucket, merchantId }: Merchant, endpointId: string): EndpointKey {
  return { bucket, merchantId, endpointId: BigInt(endpointId) };
}

async function withCounts(db: Queryable, endpoint: Endpoint, merchant: Merchant) {
  const { behind, waiting, failed } = await countDeliveries(db, endpoint);
  return {
    ...describeEndpoint(endpoint, merchant),
    behind: Number(behind),
    waiting: Number(waiting),
    failed: Number(failed),
  };
}
