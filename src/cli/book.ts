// `nodal book`: a merchant's accounting settings.
import { changeBookSetting, findBookSetting, type BookSetting } from "../books/index.ts";
import { fail } from "../platform/http/field.ts";
import { date, ifSent, money } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { group, merchantCommand, option, orWord } from "./command.ts";
import { recordAnswer } from "./output.ts";

const show = merchantCommand({
  description: "show the settings of a merchant's books",
  run: async ({ pool, merchant }) => recordAnswer(describe(await findBookSetting(pool, merchant))),
});

const set = merchantCommand({
  description: "change the given settings only",
  example: "--locked-until 2026-03-31",
  options: {
    writeOffLimit: option(
      "<amount>",
      "the most that may be written off of an invoice; 0 for nothing",
      ifSent(money({ allowZero: true })),
    ),
    lockedUntil: option(
      "<date>",
      "refuse what would be posted to this day or an earlier one, or off to unlock",
      ifSent(orWord("off", date())),
    ),
  },
  check(given, errors) {
    if (Object.keys(given).some((name) => name !== "merchant")) return;
    fail(errors, "merchant", "required", "Nothing to change: see `nodal book set --help`.");
  },
  async run(scope, { writeOffLimit, lockedUntil }) {
    const changes = {
      ...(writeOffLimit === undefined ? {} : { writeOffLimitPaise: writeOffLimit }),
      ...(lockedUntil === undefined ? {} : { lockedUntil }),
    };
    return recordAnswer(describe(await changeBookSetting(scope, changes)));
  },
});

function describe({ writeOffLimitPaise, lockedUntil }: BookSetting) {
  return { write_off_limit: formatPaise(writeOffLimitPaise), locked_until: lockedUntil?.toString() ?? null };
}

export const bookCommands = group("the settings of a merchant's books, and locked periods", { show, set });
