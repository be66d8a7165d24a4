// The order of an owner's accounts for payouts: each account has a place, or none, for each mode. provider-account-store.ts
// stores them.
import type { PayoutRails } from "../../merchants/index.ts";
import type { FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import type { RailMode } from "../rails/rail.ts";
import { railName, type Priorities, type ProviderAccount } from "./provider-account.ts";

const RAIL_MODES = ["IMPS", "NEFT", "RTGS", "UPI"] as const satisfies readonly RailMode[];

type Placed = Pick<ProviderAccount, "provider" | "merchantId" | "accountId" | "disconnectedAt" | "priorities">;

const LAST_PLACE = 99;

/**
 * Reads places such as `IMPS=1,NEFT=2`. `all` means after the others for every mode, `none` means no mode.
 * @param others the owner's other accounts
 */
export function readPriorities(text: string, others: readonly Placed[], errors: FieldError[]): Priorities {
  if (text === "all") return behind(others);
  if (text === "none") return {};
  const places = new Map<RailMode, number>();
  for (const part of text.split(",")) {
    const [, word, place] = /^\s*([A-Za-z]+)=([1-9][0-9]?)\s*$/.exec(part) ?? [];
    const mode = RAIL_MODES.find((each) => each === word?.toUpperCase());
    if (!mode || places.has(mode)) {
      const problem = `must be ${RAIL_MODES.join(", ")}, each at most once with a position from 1 to ${LAST_PLACE}, such as IMPS=1,NEFT=2; or all, or none.`;
      fail(errors, "modes", "invalid", problem);
      return {};
    }
    places.set(mode, Number(place));
  }
  return Object.fromEntries(places);
}

/** Places after all others for every mode, so that connecting an account doesn't change the existing ones. */
export function behind(others: readonly Placed[]): Priorities {
  const used = (mode: RailMode): number[] => connected(others).map(({ priorities }) => priorities[mode] ?? 0);
  return Object.fromEntries(RAIL_MODES.map((mode) => [mode, Math.min(LAST_PLACE, Math.max(0, ...used(mode)) + 1)]));
}

/** The other accounts whose places change for a new one: the account in its place and those after it move down by one. */
export function makeRoom<T extends Placed>(priorities: Priorities, others: readonly T[]): T[] {
  const changed = new Map<T, Priorities>();
  for (const [mode, wanted] of Object.entries(priorities) as [RailMode, number][]) {
    let taken = wanted;
    for (const other of inOrder(others, mode)) {
      if (other.priorities[mode]! !== taken) continue;
      taken += 1;
      changed.set(other, { ...(changed.get(other) ?? other.priorities), [mode]: taken });
    }
  }
  return [...changed].map(([other, places]) => ({ ...other, priorities: places }));
}

/** The accounts that support a mode, in order. */
export function inOrder<T extends Placed>(accounts: readonly T[], mode: RailMode): T[] {
  return connected(accounts)
    .filter(({ priorities }) => priorities[mode] !== undefined)
    .sort(
      (one, other) => one.priorities[mode]! - other.priorities[mode]! || (one.accountId < other.accountId ? -1 : 1),
    );
}

/** The rail of the first account for each mode; `null` where none is connected. */
export function firstRails(accounts: readonly Placed[]): PayoutRails | null {
  if (connected(accounts).length === 0) return null;
  const firsts = RAIL_MODES.map((mode) => [mode, inOrder(accounts, mode)[0]] as const);
  return Object.fromEntries(firsts.flatMap(([mode, first]) => (first ? [[mode, railName(first)]] : [])));
}

/** Formats places for `readPriorities`. */
export function formatPriorities(priorities: Priorities): string {
  const parts = RAIL_MODES.filter((mode) => priorities[mode] !== undefined).map(
    (mode) => `${mode}=${priorities[mode]}`,
  );
  return parts.length > 0 ? parts.join(",") : "none";
}

function connected<T extends Placed>(accounts: readonly T[]): T[] {
  return accounts.filter(({ disconnectedAt }) => disconnectedAt === null);
}
