// Webhook endpoints: where events of a merchant or the installation are sent, which of them, and when failures are retried.
import { auditChange, auditValues, type NewEvent } from "../ledger/index.ts";
import { MERCHANT_NOTICES, OPERATORS, type Merchant, type MerchantKey } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";

/** The owner of an endpoint: a merchant, or the installation, which has the key of operators. */
export type EndpointOwner = MerchantKey & Pick<Merchant, "timeZone">;

/** The owner of the installation's endpoints. The installation has no time zone of its own. */
export const INSTALLATION_OWNER: EndpointOwner = { ...OPERATORS, timeZone: "UTC" };

/** The owner of events: a merchant, or the installation. */
export type EventOwner = Merchant | typeof INSTALLATION_OWNER;

export type EndpointKey = MerchantKey & { readonly endpointId: bigint };

/** The number of test events. A merchant's events start with 1. */
export const TEST_EVENT_NO = 0n;

export const ENDPOINT_STATUSES = ["Enabled", "Disabled"] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

export type Endpoint = EndpointKey & {
  readonly url: string;
  readonly description: string;
  /** Types such as `invoice.paid`, and all of a kind such as `transfer.*`; `null` for every event. */
  readonly eventTypes: readonly string[] | null;
  readonly status: EndpointStatus;
  /** Why Nodal disabled it by itself; empty otherwise. */
  readonly disabledReason: string;
  readonly createdAt: Temporal.Instant;
  readonly startEventNo: bigint;
  /** The merchant's events up to this one are settled for this endpoint. */
  readonly cursorEventNo: bigint;
  /** The failed attempts for the first event after the cursor. */
  readonly headTries: number;
  readonly headFirstAt: Temporal.Instant | null;
  readonly failingSince: Temporal.Instant | null;
  readonly nextAttemptAt: Temporal.Instant;
  readonly deliveryDueAt: Temporal.Instant | null;
};

const OUTCOMES = ["awaiting_approval", "accepted", "success", "failed", "rejected", "reversed"];

/** The types of events by kind. docs/webhooks.md says what each means. */
const TYPES_OF_KINDS: Readonly<Record<string, readonly string[]>> = {
  transfer: OUTCOMES,
  withdrawal: OUTCOMES,
  commission: [...OUTCOMES, "accrued", "accrual_reversed", "payment_recorded", "payment_reversed"],
  balance: ["funded"],
  beneficiary: ["created", "approved", "rejected", "changed", "deactivated", "checked", "name_accepted"],
  payout_batch: ["requested", "finished", "cancelled", "rejected"],
  scheduled_payout: ["requested", "cancelled", "failed"],
  approval: ["requested", "approved", "rejected", "expired", "withdrawn"],
  invoice: ["created", "updated", "sent", "partially_paid", "paid", "reopened", "cancelled", "carried_forward"],
  settlement: ["recorded", "reversed"],
  credit_note: ["issued", "cancelled"],
  debit_note: ["issued", "cancelled"],
  receipt: ["recorded", "reversed"],
  receipt_refund: ["recorded"],
  subscription: ["created", "paused", "resumed", "cancelled", "completed", "billed", "parked"],
};

/** The types of events of the installation, about its merchants. */
const INSTALLATION_TYPES_OF_KINDS: Readonly<Record<string, readonly string[]>> = {
  merchant: MERCHANT_NOTICES,
};

/** The types of events that an endpoint can select, and kinds of them such as `transfer.*`. */
export type EventCatalog = { readonly types: readonly string[]; readonly kinds: readonly string[] };

function catalogOf(typesOfKinds: Readonly<Record<string, readonly string[]>>): EventCatalog {
  const kinds = Object.entries(typesOfKinds);
  return {
    types: kinds.flatMap(([kind, types]) => types.map((type) => `${kind}.${type}`)),
    kinds: kinds.map(([kind]) => `${kind}.*`),
  };
}

/** A merchant's events. The journal's other entries are for the audit log only. */
export const MERCHANT_EVENTS = catalogOf(TYPES_OF_KINDS);
/** The installation's. */
export const INSTALLATION_EVENTS = catalogOf(INSTALLATION_TYPES_OF_KINDS);

const TYPES_SENT = new Map([MERCHANT_EVENTS, INSTALLATION_EVENTS].map((catalog) => [catalog, new Set(catalog.types)]));

/** The events of an owner of endpoints: a merchant, or the installation. */
export function catalogFor({ merchantId }: Pick<MerchantKey, "merchantId">): EventCatalog {
  return merchantId === OPERATORS.merchantId ? INSTALLATION_EVENTS : MERCHANT_EVENTS;
}

/** Whether these types and kinds include a type. */
export function includesType(named: readonly string[], type: string): boolean {
  return named.some((each) => each === type || (each.endsWith(".*") && type.startsWith(each.slice(0, -1))));
}

/** Whether an endpoint receives events of a type. */
export function takesType(endpoint: Pick<Endpoint, "merchantId" | "eventTypes">, type: string): boolean {
  if (!TYPES_SENT.get(catalogFor(endpoint))!.has(type)) return false;
  return endpoint.eventTypes === null || includesType(endpoint.eventTypes, type);
}

/** The retries after failures. Pauses start at the failure and are jittered. */
export type Backoff = {
  /** The pauses while an event holds up those after it. If it still fails after all of them, it is set aside. */
  readonly holdMs: readonly number[];
  /** The pauses after that; the last one again and again. */
  readonly laterMs: readonly number[];
  /** How long after its first attempt an event is abandoned. */
  readonly giveUpAfterMs: number;
};

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** An event holds up others for less than 8 minutes, and is tried for 3 days. */
export const BACKOFF: Backoff = {
  holdMs: [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS],
  laterMs: [15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS],
  giveUpAfterMs: 72 * HOUR_MS,
};
/** Pauses vary by up to a tenth, so that many endpoints of one receiver are not retried at the same time. */
const JITTER = 0.1;

/** Whether an event that was tried this often holds up those after it. */
export function holdsUp({ holdMs }: Backoff, tries: number): boolean {
  return tries <= holdMs.length;
}

/**
 * The pause after this many failed attempts, in ms. The receiver's Retry-After can make it longer, up to the longest pause of its stage.
 */
export function pauseAfter(backoff: Backoff, tries: number, retryAfterMs: number | null): number {
  const stage = holdsUp(backoff, tries) ? backoff.holdMs : backoff.laterMs;
  const place = tries - 1 - (stage === backoff.holdMs ? 0 : backoff.holdMs.length);
  const own = stage[Math.min(place, stage.length - 1)]!;
  const asked = Math.min(retryAfterMs ?? 0, Math.max(...stage));
  return Math.max(asked, Math.round(own * (1 + JITTER * (2 * Math.random() - 1))));
}

/** The audit log entry of a new or changed endpoint. */
export function endpointEvent(type: string, before: Endpoint | null, after: Endpoint): NewEvent {
  const subjectId = after.endpointId;
  const now = settingsOf(after);
  return before
    ? { type, subjectId, ...auditChange(settingsOf(before), now) }
    : { type, subjectId, after: auditValues(now) };
}

/** The settings of an endpoint. */
function settingsOf({ url, description, eventTypes, status, disabledReason }: Endpoint) {
  return { url, description, eventTypes, status, disabledReason };
}

/** The refusal for an endpoint that its owner does not have. */
export function endpointNotFound(): NodalError {
  return new NodalError("not_found", "This webhook endpoint does not exist: check the list of endpoints.");
}
