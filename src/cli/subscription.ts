// `nodal subscription`: recurring invoices.
import { oneOf, optional, wholeNumber } from "../platform/http/fields.ts";
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
} from "../subscriptions/index.ts";
import { flag, group, id, ifGiven, merchantCommand, option, type MerchantScope } from "./command.ts";
import { createCommandLogger } from "./on-database.ts";
import { formatRecord, formatTable, listAnswer, paragraphs, type Answer } from "./output.ts";

const LISTED = 100;
const PREVIEWED = 12;
const PREVIEWED_MAXIMUM = 1000;
const SUBSCRIPTION = id("a subscription's id, which `nodal subscription list` shows");
/** Shared by commands about one subscription. */
const ONE = { example: "--subscription 1000412", options: { subscription: SUBSCRIPTION } } as const;

const list = merchantCommand({
  description: `list a merchant's subscriptions by id, at most ${LISTED}`,
  example: "--status Active",
  options: {
    status: option("<status>", `one of ${SUBSCRIPTION_STATES.join(", ")}`, optional(oneOf(SUBSCRIPTION_STATES))),
    after: ifGiven(SUBSCRIPTION, "start after this subscription"),
  },
  async run({ pool, merchant }, { status, after }) {
    const found = await listSubscriptions(pool, merchant, { after: after ?? 0n, limit: LISTED, state: status });
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
    const more = json.length === LISTED ? `More: --after ${json.at(-1)!.subscription_id}` : "";
    return { json, text: paragraphs(formatTable(rows, "No subscription matches."), more) };
  },
});

const show = merchantCommand({
  description: "show a subscription, its last and next invoices, and why it is parked",
  ...ONE,
  run: (scope, { subscription }) => describe(scope, subscription),
});

const preview = merchantCommand({
  description: "show the dates of the next invoices",
  example: ONE.example,
  options: {
    ...ONE.options,
    count: option(
      "<n>",
      `how many, up to ${PREVIEWED_MAXIMUM}; default: ${PREVIEWED}`,
      optional(wholeNumber(1, PREVIEWED_MAXIMUM)),
    ),
  },
  async run({ pool, merchant }, { subscription: subscriptionId, count }) {
    const subscription = await findSubscription(pool, merchant, subscriptionId);
    if (!subscription) throw subscriptionNotFound(subscriptionId);
    const dates = (await previewDates(pool, subscription, count ?? PREVIEWED)).map((date) => ({
      bill_date: date.billDate.toString(),
      due_date: date.dueDate.toString(),
    }));
    return listAnswer(dates, `No upcoming invoices: the subscription is ${subscription.state}.`);
  },
});

const pause = merchantCommand({
  description: "pause billing until resumed",
  ...ONE,
  async run(scope, { subscription }) {
    await pauseSubscription(scope, subscription);
    return describe(scope, subscription);
  },
});

const resume = merchantCommand({
  description: "resume billing; dates during the pause are skipped and count as occurrences",
  example: ONE.example,
  options: {
    ...ONE.options,
    billMissed: flag("also bill the dates during the pause, each invoice with its own dates"),
  },
  async run(scope, { subscription: subscriptionId, billMissed }) {
    await resumeSubscription(scope, { subscriptionId, billMissed: billMissed ?? false });
    await billDue({ ...scope, logger: createCommandLogger(scope.config) }, { subscriptionId });
    return describe(scope, subscriptionId);
  },
});

const cancel = merchantCommand({
  description: "cancel a subscription permanently",
  ...ONE,
  async run(scope, { subscription }) {
    await cancelSubscription(scope, subscription);
    return describe(scope, subscription);
  },
});

export const subscriptionCommands = group("list, show and change repeated invoices", {
  list,
  show,
  preview,
  pause,
  resume,
  cancel,
});

/** The subscription as in webhooks, and as printed. */
async function describe({ pool, merchant }: MerchantScope, subscriptionId: bigint): Promise<Answer> {
  const json = (await subscriptionObjects(pool, merchant, [subscriptionId])).get(subscriptionId);
  if (!json) throw subscriptionNotFound(subscriptionId);
  const { parked, invoice, recent_occurrences, next_invoice_dates, ...record } = json;
  return {
    json,
    text: paragraphs(
      formatRecord({ ...record, next_invoice_dates: next_invoice_dates.join(", ") }),
      `invoice:\n${JSON.stringify(invoice, null, 2)}`,
      parked ? `parked:\n${formatRecord(parked)}` : "",
      recent_occurrences.length > 0 ? `recent_occurrences:\n${formatTable(recent_occurrences, "")}` : "",
    ),
  };
}
