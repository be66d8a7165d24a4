// Banks that accept no payments over an account, as its provider reports: no new payments are sent to them. docs/rules/rails.md#razorpayx
import { LRUCache } from "lru-cache";
import type { Queryable } from "../../platform/database/pool.ts";
import type { RailMode } from "../rails/rail.ts";
import type { ProviderDowntime } from "./connector.ts";
import type { ProviderAccountKey } from "./provider-account.ts";
import { STALE_AFTER_HOURS, listDowntimes } from "./provider-downtime-store.ts";

const REMEMBERED = 10_000;
const BANK_LETTERS = 4;

/** The rail and mode of a payment, and the payee's IFSC; `null` for a handle, whose bank is unknown. */
export type Destination = { readonly rail: string; readonly mode: RailMode; readonly ifsc: string | null };

type Known = { readonly account: ProviderAccountKey; readonly downtimes: readonly ProviderDowntime[] };

export class Downtimes {
  readonly #accounts = new LRUCache<string, Known>({ max: REMEMBERED });

  /** Stores the downtimes of an account in the database, by its rail. */
  set(rail: string, account: ProviderAccountKey, downtimes: readonly ProviderDowntime[]): void {
    if (downtimes.length > 0) this.#accounts.set(rail, { account, downtimes });
    else this.#accounts.delete(rail);
  }

  /** Reads the downtimes of affected accounts again. Nothing else does while all payments over one wait. */
  async lookAgain(db: Queryable): Promise<void> {
    for (const [rail, { account }] of this.#accounts.entries().toArray())
      this.set(rail, account, await listDowntimes(db, account));
  }

  /** Why a payment should wait, as shown to people; `null` if its bank accepts payments as far as is known. */
  reasonOf({ rail, mode, ifsc }: Destination, now: Temporal.Instant = Temporal.Now.instant()): string | null {
    const bank = mode === "UPI" ? "" : (ifsc ?? "").slice(0, BANK_LETTERS);
    const found = this.#accounts
      .get(rail)
      ?.downtimes.find(
        (downtime) =>
          isUnderWay(downtime, now) &&
          (downtime.modes.length === 0 || downtime.modes.includes(mode)) &&
          (downtime.bank === "" || (bank !== "" && bank.startsWith(downtime.bank))),
      );
    if (!found) return null;
    const by = found.modes.length === 0 ? "payments" : mode;
    const to = found.bank === "" ? "" : ` to the bank ${bank}`;
    return `The payout provider reports that ${by}${to} can't be made for now.`;
  }
}

function isUnderWay({ begunAt, endedAt }: ProviderDowntime, now: Temporal.Instant): boolean {
  const untilAt = endedAt ?? begunAt.add({ hours: STALE_AFTER_HOURS });
  return Temporal.Instant.compare(begunAt, now) <= 0 && Temporal.Instant.compare(now, untilAt) < 0;
}
