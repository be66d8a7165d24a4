// `nodal audit`: a merchant's audit log.
import { streamAudit, type AuditEntry } from "../audit/index.ts";
import { optional, optionalText, wholeNumber } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { group, id, ifGiven, merchantCommand, option } from "./command.ts";
import { formatTable, paragraphs } from "./output.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAXIMUM = 10_000;
/** The longest cell of the table; `--json` has the whole text. */
const CELL_CHARACTERS = 80;

const list = merchantCommand({
  description: "list changes to a merchant and who made them, newest first",
  example: "--type merchant.changed",
  options: {
    before: option("<seq>", "only entries before this number", optional(wholeNumber(1, Number.MAX_SAFE_INTEGER))),
    limit: option(
      "<n>",
      `at most this many, up to ${LIMIT_MAXIMUM}; default: ${LIMIT_DEFAULT}`,
      optional(wholeNumber(1, LIMIT_MAXIMUM)),
    ),
    actor: option(
      "<actor>",
      "only changes by this actor, such as key:nk_5_1000001_0123456789ab or job:subscriptions",
      optionalText(200),
    ),
    subject: ifGiven(id("a subject's id, as in subject_id"), "only changes to the subject with this id"),
    type: option("<type>", "only entries of this type, such as merchant.changed", optionalText(100)),
  },
  async run({ pool, merchant }, { actor, subject, type, ...options }) {
    const search = { actor, subjectId: subject, type, from: null, to: null };
    const before = options.before === null ? null : BigInt(options.before);
    const limit = options.limit ?? LIMIT_DEFAULT;
    const json: ReturnType<typeof describe>[] = [];
    for await (const entry of streamAudit(pool, merchant, search, before)) {
      json.push(describe(entry, merchant.timeZone));
      if (json.length === limit) break;
    }
    const rows = json.map((entry) => ({ ...entry, before: shorten(entry.before), after: shorten(entry.after) }));
    const more = json.length === limit ? `Older entries: --before ${json.at(-1)!.seq}` : "";
    return { json, text: paragraphs(formatTable(rows, "No matching entries."), more) };
  },
});

export const auditCommands = group("read the audit log", { list });

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
