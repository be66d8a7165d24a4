// `nodal subscription`: list, show, preview, pause, resume, cancel.
// What belongs here: options and what is printed. The work is done in subscriptions/.
import type { Command } from "commander";
import { requireMerchant, type Merchant } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { oneOf, optional, text, wholeNumber } from "../platform/http/fields.ts";
import {
  billDue,
  cancelSubscription,
  describeSubscriptions,
  findSubscription,
  listSubscriptions,
  pauseSubscription,
  previewDates,
  resumeSubscription,
  SUBSCRIPTION_STATES,
  subscriptionNotFound,
  subscriptionObjects,
  type SubscriptionObject,
} from "../subscriptions/index.ts";
import { createCommandLogger, onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type GivenOptions, type Values } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const LISTED = 100;
const PREVIEWED = 12;
const PREVIEWED_MAXIMUM = 1000;
const MERCHANT_OPTION = ["--merchant <id>", "the merchant's id"] as const;
const SUBSCRIPTION_OPTION = [
  "--subscription <id>",
  "the subscription's id, which `nodal subscription list` shows",
] as const;

const SUBSCRIPTION_ID = text({
  hint: "a subscription's id, which `nodal subscription list` shows",
  maxLength: 16,
  pattern: /^[0-9]+$/,
});
const LIST_FIELDS = {
  merchant: merchantId(),
  status: optional(oneOf(SUBSCRIPTION_STATES)),
  after: optional(SUBSCRIPTION_ID),
};
const FIELDS = { merchant: merchantId(), subscription: SUBSCRIPTION_ID };
const PREVIEW_FIELDS = { ...FIELDS, count: optional(wholeNumber(1, PREVIEWED_MAXIMUM)) };

/** Adds `subscription` and its subcommands. */
export function registerSubscription(program: Command): void {
  const subscription = program.command("subscription").description("list, show and change invoices that repeat");

  subscription
    .command("list")
    .description(`list a merchant's subscriptions in the order of their ids, at most ${LISTED}`)
    .option(...MERCHANT_OPTION)
    .option("--status <status>", `one of ${SUBSCRIPTION_STATES.join(", ")}`)
    .option("--after <id>", "begin after the subscription of this id")
    .addHelpText("after", example("nodal subscription list --merchant 1000001 --status Active"))
    .action(onInstallation(optionsOf(LIST_FIELDS), list));

  const one = (name: string, description: string): Command =>
    subscription
      .command(name)
      .description(description)
      .option(...MERCHANT_OPTION)
      .option(...SUBSCRIPTION_OPTION)
      .addHelpText("after", example(`nodal subscription ${name} --merchant 1000001 --subscription 1000412`));

  one("show", "show a subscription, its last and next invoices, and why it is parked if it is").action(
    onInstallation(optionsOf(FIELDS), show),
  );
  one("preview", "show the dates of the next invoices")
    .option("--count <n>", `how many, up to ${PREVIEWED_MAXIMUM}; default: ${PREVIEWED}`)
    .action(onInstallation(optionsOf(PREVIEW_FIELDS), preview));
  one("pause", "bill nothing until it is resumed").action(onInstallation(optionsOf(FIELDS), pause));
  one("resume", "bill again; what fell due during the pause is skipped, and counts as an occurrence")
    .option("--bill-missed", "bill what fell due during the pause, each invoice with its own dates")
    .action(onInstallation(readResume, resume));
  one("cancel", "bill nothing any more, for good").action(onInstallation(optionsOf(FIELDS), cancel));
}

type Named = Values<typeof FIELDS>;

function readResume(given: GivenOptions): Named & { readonly billMissed: boolean } {
  return { ...optionsOf(FIELDS)(given), billMissed: given["billMissed"] !== undefined };
}

async function list({ pool }: Installation, options: Values<typeof LIST_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const page = { after: BigInt(options.after ?? 0), limit: LISTED, state: options.status };
  const found = await listSubscriptions(pool, merchant, page);
  const json = [...(await describeSubscriptions(pool, merchant, found)).values()];
  const rows = json.map((record) => ({
    subscription_id: record.subscription_id,
    customer_code: record.customer_code,
    mode: record.mode,
    repeat_every: record.repeat_every,
    start_date: record.start_date,
    status: record.status,
    next_invoice_date: record.next_invoice_date,
    parked: record.parked?.code ?? null,
  }));
  const more = json.length === LISTED ? `\n\nFor more: --after ${json.at(-1)!.subscription_id}` : "";
  return { json, text: `${formatTable(rows, "No subscription matches.")}${more}` };
}

async function show({ pool }: Installation, options: Named): Promise<Answer> {
  return describe(pool, await requireMerchant(pool, options.merchant), BigInt(options.subscription));
}

async function preview({ pool }: Installation, options: Values<typeof PREVIEW_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const subscriptionId = BigInt(options.subscription);
  const subscription = await findSubscription(pool, merchant, subscriptionId);
  if (!subscription) throw subscriptionNotFound(subscriptionId);
  const json = (await previewDates(pool, subscription, options.count ?? PREVIEWED)).map((date) => ({
    bill_date: date.billDate.toString(),
    due_date: date.dueDate.toString(),
  }));
  return { json, text: formatTable(json, `No invoice is to come: the subscription is ${subscription.state}.`) };
}

async function pause({ pool }: Installation, options: Named): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const { subscriptionId } = await pauseSubscription(pool, merchant, BigInt(options.subscription));
  return describe(pool, merchant, subscriptionId);
}

async function resume(
  { pool, ids, config }: Installation,
  options: Named & { readonly billMissed: boolean },
): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const id = BigInt(options.subscription);
  const { subscriptionId } = await resumeSubscription(pool, merchant, id, options.billMissed);
  await billDue({ pool, ids, logger: createCommandLogger(config) }, merchant, { subscriptionId });
  return describe(pool, merchant, subscriptionId);
}

async function cancel({ pool }: Installation, options: Named): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const { subscriptionId } = await cancelSubscription(pool, merchant, BigInt(options.subscription));
  return describe(pool, merchant, subscriptionId);
}

/** What webhooks say of it, and what this prints. */
async function describe(pool: Pool, merchant: Merchant, subscriptionId: bigint): Promise<Answer> {
  const json = (await subscriptionObjects(pool, merchant, [subscriptionId])).get(subscriptionId);
  if (!json) throw subscriptionNotFound(subscriptionId);
  return { json, text: toText(json) };
}

function toText({ parked, invoice, recent_occurrences, next_invoice_dates, ...record }: SubscriptionObject): string {
  const lines = [
    formatRecord({ ...record, next_invoice_dates: next_invoice_dates.join(", ") }),
    `invoice:\n${JSON.stringify(invoice, null, 2)}`,
  ];
  if (parked) lines.push(`parked:\n${formatRecord(parked)}`);
  if (recent_occurrences.length > 0) lines.push(`recent_occurrences:\n${formatTable(recent_occurrences, "")}`);
  return lines.join("\n\n");
}
