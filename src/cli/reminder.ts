// `nodal reminder`: set, show.
// What belongs here: options and what is printed. Reminders are queued by notifications/.
import type { Command } from "commander";
import { requireMerchant, type Merchant } from "../merchants/index.ts";
import {
  changeSetting,
  CHANNELS,
  findSetting,
  MOST_REMINDER_DAYS,
  MOST_REMINDERS,
  type NotificationSetting,
} from "../notifications/index.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { fail, requiredField } from "../platform/http/field.ts";
import { optional, type Field } from "../platform/http/fields.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type GivenOptions, type MerchantOption, type Values } from "./options.ts";
import { example, formatRecord } from "./output.ts";

const NO_DAYS = "none";

const SET_FIELDS = { merchant: merchantId(), days: optional(reminderDays()), channels: optional(channelNames()) };

/** Adds `reminder` and its subcommands. */
export function registerReminder(program: Command): void {
  const reminder = program.command("reminder").description("when and how a merchant's customers are written to");

  reminder
    .command("set")
    .description("change what is given and nothing else")
    .option("--merchant <id>", "the merchant's id")
    .option(
      "--days <list>",
      `days after the due date, below 0 for those before it, such as --days=-3,0,7; or ${NO_DAYS}`,
    )
    .option("--channels <list>", `for all messages to customers: ${CHANNELS.join(", ")}, separated by commas`)
    .addHelpText("after", example("nodal reminder set --merchant 1000001 --days=-3,0,7 --channels mail,sms"))
    .action(onInstallation(readSettings, set));

  reminder
    .command("show")
    .description("show on which days and channels a merchant's customers are written to")
    .option("--merchant <id>", "the merchant's id")
    .addHelpText("after", example("nodal reminder show --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), show));
}

const readSettings = optionsOf(SET_FIELDS, ({ days, channels }: GivenOptions, errors: FieldError[]) => {
  if (days !== undefined || channels !== undefined) return;
  throw validationError([
    ...errors,
    { field: "--days", code: "required", message: "Say what to change: --days, --channels, or both." },
  ]);
});

async function set({ pool }: Installation, options: Values<typeof SET_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const wanted = { reminderDays: options.days, channels: options.channels };
  return describe(merchant, await changeSetting(pool, merchant, wanted));
}

async function show({ pool }: Installation, options: MerchantOption): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  return describe(merchant, await findSetting(pool, merchant));
}

function describe({ merchantId: id }: Merchant, { reminderDays: days, channels }: NotificationSetting): Answer {
  const names = { merchant_id: String(id) };
  return {
    json: { ...names, reminder_days: days, channels },
    text: formatRecord({ ...names, reminder_days: days.join(",") || NO_DAYS, channels: channels.join(",") }),
  };
}

/** A list of days to the due date, or `none`; decoded in order, each once. */
function reminderDays(): Field<readonly number[]> {
  const hint = `up to ${MOST_REMINDERS} whole numbers from -${MOST_REMINDER_DAYS} to ${MOST_REMINDER_DAYS}, separated by commas, or ${NO_DAYS}`;
  return requiredField({ type: "string" }, hint, (value, path, errors) => {
    const text = typeof value === "string" ? value.trim() : "";
    if (text === NO_DAYS) return [];
    const items = text.split(",").map((item) => item.trim());
    const days = [...new Set(items.map(Number))].toSorted((a, b) => a - b);
    const isGood =
      items.every((item) => /^-?[0-9]{1,3}$/.test(item)) && days.every((day) => Math.abs(day) <= MOST_REMINDER_DAYS);
    if (isGood && days.length <= MOST_REMINDERS) return days.map((day) => day + 0);
    fail(errors, path, "invalid", `must be ${hint}.`);
    return [];
  });
}

/** A list of channels, in the order of `CHANNELS`, each once. */
function channelNames(): Field<NotificationSetting["channels"]> {
  const hint = `one or more of ${CHANNELS.join(", ")}, separated by commas`;
  return requiredField({ type: "string" }, hint, (value, path, errors) => {
    const items = typeof value === "string" ? value.split(",").map((item) => item.trim()) : [];
    const names = CHANNELS.filter((name) => items.includes(name));
    if (items.every((item) => CHANNELS.some((name) => name === item))) return names;
    fail(errors, path, "not_allowed", `must be ${hint}.`);
    return names;
  });
}
