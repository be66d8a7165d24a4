// `nodal clock`: the movable day of a merchant in the sandbox.
import { CommissionPayer } from "../franchises/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import { advanceClockAndRemind } from "../notifications/index.ts";
import { OwnPayouts } from "../payouts/index.ts";
import { date } from "../platform/http/fields.ts";
import { resetClock } from "../subscriptions/index.ts";
import { group, merchantCommand, option } from "./command.ts";
import { createCommandLogger } from "./on-database.ts";
import { recordAnswer } from "./output.ts";

const advance = merchantCommand({
  description: "advance a sandbox merchant's date and run everything due by then",
  example: "--to 2027-03-31",
  notes: () =>
    "Subscriptions are billed for every date until then, commission is paid, and approvals expire. Reminders more than three days overdue by then are not sent.",
  options: { to: option("<date>", "the date, such as 2027-03-31", date()) },
  async run({ config, pool, ids, merchant: { merchantId } }, { to }) {
    const commissionPayer = new CommissionPayer(new OwnPayouts(config));
    const context = { pool, ids, merchant: { merchantId }, commissionPayer, logger: createCommandLogger(config) };
    const { merchant, invoices, parked, reminders } = await advanceClockAndRemind(context, { to });
    const list = `\`nodal subscription list --merchant ${merchantId}\``;
    return recordAnswer(
      {
        ...describe(merchant),
        invoices_created: Number(invoices),
        subscriptions_parked: Number(parked),
        reminders_queued: reminders,
      },
      parked > 0n
        ? `Some subscriptions are parked, as they could not be billed: ${list} lists them, \`nodal subscription show\` gives the reason.`
        : "",
    );
  },
});

const show = merchantCommand({
  description: "show a merchant's current date",
  run: async ({ merchant }) => recordAnswer(describe(merchant)),
});

const reset = merchantCommand({
  description: "return to the real date; what was created for later dates stays",
  run: async (scope) => recordAnswer(describe(await resetClock(scope))),
});

export const clockCommands = group("show and move a sandbox merchant's date", { advance, show, reset });

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
