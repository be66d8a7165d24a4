// `nodal webhook`: create, list, show, test, disable, enable, rotate-secret, redeliver, attempts.
// What belongs here: options and what is printed. The work is done in webhooks/.
import type { Command } from "commander";
import { isServerRunning } from "../database.ts";
import { requireMerchant, type Merchant } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { formatTimestamp } from "../platform/time.ts";
import {
  askForTest,
  countDeliveries,
  createEndpoint,
  describeAttempt,
  describeEndpoint,
  disable,
  enable,
  endpointNotFound,
  findEndpoint,
  listAttempts,
  listDeliveries,
  listEndpoints,
  redeliver,
  rotateSecret,
  type Endpoint,
  type EndpointKey,
} from "../webhooks/index.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type MerchantOption } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";
import {
  describeEventTypes,
  readAttemptsOptions,
  readCreateOptions,
  readEnableOptions,
  readKey,
  readRedeliverOptions,
} from "./webhook-options.ts";

const ATTEMPTS_DEFAULT = 100;
const ATTEMPTS_SHOWN = 10;
const DELIVERIES_SHOWN = 100;
const MERCHANT_OPTION = ["--merchant <id>", "the merchant's id"] as const;
const ENDPOINT_OPTION = ["--endpoint <id>", "the endpoint's id, which `nodal webhook list` shows"] as const;
const KEPT_ONLY_NOW = "The secret is shown only now: keep it.";

/** Adds `webhook` and its subcommands. */
export function registerWebhook(program: Command): void {
  const webhook = program.command("webhook").description("send a merchant's events to its own servers");
  registerChanges(webhook);
  registerReads(webhook);
}

function registerChanges(webhook: Command): void {
  webhook
    .command("create")
    .description("send events to a URL from now on; the secret that signs them is shown only now")
    .option(...MERCHANT_OPTION)
    .option("--url <url>", "where to; https:// on the public internet, unless WEBHOOK_ALLOW_PRIVATE is on")
    .option("--events <types>", "which, such as transfer.*,invoice.paid; default: all")
    .option("--description <text>", "a note for people")
    .addHelpText(
      "after",
      `\n${describeEventTypes()}\n${example("nodal webhook create --merchant 1000001 --url https://example.com/hooks --events 'transfer.*'")}`,
    )
    .action(onInstallation(readCreateOptions, create));
  addCommand(
    webhook,
    "test",
    "have the running server send a test event at once, and show the answer; exit 1 where it was not taken",
  ).action(onInstallation(readKey, test));
  addCommand(webhook, "disable", "send nothing any more; events wait until it is enabled").action(
    onInstallation(readKey, answerDisable),
  );
  addCommand(webhook, "enable", "go on where it stopped, and try at once all that waits")
    .option("--skip-missed", "begin with the next event instead")
    .action(onInstallation(readEnableOptions, answerEnable));
  addCommand(webhook, "rotate-secret", "make a new secret; the old one goes on signing beside it for 24 hours").action(
    onInstallation(readKey, rotate),
  );
  addCommand(webhook, "redeliver", "send one event again, or those of a range", " --from 120 --to 260")
    .option("--event <seq>", "the number of one event, which `nodal event list` shows")
    .option("--from <seq>", "the first event of a range")
    .option("--to <seq>", "the last event of a range")
    .action(onInstallation(readRedeliverOptions, sendAgain));
}

function registerReads(webhook: Command): void {
  webhook
    .command("list")
    .description("list a merchant's endpoints: events not come to yet, events that wait by themselves, events given up")
    .option(...MERCHANT_OPTION)
    .addHelpText("after", example("nodal webhook list --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), list));
  addCommand(webhook, "show", "show an endpoint with its latest attempts, and the events that wait or failed").action(
    onInstallation(readKey, show),
  );
  addCommand(webhook, "attempts", "list the attempts of the last 30 days, newest first", " --event 120")
    .option("--event <seq>", "of one event only")
    .option("--limit <n>", `how many at most; default: ${ATTEMPTS_DEFAULT}`)
    .action(onInstallation(readAttemptsOptions, attempts));
}

/** A subcommand about one endpoint. */
function addCommand(webhook: Command, name: string, description: string, options = ""): Command {
  return webhook
    .command(name)
    .description(description)
    .option(...MERCHANT_OPTION)
    .option(...ENDPOINT_OPTION)
    .addHelpText("after", example(`nodal webhook ${name} --merchant 1000001 --endpoint 1000310${options}`));
}

type KeyOptions = ReturnType<typeof readKey>;

async function create({ pool, ids }: Installation, options: ReturnType<typeof readCreateOptions>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const draft = { url: options.url, eventTypes: options.events, description: options.description ?? "" };
  const { endpoint, secret } = await createEndpoint(pool, ids, merchant, draft);
  const json = { ...describeEndpoint(endpoint, merchant), secret };
  return { json, text: `${formatRecord(json)}\n\n${KEPT_ONLY_NOW}` };
}

async function test({ pool, ownerPool }: Installation, options: KeyOptions): Promise<Answer> {
  const { merchant, key } = await keyOf(pool, options);
  const attempt = await askForTest(pool, key, () => isServerRunning(ownerPool));
  const json = describeAttempt(attempt, merchant);
  return { json, text: formatRecord(json), exitCode: attempt.succeeded ? 0 : 1 };
}

async function answerDisable({ pool }: Installation, options: KeyOptions): Promise<Answer> {
  const { merchant, key } = await keyOf(pool, options);
  const json = describeEndpoint(await disable(pool, key), merchant);
  return { json, text: formatRecord(json) };
}

async function answerEnable({ pool }: Installation, options: ReturnType<typeof readEnableOptions>): Promise<Answer> {
  const { merchant, key } = await keyOf(pool, options);
  const json = describeEndpoint(await enable(pool, key, options.skipMissed), merchant);
  return { json, text: formatRecord(json) };
}

async function rotate({ pool, ids }: Installation, options: KeyOptions): Promise<Answer> {
  const { merchant, key } = await keyOf(pool, options);
  const { secret, oldSecretEndsAt } = await rotateSecret(pool, ids, key);
  const json = {
    endpoint_id: options.endpoint,
    secret,
    old_secret_ends_at: formatTimestamp(oldSecretEndsAt, merchant.timeZone),
  };
  return { json, text: `${formatRecord(json)}\n\n${KEPT_ONLY_NOW}` };
}

async function sendAgain({ pool }: Installation, options: ReturnType<typeof readRedeliverOptions>): Promise<Answer> {
  const { key } = await keyOf(pool, options);
  const queued = await redeliver(pool, key, options.from, options.to);
  const json = { endpoint_id: options.endpoint, queued };
  return { json, text: `${queued} events are queued to be sent again: the server sends them while it runs.` };
}

async function list({ pool }: Installation, options: MerchantOption): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const json = [];
  for (const endpoint of await listEndpoints(pool, merchant))
    json.push(await describeWithCounts(pool, endpoint, merchant));
  const rows = json.map((record) => ({
    endpoint_id: record.endpoint_id,
    url: record.url,
    events: record.events,
    status: record.status,
    behind: record.behind,
    waiting: record.waiting,
    failed: record.failed,
    failing_since: record.failing_since,
  }));
  const whenEmpty = "This merchant has no webhook endpoint: create one with `nodal webhook create`.";
  return { json, text: formatTable(rows, whenEmpty) };
}

async function show({ pool }: Installation, options: KeyOptions): Promise<Answer> {
  const { merchant, key } = await keyOf(pool, options);
  const endpoint = await findEndpoint(pool, key);
  if (!endpoint) throw endpointNotFound();
  const record = await describeWithCounts(pool, endpoint, merchant);
  const time = (at: Temporal.Instant | null) => at && formatTimestamp(at, merchant.timeZone);
  const deliveries = [];
  for (const status of ["Failed", "Waiting"] as const) {
    for (const delivery of await listDeliveries(pool, key, status, DELIVERIES_SHOWN)) {
      deliveries.push({
        seq: String(delivery.eventNo),
        status,
        tries: delivery.tries,
        first_attempt_at: time(delivery.firstAttemptAt),
        next_attempt_at: status === "Waiting" ? time(delivery.nextAttemptAt) : null,
      });
    }
  }
  const latest = await listAttempts(pool, key, { eventNo: null, limit: ATTEMPTS_SHOWN });
  const log = latest.map((attempt) => describeAttempt(attempt, merchant));
  const tables = [
    ...(deliveries.length > 0
      ? [`events set aside, asked for again, or given up:\n${formatTable(deliveries, "")}`]
      : []),
    `latest attempts:\n${attemptTable(log)}`,
  ];
  return {
    json: { ...record, deliveries, attempts: log },
    text: [formatRecord(record), ...tables].join("\n\n"),
  };
}

async function attempts({ pool }: Installation, options: ReturnType<typeof readAttemptsOptions>): Promise<Answer> {
  const { merchant, key } = await keyOf(pool, options);
  if (!(await findEndpoint(pool, key))) throw endpointNotFound();
  const eventNo = options.event === null ? null : BigInt(options.event);
  const found = await listAttempts(pool, key, { eventNo, limit: options.limit ?? ATTEMPTS_DEFAULT });
  const json = found.map((attempt) => describeAttempt(attempt, merchant));
  return { json, text: attemptTable(json) };
}

function attemptTable(records: readonly ReturnType<typeof describeAttempt>[]): string {
  const rows = records.map(({ answer: _answer, ...record }) => record);
  return formatTable(rows, "Nothing has been sent to this endpoint in the last 30 days.");
}

async function describeWithCounts(pool: Pool, endpoint: Endpoint, merchant: Merchant) {
  const counts = await countDeliveries(pool, endpoint);
  return {
    ...describeEndpoint(endpoint, merchant),
    behind: Number(counts.behind),
    waiting: Number(counts.waiting),
    failed: Number(counts.failed),
  };
}

async function keyOf(pool: Pool, options: KeyOptions): Promise<{ merchant: Merchant; key: EndpointKey }> {
  const merchant = await requireMerchant(pool, options.merchant);
  const { bucket, merchantId: owner } = merchant;
  return { merchant, key: { bucket, merchantId: owner, endpointId: BigInt(options.endpoint) } };
}
