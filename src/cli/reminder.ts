// `nodal reminder`: when and how a merchant's customers get messages.
import type { Merchant } from "../merchants/index.ts";
import {
  changeSetting,
  CHANNELS,
  findSetting,
  MAX_REMINDER_DAYS,
  MAX_REMINDERS,
  type NotificationSetting,
} from "../notifications/index.ts";
import { fail, readOnlyField } from "../platform/http/field.ts";
import { optional, type Field } from "../platform/http/fields.ts";
import { group, merchantCommand, option } from "./command.ts";
import { formatRecord, type Answer } from "./output.ts";

const NO_DAYS = "none";

const set = merchantCommand({
  description: "change the given settings only",
  example: "--days=-3,0,7 --channels mail,sms",
  options: {
    days: option(
      "<list>",
      `days after the due date, negative for before it, such as --days=-3,0,7; or ${NO_DAYS}`,
      optional(reminderDays()),
    ),
    channels: option(
      "<list>",
      `channels of all messages to customers: ${CHANNELS.join(", ")}, separated by commas`,
      optional(channelNames()),
    ),
  },
  check({ days, channels }, errors) {
    if (days !== undefined || channels !== undefined) return;
    fail(errors, "days", "required", "Nothing to change: give --days, --channels, or both.");
  },
  run: async (scope, { days: reminderDays, channels }) =>
    describe(scope.merchant, await changeSetting(scope, { reminderDays, channels })),
});

const show = merchantCommand({
  description: "show when and over which channels a merchant's customers get messages",
  run: async ({ pool, merchant }) => describe(merchant, await findSetting(pool, merchant)),
});

export const reminderCommands = group("when and how a merchant's customers get messages", { set, show });

function describe({ merchantId }: Merchant, { reminderDays: days, channels }: NotificationSetting): Answer {
  const names = { merchant_id: String(merchantId) };
  return {
    json: { ...names, reminder_days: days, channels },
    text: formatRecord({ ...names, reminder_days: days.join(",") || NO_DAYS, channels: channels.join(",") }),
  };
}

/** A list of days to the due date, or `none`. */
function reminderDays(): Field<readonly number[]> {
  const hint = `up to ${MAX_REMINDERS} whole numbers from -${MAX_REMINDER_DAYS} to ${MAX_REMINDER_DAYS}, separated by commas, or ${NO_DAYS}`;
  return readOnlyField({ type: "string" }, hint, (value, path, errors) => {
    const text = typeof value === "string" ? value.trim() : "";
    if (text === NO_DAYS) return [];
    const items = text.split(",").map((item) => item.trim());
    const days = [...new Set(items.map(Number))];
    const isGood =
      items.every((item) => /^-?[0-9]{1,3}$/.test(item)) && days.every((day) => Math.abs(day) <= MAX_REMINDER_DAYS);
    if (isGood && days.length <= MAX_REMINDERS) return days;
    fail(errors, path, "invalid", `must be ${hint}.`);
    return [];
  });
}

/** A list of channels. */
function channelNames(): Field<NotificationSetting["channels"]> {
  const hint = `one or more of ${CHANNELS.join(", ")}, separated by commas`;
  return readOnlyField({ type: "string" }, hint, (value, path, errors) => {
    const items = typeof value === "string" ? value.split(",").map((item) => item.trim()) : [];
    if (items.every((item) => CHANNELS.some((name) => name === item))) return items as NotificationSetting["channels"];
    fail(errors, path, "not_allowed", `must be ${hint}.`);
    return [];
  });
}
