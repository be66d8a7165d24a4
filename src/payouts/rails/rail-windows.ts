// When providers take payments on, where that is narrower than the rail itself, and the limits of rails: data, each with the
// day from which it holds. docs/rules/rails.md#windows-of-providers
import { BANKS_TIME_ZONE, isWorkingDay } from "./bank-days.ts";
import type { RailMode } from "./rail.ts";

type Window = {
  readonly provider: string;
  readonly mode: RailMode;
  /** The day from which it holds, until a later one of the same provider and mode does. */
  readonly since: string;
  /** On working days, from and until; `null` for always. */
  readonly hours: readonly [opens: string, closes: string] | null;
};

const WINDOWS: readonly Window[] = [
  { provider: "razorpayx", mode: "NEFT", since: "2019-12-16", hours: ["02:00", "18:00"] },
];

type Limit = {
  readonly mode: RailMode;
  readonly since: string;
  /** In paise; `null` for the most where there is none. */
  readonly leastPaise: bigint;
  readonly mostPaise: bigint | null;
};

/** Banks may set lower ones, which are configuration. */
const LIMITS: readonly Limit[] = [
  { mode: "IMPS", since: "2021-10-08", leastPaise: 100n, mostPaise: 50_000_000n },
  { mode: "NEFT", since: "2019-12-16", leastPaise: 100n, mostPaise: null },
  { mode: "RTGS", since: "2020-12-14", leastPaise: 20_000_000n, mostPaise: null },
  { mode: "UPI", since: "2016-08-25", leastPaise: 100n, mostPaise: 10_000_000n },
];

export type RailLimit = Pick<Limit, "leastPaise" | "mostPaise">;

/** Every transfer asks for today's: they are looked up once a minute. */
const KEPT_MS = 60_000;
const kept = new Map<RailMode, { readonly limit: RailLimit; readonly untilMs: number }>();

/** What a rail carries today. */
export function limitsToday(mode: RailMode): RailLimit {
  const known = kept.get(mode);
  if (known && performance.now() < known.untilMs) return known.limit;
  const limit = limitsOn(mode, Temporal.Now.plainDateISO(BANKS_TIME_ZONE));
  kept.set(mode, { limit, untilMs: performance.now() + KEPT_MS });
  return limit;
}

/** What a rail carries on a day: the row that holds then. */
export function limitsOn(mode: RailMode, day: Temporal.PlainDate): RailLimit {
  const limit = latest(
    LIMITS.filter((each) => each.mode === mode),
    day,
  );
  if (!limit) throw new Error(`nothing is known of ${mode} on ${day.toString()}`);
  return limit;
}

/**
 * When a provider takes a payment on that is given to it now: `null` for at once, else the time at which its window opens.
 * @param rail `<provider>:<account_id>`
 */
export function takenOnAt(rail: string, mode: RailMode, now: Temporal.Instant): Temporal.ZonedDateTime | null {
  const at = now.toZonedDateTimeISO(BANKS_TIME_ZONE);
  const [provider] = rail.split(":");
  const hoursOn = (day: Temporal.PlainDate): Window["hours"] =>
    latest(
      WINDOWS.filter((each) => each.provider === provider && each.mode === mode),
      day,
    )?.hours ?? null;
  for (let day = at.toPlainDate(); ; day = day.add({ days: 1 })) {
    const hours = hoursOn(day);
    if (hours === null) return day.equals(at.toPlainDate()) ? null : day.toZonedDateTime(BANKS_TIME_ZONE);
    const [opens, closes] = hours.map((time) => day.toZonedDateTime({ timeZone: BANKS_TIME_ZONE, plainTime: time }));
    if (!isWorkingDay(day) || Temporal.ZonedDateTime.compare(at, closes!) >= 0) continue;
    return Temporal.ZonedDateTime.compare(at, opens!) >= 0 ? null : opens!;
  }
}

function latest<T extends { readonly since: string }>(rows: readonly T[], day: Temporal.PlainDate): T | null {
  const begun = rows.filter(({ since }) => since <= day.toString());
  return begun.toSorted((a, b) => (a.since < b.since ? -1 : 1)).at(-1) ?? null;
}
