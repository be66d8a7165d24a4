// `nodal audit`: who changed what of a merchant, from where, from what to what.
// What belongs here: options and what is printed.
import type { Command } from "commander";
import { streamAudit, type AuditEntry } from "../audit/index.ts";
import { requireMerchant } from "../merchants/index.ts";
import { optional, optionalText, text, wholeNumber } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type Values } from "./options.ts";
import { example, formatTable } from "./output.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAXIMUM = 10_000;
/** A cell of the table; `--json` has all of it. */
const CELL_CHARACTERS = 80;

const FIELDS = {
  merchant: merchantId(),
  before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  limit: optional(wholeNumber(1, LIMIT_MAXIMUM)),
  actor: optionalText(200),
  subject: optional(text({ hint: "an id, such as subject_id shows", maxLength: 16, pattern: /^[0-9]+$/ })),
  type: optionalText(100),
};

/** Adds `audit` and its subcommand. */
export function registerAudit(program: Command): void {
  program
    .command("audit")
    .description("read the audit log")
    .command("list")
    .description("list who changed what of a merchant, newest first")
    .option("--merchant <id>", "the merchant's id")
    .option("--before <seq>", "only entries before this number")
    .option("--limit <n>", `how many at most, up to ${LIMIT_MAXIMUM}; default: ${LIMIT_DEFAULT}`)
    .option("--actor <actor>", "only what this one did, such as key:nk_5_1000001_0123456789ab or job:subscriptions")
    .option("--subject <id>", "only what was done to the thing with this id")
    .option("--type <type>", "only entries of this type, such as merchant.changed")
    .addHelpText("after", example("nodal audit list --merchant 1000001 --type merchant.changed"))
    .action(onInstallation(optionsOf(FIELDS), list));
}

async function list({ pool }: Installation, options: Values<typeof FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const search = {
    actor: options.actor,
    subjectId: options.subject === null ? null : BigInt(options.subject),
    type: options.type,
    from: null,
    to: null,
  };
  const before = options.before === null ? null : BigInt(options.before);
  const limit = options.limit ?? LIMIT_DEFAULT;
  const json: ReturnType<typeof describe>[] = [];
  for await (const entry of streamAudit(pool, merchant, search, before)) {
    json.push(describe(entry, merchant.timeZone));
    if (json.length === limit) break;
  }
  const rows = json.map((entry) => ({ ...entry, before: shorten(entry.before), after: shorten(entry.after) }));
  const more = json.length === limit ? `\n\nEarlier ones: --before ${json.at(-1)!.seq}` : "";
  return { json, text: `${formatTable(rows, "There is no such entry.")}${more}` };
}

function describe({ entryNo, at, actor, address, type, subjectId, before, after }: AuditEntry, timeZone: string) {
  return {
    seq: String(entryNo),
    at: formatTimestamp(at, timeZone),
    actor,
    address,
    type,
    subject_id: String(subjectId),
    before,
    after,
  };
}

function shorten(values: AuditEntry["before"]): string {
  if (values === null) return "";
  const told = Object.entries(values)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
  return told.length <= CELL_CHARACTERS ? told : `${told.slice(0, CELL_CHARACTERS - 1)}…`;
}
