// `nodal webhook`: where a merchant's events are sent to.
import { isServerRunning } from "../database.ts";
import { fail } from "../platform/http/field.ts";
import { optional, optionalText, wholeNumber } from "../platform/http/fields.ts";
import { readSettings } from "../platform/settings-file.ts";
import { formatTimestamp } from "../platform/time.ts";
import {
  askForTest,
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
  eventTypes,
  findEndpoint,
  listAttempts,
  readEndpoint,
  readEndpoints,
  redeliver,
  REDELIVERY_MAX_EVENTS,
  rotateSecret,
  takesType,
} from "../webhooks/index.ts";
import { flag, group, id, merchantCommand, option } from "./command.ts";
import { formatRecord, formatTable, listAnswer, paragraphs, recordAnswer } from "./output.ts";
import { listenCommand } from "./webhook-listen.ts";

const ATTEMPTS_DEFAULT = 100;
const ATTEMPTS_MAXIMUM = 1000;
const ATTEMPTS_SHOWN = 10;
const KEPT_ONLY_NOW = "Save the secret: it is shown only once.";
const LIST_COLUMNS = [
  "endpoint_id",
  "url",
  "events",
  "status",
  "behind",
  "waiting",
  "failed",
  "failing_since",
] as const;
const EXAMPLE = "--endpoint 1000310";
const ENDPOINT = id("an endpoint's id, which `nodal webhook list` shows");
const EVENT_NO = optional(wholeNumber(1, Number.MAX_SAFE_INTEGER));

/** Every kind of event with its types, a line each, for the help. */
export function describeEventTypes(): string {
  const lines = EVENT_KINDS.map((kind) => {
    return `  ${kind}: ${EVENT_TYPES.filter((type) => takesType({ eventTypes: [kind] }, type)).join(", ")}`;
  });
  return ["Event types (explained in docs/webhooks.md):", ...lines].join("\n");
}

export const createCommand = merchantCommand({
  description: "send events to a URL from now on; the signing secret is shown only once",
  example: "--url https://example.com/hooks --events 'transfer.*'",
  notes: describeEventTypes,
  options: {
    url: option(
      "<url>",
      "public https:// URL; any URL if WEBHOOK_ALLOW_PRIVATE is on",
      endpointUrl(() => readSettings(process.env).WEBHOOK_ALLOW_PRIVATE === "on"),
    ),
    events: option("<types>", "event types, such as transfer.*,invoice.paid; default: all", optional(eventTypes())),
    description: option("<text>", "a note", optionalText(DESCRIPTION_LENGTH)),
  },
  async run(scope, { url, events, description }) {
    const draft = { url, eventTypes: events, description: description ?? "" };
    const { endpoint, secret } = await createEndpoint(scope, draft);
    return recordAnswer({ ...describeEndpoint(endpoint, scope.merchant), secret }, KEPT_ONLY_NOW);
  },
});

const test = merchantCommand({
  description: "send a test event from the running server and show the response; exit 1 if it failed",
  example: EXAMPLE,
  options: { endpoint: ENDPOINT },
  async run({ pool, ownerPool, merchant }, { endpoint }) {
    const context = { pool, merchant, isServerRunning: () => isServerRunning(ownerPool) };
    const attempt = await askForTest(context, endpoint);
    return { ...recordAnswer(describeAttempt(attempt, merchant)), exitCode: attempt.succeeded ? 0 : 1 };
  },
});

const disableCommand = merchantCommand({
  description: "stop sending; events wait until it is enabled again",
  example: EXAMPLE,
  options: { endpoint: ENDPOINT },
  run: async (scope, { endpoint }) => recordAnswer(describeEndpoint(await disable(scope, endpoint), scope.merchant)),
});

export const enableCommand = merchantCommand({
  description: "resume sending, and retry waiting events at once",
  example: EXAMPLE,
  options: { endpoint: ENDPOINT, skipMissed: flag("skip the events missed so far") },
  async run(scope, { endpoint: endpointId, skipMissed }) {
    const enabled = await enable(scope, { endpointId, skipsMissed: skipMissed ?? false });
    return recordAnswer(describeEndpoint(enabled, scope.merchant));
  },
});

const rotate = merchantCommand({
  description: "create a new secret; the old one also signs for 24 hours",
  example: EXAMPLE,
  options: { endpoint: ENDPOINT },
  async run(scope, { endpoint }) {
    const { secret, oldSecretEndsAt } = await rotateSecret(scope, endpoint);
    return recordAnswer(
      {
        endpoint_id: String(endpoint),
        secret,
        old_secret_ends_at: formatTimestamp(oldSecretEndsAt, scope.merchant.timeZone),
      },
      KEPT_ONLY_NOW,
    );
  },
});

export const redeliverCommand = merchantCommand({
  description: "send one event or a range of events again",
  example: `${EXAMPLE} --from 120 --to 260`,
  options: {
    endpoint: ENDPOINT,
    event: option("<seq>", "an event's number, which `nodal event list` shows", EVENT_NO),
    from: option("<seq>", "the first event of a range", EVENT_NO),
    to: option("<seq>", "the last event of a range", EVENT_NO),
  },
  check({ event, from, to }, errors) {
    if (event !== undefined && (from !== undefined || to !== undefined)) {
      fail(errors, "event", "not_allowed", "can't be combined with --from and --to: give one event, or a range.");
    }
    if (event === undefined && (from === undefined || to === undefined)) {
      const problem = "Give --event, or --from and --to.";
      fail(errors, "event", "required", problem);
    }
    if (errors.length > 0 || event !== undefined) return;
    const count = BigInt(String(to)) - BigInt(String(from)) + 1n;
    if (count < 1n) fail(errors, "to", "invalid", "must not be before --from.");
    if (count <= BigInt(REDELIVERY_MAX_EVENTS)) return;
    fail(errors, "to", "invalid", `must be at most ${REDELIVERY_MAX_EVENTS} events from --from: use several calls.`);
  },
  async run(scope, { endpoint: endpointId, ...range }) {
    const queued = await redeliver(scope, { endpointId, ...rangeOf(range) });
    return {
      json: { endpoint_id: String(endpointId), queued },
      text: `${queued} events are queued again; a running server sends them.`,
    };
  },
});

type Range = Readonly<Record<"event" | "from" | "to", number | null>>;

/** The range that is asked for: one event is a range of one. */
export function rangeOf({ event, from, to }: Range): { readonly from: bigint; readonly to: bigint } {
  return { from: BigInt(event ?? from!), to: BigInt(event ?? to!) };
}

const list = merchantCommand({
  description: "list a merchant's endpoints: pending, retrying and abandoned events",
  async run(scope) {
    const whenEmpty = "This merchant has no webhook endpoints: create one with `nodal webhook create`.";
    return listAnswer(await readEndpoints(scope), whenEmpty, LIST_COLUMNS);
  },
});

const show = merchantCommand({
  description: "show an endpoint, its latest attempts, and its retrying and abandoned events",
  example: EXAMPLE,
  options: { endpoint: ENDPOINT },
  async run(scope, { endpoint: endpointId }) {
    const { pool, merchant } = scope;
    const { endpoint, deliveries } = await readEndpoint(scope, endpointId);
    const key = { bucket: merchant.bucket, merchantId: merchant.merchantId, endpointId };
    const latest = await listAttempts(pool, key, { eventNo: null, limit: ATTEMPTS_SHOWN });
    const attempts = latest.map((attempt) => describeAttempt(attempt, merchant));
    return {
      json: { ...endpoint, deliveries, attempts },
      text: paragraphs(
        formatRecord(endpoint),
        deliveries.length > 0 ? `events retrying, redelivered or abandoned:\n${formatTable(deliveries, "")}` : "",
        `latest attempts:\n${attemptTable(attempts)}`,
      ),
    };
  },
});

const attempts = merchantCommand({
  description: "list delivery attempts of the last 30 days, newest first",
  example: `${EXAMPLE} --event 120`,
  options: {
    endpoint: ENDPOINT,
    event: option("<seq>", "attempts of this event only", EVENT_NO),
    limit: option("<n>", `at most this many; default: ${ATTEMPTS_DEFAULT}`, optional(wholeNumber(1, ATTEMPTS_MAXIMUM))),
  },
  async run({ pool, merchant }, { endpoint: endpointId, event, limit }) {
    const key = { bucket: merchant.bucket, merchantId: merchant.merchantId, endpointId };
    if (!(await findEndpoint(pool, key))) throw endpointNotFound();
    const eventNo = event === null ? null : BigInt(event);
    const found = await listAttempts(pool, key, { eventNo, limit: limit ?? ATTEMPTS_DEFAULT });
    const json = found.map((attempt) => describeAttempt(attempt, merchant));
    return { json, text: attemptTable(json) };
  },
});

function attemptTable(records: readonly ReturnType<typeof describeAttempt>[]): string {
  const rows = records.map(({ answer: _answer, ...record }) => record);
  return formatTable(rows, "No attempts in the last 30 days.");
}

export const webhookCommands = group("send a merchant's events to its own servers", {
  create: createCommand,
  test,
  listen: listenCommand,
  disable: disableCommand,
  enable: enableCommand,
  "rotate-secret": rotate,
  redeliver: redeliverCommand,
  list,
  show,
  attempts,
});
