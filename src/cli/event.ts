// `nodal event`: the events of a merchant or the installation, in order.
import type { Event } from "../ledger/index.ts";
import { optional, wholeNumber } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { eventTypes, readEvents } from "../webhooks/index.ts";
import { group, option, REVEAL, shownBy } from "./command.ts";
import { linksOf } from "./invoice-options.ts";
import { formatTable } from "./output.ts";
import { ownerCommand } from "./owner-command.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAXIMUM = 10_000;

const list = ownerCommand({
  description: "list events in order",
  example: "--after 250 --limit 50",
  options: {
    after: option(
      "<seq>",
      "start after this event number; default: 0",
      optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    ),
    types: option("<types>", "event types, such as transfer.*,invoice.paid; default: all", optional(eventTypes())),
    limit: option(
      "<n>",
      `at most this many, up to ${LIMIT_MAXIMUM}; default: ${LIMIT_DEFAULT}`,
      optional(wholeNumber(1, LIMIT_MAXIMUM)),
    ),
    reveal: REVEAL,
  },
  async run({ pool, merchant, config }, { after, types, limit, reveal }) {
    const context = { pool, owner: merchant, messages: { links: linksOf(config) }, show: shownBy(reveal) };
    const wanted = limit ?? LIMIT_DEFAULT;
    const found = [];
    let next: bigint | null = BigInt(after ?? 0);
    while (next !== null && found.length < wanted) {
      const page = await readEvents(context, { after: next, types, limit: wanted - found.length });
      found.push(...page.events);
      ({ next } = page);
    }
    // The webhook's message, and this command's name of the event.
    const json = found.map(({ event, message }) => ({ ...rowOf(event, merchant.timeZone), ...message }));
    const rows = found.map(({ event }) => rowOf(event, merchant.timeZone));
    return { json, text: formatTable(rows, "No events after this number.") };
  },
});

function rowOf({ eventNo, type, subjectId, createdAt }: Event, timeZone: string) {
  return {
    seq: String(eventNo),
    type,
    subject_id: String(subjectId),
    created_at: formatTimestamp(createdAt, timeZone),
  };
}

export const eventCommands = group("read the events of a merchant or the installation", { list });
