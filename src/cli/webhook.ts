// `nodal webhook`: endpoints for the events of a merchant or the installation.
import { isServerRunning } from "../database.ts";
import { fail } from "../platform/http/field.ts";
import { ifSent, optional, optionalText, wholeNumber } from "../platform/http/fields.ts";
import { readSettings } from "../platform/settings-file.ts";
import { formatTimestamp } from "../platform/time.ts";
import {
  askForTest,
  changeEndpoint,
  checkRedelivery,
  createEndpoint,
  describeAttempt,
  describeEndpoint,
  DESCRIPTION_LENGTH,
  disable,
  enable,
  endpointUrl,
  eventTypes,
  INSTALLATION_EVENTS,
  listAttempts,
  MERCHANT_EVENTS,
  rangeOf,
  readEndpoint,
  readEndpoints,
  redeliver,
  requireEndpoint,
  rotateSecret,
  type EventCatalog,
} from "../webhooks/index.ts";
import { flag, group, id, option, orWord } from "./command.ts";
import { formatRecord, formatTable, listAnswer, paragraphs, recordAnswer } from "./output.ts";
import { ownerCommand } from "./owner-command.ts";
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
const URL = endpointUrl(() => readSettings(process.env).WEBHOOK_ALLOW_PRIVATE === "on");
const URL_MEANING = "public https:// URL; any URL if WEBHOOK_ALLOW_PRIVATE is on";

/** Every kind of event with its types, one line each, for the help. */
export function describeEventTypes(): string {
  const linesOf = ({ kinds, types }: EventCatalog): string[] =>
    kinds.map((kind) => `  ${kind}: ${types.filter((type) => type.startsWith(kind.slice(0, -1))).join(", ")}`);
  return [
    "Event types (explained in docs/webhooks.md):",
    ...linesOf(MERCHANT_EVENTS),
    "With --installation:",
    ...linesOf(INSTALLATION_EVENTS),
  ].join("\n");
}

export const createCommand = ownerCommand({
  description: "send events to a URL from now on; the signing secret is shown only once",
  example: "--url https://example.com/hooks --events 'transfer.*'",
  notes: describeEventTypes,
  options: {
    url: option("<url>", URL_MEANING, URL),
    events: option("<types>", "event types, such as transfer.*,invoice.paid; default: all", optional(eventTypes())),
    description: option("<text>", "a note", optionalText(DESCRIPTION_LENGTH)),
  },
  async run(scope, { url, events, description }) {
    const draft = { url, eventTypes: events, description: description ?? "" };
    const { endpoint, secret } = await createEndpoint(scope, draft);
    return recordAnswer({ ...describeEndpoint(endpoint, scope.merchant), secret }, KEPT_ONLY_NOW);
  },
});

const set = ownerCommand({
  description: "change an endpoint's URL, event types or note; the secret stays",
  example: `${EXAMPLE} --url https://example.com/new-hooks`,
  options: {
    endpoint: ENDPOINT,
    url: option("<url>", URL_MEANING, ifSent(URL)),
    events: option("<types>", "event types, or `all`", ifSent(orWord("all", eventTypes()))),
    description: option("<text>", "a note", ifSent(optionalText(DESCRIPTION_LENGTH))),
  },
  check({ url, events, description }, errors) {
    if (url !== undefined || events !== undefined || description !== undefined) return;
    fail(errors, "endpoint", "required", "Nothing to change: give --url, --events or --description.");
  },
  async run(scope, { endpoint: endpointId, url, events, description }) {
    const changes = {
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { eventTypes: events }),
      ...(description === undefined ? {} : { description: description ?? "" }),
    };
    return recordAnswer(describeEndpoint(await changeEndpoint(scope, { endpointId, ...changes }), scope.merchant));
  },
});

const test = ownerCommand({
  description: "send a test event from the running server and show the response; exit 1 if it failed",
  example: EXAMPLE,
  options: { endpoint: ENDPOINT },
  async run({ pool, ownerPool, merchant }, { endpoint }) {
    const context = { pool, merchant, isServerRunning: () => isServerRunning(ownerPool) };
    const attempt = await askForTest(context, endpoint);
    return { ...recordAnswer(describeAttempt(attempt, merchant)), exitCode: attempt.succeeded ? 0 : 1 };
  },
});

const disableCommand = ownerCommand({
  description: "stop sending; events wait until it is enabled again",
  example: EXAMPLE,
  options: { endpoint: ENDPOINT },
  run: async (scope, { endpoint }) => recordAnswer(describeEndpoint(await disable(scope, endpoint), scope.merchant)),
});

export const enableCommand = ownerCommand({
  description: "resume sending, and retry waiting events at once",
  example: EXAMPLE,
  options: { endpoint: ENDPOINT, skipMissed: flag("skip the events missed so far") },
  async run(scope, { endpoint: endpointId, skipMissed }) {
    const enabled = await enable(scope, { endpointId, skipsMissed: skipMissed ?? false });
    return recordAnswer(describeEndpoint(enabled, scope.merchant));
  },
});

const rotate = ownerCommand({
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

export const redeliverCommand = ownerCommand({
  description: "send one event or a range of events again",
  example: `${EXAMPLE} --from 120 --to 260`,
  options: {
    endpoint: ENDPOINT,
    event: option("<seq>", "an event's number, which `nodal event list` shows", EVENT_NO),
    from: option("<seq>", "the first event of a range", EVENT_NO),
    to: option("<seq>", "the last event of a range", EVENT_NO),
  },
  check({ event, from, to }, errors) {
    if (errors.length > 0) return;
    const numberIn = (given: string | boolean | undefined) => (given === undefined ? null : Number(given));
    const range = { event: numberIn(event), from: numberIn(from), to: numberIn(to) };
    checkRedelivery(
      range,
      (name, code, problem) => fail(errors, name, code, problem),
      (member) => `--${member}`,
    );
  },
  async run(scope, { endpoint: endpointId, ...range }) {
    const queued = await redeliver(scope, { endpointId, ...rangeOf(range) });
    return {
      json: { endpoint_id: String(endpointId), queued },
      text: `${queued} events are queued again; a running server sends them.`,
    };
  },
});

const list = ownerCommand({
  description: "list endpoints: pending, retrying and abandoned events",
  async run(scope) {
    const whenEmpty = "There are no webhook endpoints: create one with `nodal webhook create`.";
    return listAnswer(await readEndpoints(scope), whenEmpty, LIST_COLUMNS);
  },
});

const show = ownerCommand({
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

const attempts = ownerCommand({
  description: "list delivery attempts of the last 30 days, newest first",
  example: `${EXAMPLE} --event 120`,
  options: {
    endpoint: ENDPOINT,
    event: option("<seq>", "attempts of this event only", EVENT_NO),
    limit: option("<n>", `at most this many; default: ${ATTEMPTS_DEFAULT}`, optional(wholeNumber(1, ATTEMPTS_MAXIMUM))),
  },
  async run(scope, { endpoint: endpointId, event, limit }) {
    const endpoint = await requireEndpoint(scope, endpointId);
    const eventNo = event === null ? null : BigInt(event);
    const found = await listAttempts(scope.pool, endpoint, { eventNo, limit: limit ?? ATTEMPTS_DEFAULT });
    const json = found.map((attempt) => describeAttempt(attempt, scope.merchant));
    return { json, text: attemptTable(json) };
  },
});

function attemptTable(records: readonly ReturnType<typeof describeAttempt>[]): string {
  const rows = records.map(({ answer: _answer, ...record }) => record);
  return formatTable(rows, "No attempts in the last 30 days.");
}

export const webhookCommands = group("send the events of a merchant or the installation to your own servers", {
  create: createCommand,
  set,
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
