// Endpoints in the API and on the command line: their fields, and the form of endpoints and attempts in answers.
import { fail, readOnlyField, requiredField, type Field, type FieldErrorCode } from "../platform/http/field.ts";
import { areCharactersFit } from "../platform/http/fields.ts";
import { formatTimestamp, type WriteInstant } from "../platform/time.ts";
import { problemOf } from "./address.ts";
import type { Attempt } from "./attempt-store.ts";
import type { Delivery } from "./delivery-store.ts";
import { INSTALLATION_EVENTS, MERCHANT_EVENTS, type Endpoint, type EndpointOwner } from "./endpoint.ts";

export const DESCRIPTION_LENGTH = 200;

/** The URL of an endpoint. Whether it may be on a private network is the configuration's choice. */
export function endpointUrl(allowsPrivate: () => boolean): Field<string> {
  const hint = "the URL that events are sent to, such as https://example.com/webhooks";
  return requiredField({ type: "string" }, hint, (value, path, errors) => {
    const url = String(value).trim();
    // The URL parser drops or rewrites invalid characters, so the text itself is checked and kept.
    if (!areCharactersFit(url, path, errors, {})) return "";
    const problem = problemOf(url, allowsPrivate());
    if (problem !== null) fail(errors, path, "invalid", problem);
    return url;
  });
}

/** Every type and kind of events. The use case checks which of them an owner has. */
export const EVENT_NAMES = [MERCHANT_EVENTS, INSTALLATION_EVENTS].flatMap(({ types, kinds }) => [...kinds, ...types]);

/** Types of events and kinds of them, separated by commas. The use case checks whether their owner has such events. */
export function eventTypes(): Field<string[]> {
  const hint = "types of events, and kinds such as transfer.*, separated by commas";
  return readOnlyField({ type: "string" }, hint, (value, path, errors) => {
    const given = String(value)
      .split(",")
      .map((type) => type.trim());
    const unknown = given.find((type) => !EVENT_NAMES.includes(type));
    if (unknown !== undefined) {
      const where = "docs/webhooks.md and `nodal webhook create --help` list them";
      fail(errors, path, "not_allowed", `must be ${hint}; ${JSON.stringify(unknown)} is not one: ${where}.`);
    }
    return [...new Set(given)];
  });
}

/** An endpoint's current state. Only `create` and `rotate-secret` show its secret. */
export function describeEndpoint(
  endpoint: Endpoint,
  { timeZone }: EndpointOwner,
  write: WriteInstant = formatTimestamp,
) {
  return {
    endpoint_id: String(endpoint.endpointId),
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.eventTypes?.join(",") ?? "all",
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    settled_up_to: String(endpoint.cursorEventNo),
    failing_since: write(endpoint.failingSince, timeZone),
    next_attempt_at: endpoint.headTries > 0 ? write(endpoint.nextAttemptAt, timeZone) : null,
    created_at: write(endpoint.createdAt, timeZone),
  };
}

/** The most events that one request can send again. */
export const REDELIVERY_MAX_EVENTS = 10_000;

/** The events to send again: one, or a range by its first and last number. */
export type RedeliveryRange = Readonly<Partial<Record<"event" | "from" | "to", number | null>>>;

type RangeMember = keyof RedeliveryRange;

/**
 * Reports the errors of a range by `refuse`: one event or both ends are required, and a range has a limit. `nameOf` returns the caller's name for a
 * member.
 */
export function checkRedelivery(
  { event = null, from = null, to = null }: RedeliveryRange,
  refuse: (name: RangeMember, code: FieldErrorCode, problem: string) => void,
  nameOf = (member: RangeMember): string => member,
): void {
  const [one, first, last] = [nameOf("event"), nameOf("from"), nameOf("to")];
  if (event !== null) {
    if (from === null && to === null) return;
    return refuse("event", "not_allowed", `can't be combined with ${first} and ${last}: give one event, or a range.`);
  }
  if (from === null || to === null) return refuse("event", "required", `Give ${one}, or ${first} and ${last}.`);
  if (to < from) return refuse("to", "invalid", `must not be before ${first}.`);
  if (to - from < REDELIVERY_MAX_EVENTS) return;
  refuse("to", "invalid", `must be at most ${REDELIVERY_MAX_EVENTS} events from ${first}: use several requests.`);
}

/** A range that was checked, by its ends: one event is a range of one. */
export function rangeOf({ event, from, to }: RedeliveryRange): { readonly from: bigint; readonly to: bigint } {
  return { from: BigInt(event ?? from!), to: BigInt(event ?? to!) };
}

/** An event that was set aside, or requested again. */
export function describeDelivery(
  delivery: Delivery,
  { timeZone }: EndpointOwner,
  write: WriteInstant = formatTimestamp,
) {
  const { eventNo, status, tries, firstAttemptAt, nextAttemptAt } = delivery;
  return {
    seq: String(eventNo),
    status,
    tries,
    first_attempt_at: write(firstAttemptAt, timeZone),
    next_attempt_at: status === "Waiting" ? write(nextAttemptAt, timeZone) : null,
  };
}

/** An attempt in the log. */
export function describeAttempt(attempt: Attempt, { timeZone }: EndpointOwner, write: WriteInstant = formatTimestamp) {
  return {
    attempted_at: write(attempt.attemptedAt, timeZone),
    seq: attempt.eventNo === 0n ? "test" : String(attempt.eventNo),
    type: attempt.eventType,
    succeeded: attempt.succeeded,
    http_status: attempt.httpStatus,
    duration_ms: attempt.durationMs,
    error: attempt.error,
    answer: attempt.answer,
  };
}
