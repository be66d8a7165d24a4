// `nodal book`: a merchant's accounting settings, and the files of a period for its accountant.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { changeBookSetting, findBookSetting, type BookSetting } from "../books/index.ts";
import { tallyFiles, ZOHO_FILES } from "../documents/index.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { date, ifSent, money, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { group, merchantCommand, option, orWord, type GivenOptions } from "./command.ts";
import { listAnswer, recordAnswer, type Answer } from "./output.ts";

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

const PERIOD_OPTIONS = {
  from: option("<date>", "first day of the period", date()),
  to: option("<date>", "last day, included", date()),
  folder: option(
    "<folder>",
    "where the files go: created if missing, and files of the same names are replaced",
    requiredText(4096),
  ),
};
const EXAMPLE = "--from 2026-04-01 --to 2026-04-30 --folder april";

function checkPeriod({ from, to }: GivenOptions, errors: FieldError[]): void {
  if (errors.length > 0 || typeof from !== "string" || typeof to !== "string" || from <= to) return;
  fail(errors, "from", "invalid", "must not be after --to.");
}

const tally = merchantCommand({
  description: "write the ledgers and vouchers of a period as files for Tally Prime, to be imported in this order",
  example: EXAMPLE,
  options: {
    ...PERIOD_OPTIONS,
    company: option("<name>", "the name of the company in Tally; default: the merchant's name", optionalText(100)),
  },
  check: checkPeriod,
  async run({ pool, merchant }, { company, folder, ...period }) {
    const files = Object.entries(tallyFiles(company));
    return writeFiles(
      folder,
      files.map(([name, make]) => [name, make(pool, merchant, period)]),
    );
  },
});

const zoho = merchantCommand({
  description: "write customers, and the documents of a period, as files for Zoho Books, to be imported in this order",
  example: EXAMPLE,
  options: PERIOD_OPTIONS,
  check: checkPeriod,
  async run({ pool, merchant }, { folder, ...period }) {
    const files = Object.entries(ZOHO_FILES);
    return writeFiles(
      folder,
      files.map(([name, make]) => [name, make(pool, merchant, period)]),
    );
  },
});

/** Writes each file whole, or not at all. @throws NodalError `validation_failed` if one can't be written */
async function writeFiles(
  folder: string,
  files: readonly (readonly [name: string, pieces: AsyncIterable<string>])[],
): Promise<Answer> {
  const written: { readonly file: string }[] = [];
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, pieces] of files) {
      const file = join(folder, name);
      await writeFile(`${file}.new`, pieces);
      await rename(`${file}.new`, file);
      written.push({ file });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    const problem = `must be a folder where files can be written: ${(error as Error).message}.`;
    throw validationError([{ field: "folder", code: "invalid", problem }]);
  }
  return listAnswer(written, "", ["file"]);
}

export const bookCommands = group("a merchant's books: settings, locked periods, and files for the accountant", {
  show,
  set,
  tally,
  zoho,
});
