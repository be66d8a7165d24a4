// `nodal clock`: advance, show, reset. The movable clock of a merchant in the sandbox.
// What belongs here: options and what is printed. The work is done in subscriptions/.
import type { Command } from "commander";
import { requireMerchant, todayOf, type Merchant } from "../merchants/index.ts";
import { runReminders } from "../notifications/index.ts";
import { commissionPayer } from "../payouts/index.ts";
import { date } from "../platform/http/fields.ts";
import { advanceClock, resetClock } from "../subscriptions/index.ts";
import { createCommandLogger, onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type MerchantOption, type Values } from "./options.ts";
import { example, formatRecord } from "./output.ts";

const ADVANCE_FIELDS = { merchant: merchantId(), to: date() };
const MERCHANT_OPTION = ["--merchant <id>", "the merchant's id"] as const;

/** Adds `clock` and its subcommands. */
export function registerClock(program: Command): void {
  const clock = program.command("clock").description("see and move the day of a merchant in the sandbox");

  clock
    .command("advance")
    .description("move the day forward, and do all that falls due by then")
    .option(...MERCHANT_OPTION)
    .option("--to <date>", "the day, such as 2027-03-31")
    .addHelpText(
      "after",
      `
Subscriptions are billed for every date up to then, commission is paid, and approvals expire. Reminders that are more than three days old by then are not sent.
${example("nodal clock advance --merchant 1000001 --to 2027-03-31")}`,
    )
    .action(onInstallation(optionsOf(ADVANCE_FIELDS), advance));

  clock
    .command("show")
    .description("show which day it is for a merchant")
    .option(...MERCHANT_OPTION)
    .addHelpText("after", example("nodal clock show --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), show));

  clock
    .command("reset")
    .description("go back to the real date; what was made for later days stays")
    .option(...MERCHANT_OPTION)
    .addHelpText("after", example("nodal clock reset --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), reset));
}

async function advance({ pool, ids, config }: Installation, options: Values<typeof ADVANCE_FIELDS>): Promise<Answer> {
  const parts = { pool, ids, payCommission: commissionPayer(config), logger: createCommandLogger(config) };
  let reminders = 0;
  const { merchant, invoices, parked } = await advanceClock(parts, options.merchant, options.to, async (advanced) => {
    reminders = await runReminders(pool, ids, advanced);
  });
  const json = {
    ...describe(merchant),
    invoices_created: Number(invoices),
    subscriptions_parked: Number(parked),
    reminders_queued: reminders,
  };
  const list = `\`nodal subscription list --merchant ${options.merchant}\``;
  const hint = `Invoices of parked subscriptions could not be made: ${list} names them, \`nodal subscription show\` says why.`;
  return { json, text: parked > 0n ? `${formatRecord(json)}\n\n${hint}` : formatRecord(json) };
}

async function show({ pool }: Installation, options: MerchantOption): Promise<Answer> {
  const json = describe(await requireMerchant(pool, options.merchant));
  return { json, text: formatRecord(json) };
}

async function reset({ pool, ids }: Installation, options: MerchantOption): Promise<Answer> {
  const json = describe(await resetClock({ pool, ids }, options.merchant));
  return { json, text: formatRecord(json) };
}

function describe(merchant: Merchant) {
  return {
    merchant_id: String(merchant.merchantId),
    today: todayOf(merchant).toString(),
    real_date: Temporal.Now.plainDateISO(merchant.timeZone).toString(),
    time_zone: merchant.timeZone,
    clock_date: merchant.clockDate?.toString() ?? null,
    live: merchant.live,
  };
}
