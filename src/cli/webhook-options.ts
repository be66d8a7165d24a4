// What the commands about webhooks share: their options, and how endpoints and attempts are printed.
import { readConfig } from "../platform/config.ts";
import { fail, requiredField } from "../platform/http/field.ts";
import { optional, optionalText, text, wholeNumber, type Field } from "../platform/http/fields.ts";
import {
  DESCRIPTION_LENGTH,
  endpointUrl,
  EVENT_KINDS,
  EVENT_TYPES,
  REDELIVERY_MAX_EVENTS,
  takesType,
} from "../webhooks/index.ts";
import { merchantId, optionsOf, type GivenOptions } from "./options.ts";

const ATTEMPTS_MAXIMUM = 1000;

/** Types of events and kinds of them, separated by commas. */
function eventTypes(): Field<string[]> {
  const hint = "types of events, and kinds such as transfer.*, separated by commas";
  return requiredField({ type: "string" }, hint, (value, path, errors) => {
    const given = String(value)
      .split(",")
      .map((type) => type.trim());
    const unknown = given.find((type) => !EVENT_TYPES.includes(type) && !EVENT_KINDS.includes(type));
    if (unknown !== undefined) {
      const where = "docs/webhooks.md and `nodal webhook create --help` list them";
      fail(errors, path, "not_allowed", `must be ${hint}; ${JSON.stringify(unknown)} is none: ${where}.`);
    }
    return [...new Set(given)];
  });
}

const eventNo = (): Field<number> => wholeNumber(1, Number.MAX_SAFE_INTEGER);
const ENDPOINT_ID = text({
  hint: "an endpoint's id, which `nodal webhook list` shows",
  maxLength: 16,
  pattern: /^[0-9]+$/,
});
const KEY_FIELDS = { merchant: merchantId(), endpoint: ENDPOINT_ID };

/** Every kind of event with its types, a line each, for the help. */
export function describeEventTypes(): string {
  const lines = EVENT_KINDS.map((kind) => {
    return `  ${kind}: ${EVENT_TYPES.filter((type) => takesType({ eventTypes: [kind] }, type)).join(", ")}`;
  });
  return ["Kinds of events, and their types (docs/webhooks.md says what they mean):", ...lines].join("\n");
}

/** The options that name an endpoint. */
export const readKey = optionsOf(KEY_FIELDS);

export const readCreateOptions = optionsOf({
  merchant: merchantId(),
  url: endpointUrl(() => readConfig(process.env).WEBHOOK_ALLOW_PRIVATE === "on"),
  events: optional(eventTypes()),
  description: optionalText(DESCRIPTION_LENGTH),
});

const readEnableKey = optionsOf(KEY_FIELDS);

export function readEnableOptions(given: GivenOptions) {
  return { ...readEnableKey(given), skipMissed: given["skipMissed"] === true };
}

export const readAttemptsOptions = optionsOf({
  ...KEY_FIELDS,
  event: optional(eventNo()),
  limit: optional(wholeNumber(1, ATTEMPTS_MAXIMUM)),
});

const readRange = optionsOf(
  { ...KEY_FIELDS, event: optional(eventNo()), from: optional(eventNo()), to: optional(eventNo()) },
  ({ event, from, to }, errors) => {
    if (event !== undefined && (from !== undefined || to !== undefined)) {
      fail(errors, "--event", "not_allowed", "must not be given with --from and --to: name one event, or a range.");
    }
    if (event === undefined && (from === undefined || to === undefined)) {
      const message = "Say which events to send again: --event, or --from and --to.";
      errors.push({ field: "--event", code: "required", message });
    }
  },
);

/** The range of `redeliver`: one event is a range of one. */
export function readRedeliverOptions(given: GivenOptions) {
  const { event, from, to, ...key } = readRange(given);
  const range = { from: BigInt(event ?? from ?? 0), to: BigInt(event ?? to ?? 0) };
  checkRange(range);
  return { ...key, ...range };
}

function checkRange({ from, to }: { readonly from: bigint; readonly to: bigint }): void {
  optionsOf({}, (_given, errors) => {
    if (to < from) fail(errors, "--to", "invalid", "must not be before --from.");
    if (to - from >= BigInt(REDELIVERY_MAX_EVENTS)) {
      fail(
        errors,
        "--to",
        "invalid",
        `must be at most ${REDELIVERY_MAX_EVENTS} events from --from: use several calls.`,
      );
    }
  })({});
}
