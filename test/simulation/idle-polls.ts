// Polls that find nothing: most statements of a simulation look for what is due, and nothing is. Until something has
// changed, or comes to be due, they would find nothing again, and need not be asked of PostgreSQL. `--every-poll` asks
// all of them, which must not make a difference to anything that happens.
import type pg from "pg";
import { versionOfAll } from "./changes.ts";

type Poll = {
  /** What its answer depends on. */
  readonly tables: readonly string[];
  /** Which of its values is the time, from the end where it is less than 0; `null` where it has none. */
  readonly timeAt: number | null;
  /** In milliseconds since 1970, when the first row comes to be due that it may find then; `null` where it makes no difference. */
  readonly firstDue: string | null;
};

const POLLS: Readonly<Record<string, Poll>> = {
  "find-due-transfers": {
    tables: ["transfer_dispatch"],
    timeAt: 0,
    firstDue: "select extract(epoch from min(due_at)) * 1000 as ms from transfer_dispatch",
  },
  "take-due-provider-notices": {
    tables: ["provider_notice"],
    timeAt: -1,
    firstDue: "select extract(epoch from min(due_at)) * 1000 as ms from provider_notice",
  },
  "take-due-payment-reviews": {
    tables: ["payment_review"],
    timeAt: 0,
    firstDue: "select extract(epoch from min(due_at)) * 1000 as ms from payment_review",
  },
  "insert-payment-reviews": { tables: ["payment_review", "merchant"], timeAt: 0, firstDue: null },
  "list-merchants-held": { tables: ["transfer_dispatch"], timeAt: null, firstDue: null },
  "list-claims": { tables: ["dispatch_claim"], timeAt: null, firstDue: null },
};

export type Statement = { readonly name?: string; readonly values?: readonly unknown[] };
type Found = Pick<pg.QueryResult, "command" | "rowCount" | "rows">;
/** Reads a time in whole milliseconds, rounded down; infinity for none. */
export type ReadTime = (sql: string) => Promise<number>;
type Nothing = { readonly version: number; readonly untilMs: number };

export class IdlePolls {
  readonly #found = new Map<string, Nothing>();
  readonly #firstDue = new Map<string, Nothing>();
  readonly #isEveryPollDue: boolean;

  constructor(isEveryPollDue: boolean) {
    this.#isEveryPollDue = isEveryPollDue;
  }

  /** Whether a statement outside of a transaction would find nothing; `as` says who asks, in what role. */
  findsNothing(asked: Statement, as: string): boolean {
    const poll = this.#poll(asked);
    if (!poll) return false;
    const nothing = this.#found.get(keyOf(asked, as));
    return nothing?.version === versionOfAll(poll.tables) && timeOf(asked, poll) < nothing.untilMs;
  }

  /** Remembers that a statement has found nothing. It must be asked before anything else happens. */
  async note(asked: Statement, as: string, { rowCount }: Found, read: ReadTime): Promise<void> {
    const poll = this.#poll(asked);
    if (!poll || rowCount !== 0) return;
    const version = versionOfAll(poll.tables);
    const untilMs = poll.firstDue === null ? Infinity : await this.#readFirstDue(poll.firstDue, version, read);
    this.#found.set(keyOf(asked, as), { version, untilMs });
  }

  #poll({ name }: Statement): Poll | undefined {
    return this.#isEveryPollDue || name === undefined ? undefined : POLLS[name];
  }

  async #readFirstDue(sql: string, version: number, read: ReadTime): Promise<number> {
    const known = this.#firstDue.get(sql);
    if (known?.version === version) return known.untilMs;
    const untilMs = await read(sql);
    this.#firstDue.set(sql, { version, untilMs });
    return untilMs;
  }
}

/** In whole milliseconds, like what it is compared with: in the one in which something is due, the poll is asked. */
function timeOf({ values }: Statement, { timeAt }: Poll): number {
  return timeAt === null ? 0 : Date.parse(String(values!.at(timeAt)));
}

/** What of it decides what it finds, beside the time. */
function keyOf({ name, values = [] }: Statement, as: string): string {
  const { timeAt } = POLLS[name!]!;
  const place = timeAt === null ? null : (timeAt + values.length) % values.length;
  const others = values.filter((_value, at) => at !== place);
  return `${as} ${name} ${others.map((value) => String(value as string)).join(" ")}`;
}
