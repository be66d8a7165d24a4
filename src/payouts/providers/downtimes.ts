// Which banks take no payments over an account, as its provider has told: nothing new is sent to them. docs/rules/rails.md#razorpayx
import { LRUCache } from "lru-cache";
import type { Queryable } from "../../platform/database/pool.ts";
import type { RailMode } from "../rails/rail.ts";
import type { ProviderDowntime } from "./connector.ts";
import type { ProviderAccountKey } from "./provider-account.ts";
import { STALE_AFTER_HOURS, listDowntimes } from "./provider-downtime-store.ts";

const REMEMBERED = 10_000;
const BANK_LETTERS = 4;

/** How a payment would leave, and the IFSC that it goes to; `null` for a handle, whose bank nobody knows. */
export type Destination = { readonly rail: string; readonly mode: RailMode; readonly ifsc: string | null };

type Known = { readonly account: ProviderAccountKey; readonly downtimes: readonly ProviderDowntime[] };

export class Downtimes {
  readonly #accounts = new LRUCache<string, Known>({ max: REMEMBERED });

  /** What the database has of an account, by its rail. */
  set(rail: string, account: ProviderAccountKey, downtimes: readonly ProviderDowntime[]): void {
    if (downtimes.length > 0) this.#accounts.set(rail, { account, downtimes });
    else this.#accounts.delete(rail);
  }

  /** Reads again what accounts with downtimes have: while all payments over one wait, nothing else would. */
  async lookAgain(db: Queryable): Promise<void> {
    for (const [rail, { account }] of this.#accounts.entries().toArray())
      this.set(rail, account, await listDowntimes(db, account));
  }

  /** Why a payment should wait, for people; `null` where its bank takes payments, as far as is known. */
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
