// Endpoints on the wire and on the command line: the URL that may be sent to, and how endpoints and attempts are shown.
import type { Merchant } from "../merchants/index.ts";
import { fail, readOnlyField, requiredField, type Field } from "../platform/http/field.ts";
import { areCharactersFit } from "../platform/http/fields.ts";
import { formatTimestamp, type WriteInstant } from "../platform/time.ts";
import { problemOf } from "./address.ts";
import type { Attempt } from "./attempt-store.ts";
import { EVENT_KINDS, EVENT_TYPES, type Endpoint } from "./endpoint.ts";

export const DESCRIPTION_LENGTH = 200;

/** The URL of an endpoint. Whether it may be on a private network is the configuration's choice. */
export function endpointUrl(allowsPrivate: () => boolean): Field<string> {
  const hint = "the URL that events are sent to, such as https://example.com/webhooks";
  return requiredField({ type: "string" }, hint, (value, path, errors) => {
    const url = String(value).trim();
    // The parser leaves out or writes differently what a URL may not hold; here the text itself is kept.
    if (!areCharactersFit(url, path, errors, {})) return "";
    const problem = problemOf(url, allowsPrivate());
    if (problem !== null) fail(errors, path, "invalid", problem);
    return url;
  });
}

/** Types of events and kinds of them, separated by commas. */
export function eventTypes(): Field<string[]> {
  const hint = "types of events, and kinds such as transfer.*, separated by commas";
  return readOnlyField({ type: "string" }, hint, (value, path, errors) => {
    const given = String(value)
      .split(",")
      .map((type) => type.trim());
    const unknown = given.find((type) => !EVENT_TYPES.includes(type) && !EVENT_KINDS.includes(type));
    if (unknown !== undefined) {
      const where = "docs/webhooks.md and `nodal webhook create --help` list them";
      fail(errors, path, "not_allowed", `must be ${hint}; ${JSON.stringify(unknown)} is not one: ${where}.`);
    }
    return [...new Set(given)];
  });
}

/** An endpoint as it stands. Its secret is shown by `create` and `rotate-secret` only. */
export function describeEndpoint(endpoint: Endpoint, { timeZone }: Merchant, write: WriteInstant = formatTimestamp) {
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

/** An attempt as the log has it. */
export function describeAttempt(attempt: Attempt, { timeZone }: Merchant, write: WriteInstant = formatTimestamp) {
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
