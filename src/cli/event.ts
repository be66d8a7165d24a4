// `nodal event`: what happened to a merchant, in order, from the outbox.
import { listEvents } from "../ledger/index.ts";
import { optional, wholeNumber } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { composeEvents, EVENT_TYPES } from "../webhooks/index.ts";
import { group, merchantCommand, option, REVEAL, shownBy, type Show } from "./command.ts";
import { linksOf } from "./invoice-options.ts";
import { formatTable } from "./output.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAXIMUM = 10_000;

const list = merchantCommand({
  description: "list a merchant's events in order",
  example: "--after 250 --limit 50",
  options: {
    after: option(
      "<seq>",
      "start after this event number; default: 0",
      optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    ),
    limit: option(
      "<n>",
      `at most this many, up to ${LIMIT_MAXIMUM}; default: ${LIMIT_DEFAULT}`,
      optional(wholeNumber(1, LIMIT_MAXIMUM)),
    ),
    reveal: REVEAL,
  },
  async run({ pool, merchant, config }, { after, limit, reveal }) {
    const found = await listEvents(pool, merchant, BigInt(after ?? 0), limit ?? LIMIT_DEFAULT, EVENT_TYPES);
    const rows = found.map(({ eventNo, type, subjectId, createdAt }) => ({
      seq: String(eventNo),
      type,
      subject_id: String(subjectId),
      created_at: formatTimestamp(createdAt, merchant.timeZone),
    }));
    const outgoing = await composeEvents(pool, merchant, found, { links: linksOf(config) });
    // What webhooks send, and how this command names an event.
    const json = rows.map((row, index) => {
      const { message } = outgoing[index]!;
      return { ...row, ...message, data: showMembers(message.data, shownBy(reveal)) };
    });
    return { json, text: formatTable(rows, "No events after this number.") };
  },
});

export const eventCommands = group("read a merchant's events", { list });

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
