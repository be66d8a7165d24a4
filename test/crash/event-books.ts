// What must hold of a merchant's events and statement after a crash.
import { formatPaise } from "../../src/platform/money.ts";
import { takesType } from "../../src/webhooks/endpoint.ts";
import { nodalJson } from "../support/nodal.ts";
import type { Received } from "../support/webhooks.ts";
import { expectHolds, expectSame } from "./expectations.ts";
import { until, type CrashSite } from "./site.ts";
import { ofWhole } from "./whole-tables.ts";

/** However slow the machine is, something moves within this time. An event that fails holds up others for less. */
const STALLED_TIMEOUT_MS = 180_000;
/** Answers are written together: so many events may be sent again after each interruption, and a few more. */
const MAX_RESENT = 100;

/** The endpoints of a run take every event that is for receivers. */
const ALL_TYPES = null;

/** What a merchant's receiver got, from the event after this one on. */
export type Inbox = {
  readonly merchantId: bigint;
  readonly afterEventNo: bigint;
  readonly received: Pick<Received, "sequence" | "type">[];
};

/**
 * Waits until every event has come; each came for the first time in order, as what it was, and no more were sent again
 * than the interruptions explain.
 */
export async function expectEventsDelivered(site: CrashSite, inbox: Inbox, interruptions: number): Promise<void> {
  const { merchantId, afterEventNo, received } = inbox;
  const { rows } = await site.pool.query<{ entry_no: bigint; type: string }>(
    "select entry_no, type from journal where merchant_id = $1 and entry_no > $2 order by entry_no",
    [merchantId, afterEventNo],
  );
  const told = rows
    .filter(({ type }) => takesType({ merchantId, eventTypes: ALL_TYPES }, type))
    .map(({ entry_no: eventNo, type }) => `${eventNo} ${type}`);
  const firstTimes = (): string[] => [...new Set(received.map(({ sequence, type }) => `${sequence} ${type}`))];
  while (firstTimes().length < told.length) {
    const come = firstTimes().length;
    const endpoint = await describeEndpoint(site, merchantId);
    const what = `more than ${come} of ${told.length} events of the merchant ${merchantId} have come: ${endpoint}`;
    await until(async () => firstTimes().length > come, STALLED_TIMEOUT_MS, what);
  }
  expectSame(firstTimes(), told, `events of the merchant ${merchantId}, each for the first time`);
  const again = received.length - told.length;
  expectHolds(again <= interruptions * MAX_RESENT, `${again} events were sent again`);
}

async function describeEndpoint({ pool }: CrashSite, merchantId: bigint): Promise<string> {
  const { rows } = await pool.query(
    `select cursor_event_no::text, head_tries, failing_since::text, next_attempt_at::text, holder, lease_until::text
     from webhook_endpoint where merchant_id = $1`,
    [merchantId],
  );
  return JSON.stringify(rows);
}

type Statement = Readonly<Record<"closing_balance" | "closing_ledger_balance", string>> & {
  readonly entries: readonly { readonly available_balance: string; readonly ledger_balance: string }[];
};

/** The statement ends with the balances that the book has. */
export async function expectStatementAddsUp(site: CrashSite, merchantId: bigint): Promise<void> {
  const statement = await nodalJson<Statement>(site.environment, "statement", "--merchant", String(merchantId));
  const { rows } = await site.pool.query<{ available_paise: bigint; held_paise: bigint; postings: bigint }>(
    ofWhole(
      ["journal", "ledger_book"],
      `select
       available_paise, held_paise,
       (select count(*) from journal where merchant_id = $1 and kind is not null) as postings
     from ledger_book where merchant_id = $1`,
    ),
    [merchantId],
  );
  const { available_paise: availablePaise, held_paise: heldPaise, postings } = rows[0]!;
  const [available, ledger] = [formatPaise(availablePaise), formatPaise(availablePaise + heldPaise)];
  const last = statement.entries.at(-1)!;
  expectSame(
    {
      closing: [statement.closing_balance, statement.closing_ledger_balance],
      last: [last.available_balance, last.ledger_balance],
      entries: BigInt(statement.entries.length),
    },
    { closing: [available, ledger], last: [available, ledger], entries: postings },
    `the statement of the merchant ${merchantId}`,
  );
}
