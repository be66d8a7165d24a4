// `nodal event`: what happened to a merchant, in order, from the outbox.
// What belongs here: options and what is printed.
import type { Command } from "commander";
import { listEvents } from "../ledger/index.ts";
import { requireMerchant } from "../merchants/index.ts";
import { optional, wholeNumber } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { EVENT_TYPES, tellEvents } from "../webhooks/index.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { linksOf } from "./invoice-options.ts";
import { flag, merchantId, optionsOf, REVEAL_OPTION, shownBy, type Show, type Values } from "./options.ts";
import { example, formatTable } from "./output.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAXIMUM = 10_000;

const FIELDS = {
  merchant: merchantId(),
  after: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  limit: optional(wholeNumber(1, LIMIT_MAXIMUM)),
  reveal: flag(),
};

/** Adds `event` and its subcommand. */
export function registerEvent(program: Command): void {
  program
    .command("event")
    .description("read what happened to a merchant")
    .command("list")
    .description("list a merchant's events in order")
    .option("--merchant <id>", "the merchant's id")
    .option("--after <seq>", "begin after the event of this number; default: 0")
    .option("--limit <n>", `how many at most, up to ${LIMIT_MAXIMUM}; default: ${LIMIT_DEFAULT}`)
    .option(...REVEAL_OPTION)
    .addHelpText("after", example("nodal event list --merchant 1000001 --after 250 --limit 50"))
    .action(onInstallation(optionsOf(FIELDS), list));
}

/** The members of events' objects that hold account numbers and handles. */
const MASKED_MEMBERS = new Set(["bank_account_no", "bankAccount", "upi"]);

/** An event's object as it is shown. */
function showMembers(data: object, show: Show): object {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      return [name, MASKED_MEMBERS.has(name) && typeof value === "string" ? show(value) : (value as unknown)];
    }),
  );
}

async function list({ pool, config }: Installation, options: Values<typeof FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const limit = options.limit ?? LIMIT_DEFAULT;
  const found = await listEvents(pool, merchant, BigInt(options.after ?? 0), limit, EVENT_TYPES);
  const rows = found.map(({ eventNo, type, subjectId, createdAt }) => ({
    seq: String(eventNo),
    type,
    subject_id: String(subjectId),
    created_at: formatTimestamp(createdAt, merchant.timeZone),
  }));
  const told = await tellEvents(pool, merchant, found, { links: linksOf(config) });
  // What webhooks send, and how this command names an event.
  const json = rows.map((row, index) => {
    const { message } = told[index]!;
    return { ...row, ...message, data: showMembers(message.data, shownBy(options.reveal)) };
  });
  return { json, text: formatTable(rows, "There are no events after this number.") };
}
