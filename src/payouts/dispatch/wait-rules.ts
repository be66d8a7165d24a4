// Each merchant's settings for unsent payouts while a provider is down or its balance is short:
// docs/rules/payouts.md#while-a-provider-is-down.
import { LRUCache } from "lru-cache";
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { inOrder } from "../providers/priorities.ts";
import { INSTALLATION, railName, type ProviderAccount } from "../providers/provider-account.ts";
import { listProviderAccounts } from "../providers/provider-account-store.ts";
import type { RailMode } from "../rails/rail.ts";
import { readWaitRule, type WaitRule } from "./unsent-store.ts";

const REMEMBERED = 10_000;
const REMEMBERED_MS = 1000;

export class WaitRules {
  readonly #db: Queryable;
  readonly #rules = new LRUCache<string, Promise<MerchantWaitRule>>({ max: REMEMBERED, ttl: REMEMBERED_MS });

  /** @param db sees the accounts of all merchants; each look-up names its own */
  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The rule of a merchant, at most a second old. */
  of({ bucket, merchantId }: MerchantKey): Promise<MerchantWaitRule> {
    const key = String(merchantId);
    const known = this.#rules.get(key);
    if (known) return known;
    const reading = this.#read({ bucket, merchantId });
    this.#rules.set(key, reading);
    reading.catch(() => this.#rules.delete(key));
    return reading;
  }

  async #read(merchant: MerchantKey): Promise<MerchantWaitRule> {
    const rule = await readWaitRule(this.#db, merchant);
    if (rule.whenDown !== "next") return new MerchantWaitRule(rule, []);
    return new MerchantWaitRule(rule, await listAccountsOf(this.#db, merchant, rule));
  }
}

/** The accounts that carry a live merchant's payouts: its own, or the installation's. */
export async function listUsableAccounts(db: Queryable, merchant: MerchantKey): Promise<readonly ProviderAccount[]> {
  return listAccountsOf(db, merchant, await readWaitRule(db, merchant));
}

function listAccountsOf(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { sharesAccount }: Pick<WaitRule, "sharesAccount">,
): Promise<readonly ProviderAccount[]> {
  return listProviderAccounts(db, sharesAccount ? INSTALLATION : { bucket, merchantId });
}

export class MerchantWaitRule {
  readonly whenDown: WaitRule["whenDown"];
  readonly #giveUpMinutes: number | null;
  readonly #accounts: readonly ProviderAccount[];

  constructor({ whenDown, giveUpMinutes }: Omit<WaitRule, "sharesAccount">, accounts: readonly ProviderAccount[]) {
    this.whenDown = whenDown;
    this.#giveUpMinutes = giveUpMinutes;
    this.#accounts = accounts;
  }

  /** The other rails that a payout may use, in order; none unless the merchant has allowed it. */
  othersFor(mode: RailMode): string[] {
    return inOrder(this.#accounts, mode).map(railName);
  }

  /** Transfers that have waited since this time or longer are given up; `null` for none. */
  givesUpSince(now: Temporal.Instant): Temporal.Instant | null {
    if (this.whenDown === "fail") return now;
    return this.#giveUpMinutes === null ? null : now.subtract({ minutes: this.#giveUpMinutes });
  }
}
