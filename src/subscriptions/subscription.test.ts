// The calendar of subscriptions: dates counted from the start, ends, due dates, and growing waits of parked ones.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NodalError } from "../platform/errors.ts";
import {
  billDateOf,
  billDatesFrom,
  countDue,
  dateOfOccurrence,
  dueDateOf,
  isDue,
  MAX_PAST_OCCURRENCES,
  missedInPause,
  MODES,
  moveOn,
  park,
  atOccurrence,
  subscriptionNotFound,
  upcomingDates,
  type Plan,
  type Subscription,
} from "./subscription.ts";

const day = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text);
const NOW = Temporal.Instant.from("2026-11-21T06:30:00Z");

function planOf(changes: Partial<Plan> = {}): Plan {
  const never = { endMode: "Never", occurrences: null, endDate: null } as const;
  return { mode: "Monthly", repeatEvery: 1, startDate: day("2027-01-31"), dueDays: 14, ...never, ...changes };
}

function subscriptionOf(changes: Partial<Subscription> = {}): Subscription {
  const plan = planOf(changes);
  return {
    ...plan,
    bucket: 1,
    merchantId: 2n,
    subscriptionId: 3n,
    customerId: 4n,
    templateId: null,
    franchiseId: 0n,
    carryDues: false,
    invoice: {},
    state: "Active",
    nextOccurrence: 0,
    nextBillDate: plan.startDate,
    pausedDate: null,
    parking: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...changes,
  };
}

const datesOf = (plan: Plan, count: number): string[] => billDatesFrom(plan, 0, count).map(String);

describe("the dates of occurrences", () => {
  test.each<[string, Partial<Plan>, string[]]>([
    ["31st, monthly", {}, ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]],
    [
      "31st, in a leap year",
      { startDate: day("2027-12-31") },
      ["2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31"],
    ],
    [
      "30th, every 2 months",
      { startDate: day("2026-12-30"), repeatEvery: 2 },
      ["2026-12-30", "2027-02-28", "2027-04-30"],
    ],
    ["31st, every 13 months", { repeatEvery: 13 }, ["2027-01-31", "2028-02-29", "2029-03-31"]],
    ["daily", { mode: "Daily", startDate: day("2028-02-28") }, ["2028-02-28", "2028-02-29", "2028-03-01"]],
    ["every 3 days", { mode: "Daily", repeatEvery: 3 }, ["2027-01-31", "2027-02-03", "2027-02-06"]],
    ["every 2 weeks", { mode: "Weekly", repeatEvery: 2 }, ["2027-01-31", "2027-02-14", "2027-02-28"]],
    [
      "29 February, yearly",
      { mode: "Yearly", startDate: day("2028-02-29") },
      ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29", "2033-02-28"],
    ],
    [
      "29 February, every 4 years, over a century that is none",
      { mode: "Yearly", repeatEvery: 4, startDate: day("2092-02-29") },
      ["2092-02-29", "2096-02-29", "2100-02-28", "2104-02-29"],
    ],
  ])("%s", (_name, changes, expected) => {
    expect(datesOf(planOf(changes), expected.length)).toEqual(expected);
  });

  test("end after a number of occurrences, or on a day that is included", () => {
    const counted = planOf({ endMode: "Occurences", occurrences: 2 });
    expect(datesOf(counted, 9)).toEqual(["2027-01-31", "2027-02-28"]);
    const until = (endDate: string): string[] => datesOf(planOf({ endMode: "End date", endDate: day(endDate) }), 9);
    expect(until("2027-03-31")).toEqual(["2027-01-31", "2027-02-28", "2027-03-31"]);
    expect(until("2027-03-30")).toEqual(["2027-01-31", "2027-02-28"]);
    expect(until("2027-01-31")).toEqual(["2027-01-31"]);
    expect(datesOf(planOf({ startDate: day("2199-11-30") }), 9)).toEqual(["2199-11-30", "2199-12-30"]);
    expect(datesOf(planOf({ startDate: day("2199-12-31") }), 9)).toEqual(["2199-12-31"]);
  });

  test("are listed from an occurrence on, up to a day that is included", () => {
    const list = (first: number, until: string): string[] => billDatesFrom(planOf(), first, 3, day(until)).map(String);
    expect(list(0, "2027-02-28")).toEqual(["2027-01-31", "2027-02-28"]);
    expect(list(1, "2027-04-29")).toEqual(["2027-02-28", "2027-03-31"]);
    expect(list(1, "2030-01-01")).toEqual(["2027-02-28", "2027-03-31", "2027-04-30"]);
    expect(list(0, "2027-01-30")).toEqual([]);
  });

  test("the due date keeps its distance in days", () => {
    expect(String(dueDateOf(planOf(), day("2028-02-20")))).toBe("2028-03-05");
    expect(String(dueDateOf(planOf({ dueDays: 0 }), day("2028-02-29")))).toBe("2028-02-29");
  });
});

describe("any plan", () => {
  const dates = fc.integer({ min: 0, max: 70_000 }).map((days) => day("2000-01-01").add({ days }));
  const plans = fc
    .record({ mode: fc.constantFrom(...MODES), repeatEvery: fc.integer({ min: 1, max: 40 }), startDate: dates })
    .map(planOf);
  const numbers = fc.integer({ min: 0, max: 400 });

  test("goes forward, and by its unit counted from the start", () => {
    fc.assert(
      fc.property(plans, numbers, (plan, number) => {
        const { startDate, mode, repeatEvery } = plan;
        const date = dateOfOccurrence(plan, number);
        expect(Temporal.PlainDate.compare(dateOfOccurrence(plan, number + 1), date)).toBe(1);
        const months = (date.year - startDate.year) * 12 + date.month - startDate.month;
        if (mode === "Daily") expect(startDate.until(date).days).toBe(number * repeatEvery);
        if (mode === "Weekly") expect(startDate.until(date).days).toBe(7 * number * repeatEvery);
        if (mode === "Monthly") expect(months).toBe(number * repeatEvery);
        if (mode === "Yearly") expect(months).toBe(12 * number * repeatEvery);
      }),
    );
  });

  test("never loses its day to a short month, but in that month", () => {
    fc.assert(
      fc.property(plans, numbers, (plan, number) => {
        fc.pre(plan.mode === "Monthly" || plan.mode === "Yearly");
        const date = dateOfOccurrence(plan, number);
        expect(date.day).toBe(Math.min(plan.startDate.day, date.daysInMonth));
      }),
    );
  });

  test("has no date after its end, and all dates before it", () => {
    fc.assert(
      fc.property(plans, dates, (plan, end) => {
        fc.pre(Temporal.PlainDate.compare(end, plan.startDate) >= 0);
        const ending = { ...plan, endMode: "End date", endDate: end } as const;
        const listed = billDatesFrom(ending, 0, 200);
        for (const date of listed) expect(Temporal.PlainDate.compare(date, end)).toBeLessThanOrEqual(0);
        if (listed.length === 200) return;
        expect(billDateOf(ending, listed.length)).toBeNull();
        expect(Temporal.PlainDate.compare(dateOfOccurrence(plan, listed.length), end)).toBe(1);
      }),
    );
  });
});

describe("a subscription", () => {
  test("moves on to the next occurrence, over skipped ones, and completes", () => {
    const parked = park(subscriptionOf({ endMode: "Occurences", occurrences: 5 }), REFUSAL, NOW);
    const second = moveOn(parked, new Set([1, 2, 4]), NOW);
    expect(second).toMatchObject({ state: "Active", nextOccurrence: 3, parking: null });
    expect(String(second.nextBillDate)).toBe("2027-04-30");
    expect(moveOn(second, new Set([4]), NOW)).toMatchObject({
      state: "Completed",
      nextOccurrence: 5,
      nextBillDate: null,
    });
  });

  test("tells the dates to come without those that are skipped", () => {
    expect(upcomingDates(subscriptionOf(), 2, new Set([1])).map(String)).toEqual(["2027-01-31", "2027-03-31"]);
    expect(upcomingDates(subscriptionOf(), 2, new Set([90])).map(String)).toEqual(["2027-01-31", "2027-02-28"]);
    const ahead = subscriptionOf({ nextOccurrence: 2, nextBillDate: day("2027-03-31") });
    expect(upcomingDates(ahead, 2, new Set([3])).map(String)).toEqual(["2027-03-31", "2027-05-31"]);
    expect(upcomingDates(subscriptionOf({ nextBillDate: null }))).toEqual([]);
    expect(upcomingDates(subscriptionOf())).toHaveLength(5);
  });

  test("that is parked is tried again after 5 minutes, then later each time, at least once a day", () => {
    let subscription = subscriptionOf();
    const minutes = Array.from({ length: 12 }, () => {
      const parked = park(subscription, REFUSAL, NOW);
      subscription = parked;
      return NOW.until(parked.parking.retryAt).total("minutes");
    });
    expect(minutes).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440, 1440]);
    expect(subscription.parking).toMatchObject({ code: "template_not_found", attempts: 12, since: NOW });
    const later = NOW.add({ hours: 1 });
    const again = park(subscription, REFUSAL, later);
    expect(again.parking.reason).toBe(REFUSAL.message);
    expect([again.updatedAt, again.parking.since].map(String)).toEqual([String(later), String(NOW)]);
  });

  test("is due from its bill date on, while it is active", () => {
    const due = (today: string, changes: Partial<Subscription> = {}) => isDue(subscriptionOf(changes), day(today));
    expect([due("2027-01-30"), due("2027-01-31"), due("2027-02-01")]).toEqual([false, true, true]);
    expect(due("2027-02-01", { state: "Paused" })).toBe(false);
    expect(due("2027-02-01", { nextBillDate: null })).toBe(false);
  });

  test("that is paused has missed what fell due since the day after, but for what was skipped already", () => {
    const missed = (pausedDate: string | null, today: string, skipped: readonly number[] = []) =>
      missedInPause(
        subscriptionOf({ pausedDate: pausedDate === null ? null : day(pausedDate) }),
        day(today),
        new Set(skipped),
      ).map(({ occurrenceNo, billDate }) => `${occurrenceNo} ${billDate.toString()}`);
    expect(missed("2027-02-28", "2027-04-29")).toEqual(["2 2027-03-31"]);
    expect(missed("2027-02-27", "2027-04-30", [2])).toEqual(["1 2027-02-28", "3 2027-04-30"]);
    expect(missed("2027-02-28", "2027-03-30")).toEqual([]);
    expect(missed(null, "2027-04-29")).toEqual([]);
  });

  test("counts what is due at once no further than to one too many", () => {
    expect(countDue(planOf(), day("2027-01-30"))).toBe(0);
    expect(countDue(planOf(), day("2027-02-28"))).toBe(2);
    expect(countDue(planOf(), day("2099-01-01"))).toBe(MAX_PAST_OCCURRENCES + 1);
  });

  test("stands at an occurrence: its date, or the end; a pause stays one", () => {
    const paused = subscriptionOf({ state: "Paused", endMode: "Occurences", occurrences: 3 });
    const later = NOW.add({ hours: 1 });
    const third = atOccurrence(paused, 2, later);
    expect(third).toMatchObject({ state: "Paused", nextOccurrence: 2, parking: null, updatedAt: later });
    expect(String(third.nextBillDate)).toBe("2027-03-31");
    expect(atOccurrence(paused, 3, later)).toMatchObject({ state: "Completed", nextBillDate: null });
  });

  test("that there is not is refused with where to look", () => {
    expect(subscriptionNotFound(5n)).toMatchObject({
      code: "subscription_not_found",
      message: expect.stringMatching(/no subscription 5: .*check the list of subscriptions/),
    });
  });
});

const REFUSAL = new NodalError("template_not_found", "There is no such template.");
