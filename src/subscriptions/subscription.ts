// Subscriptions: invoices that repeat. Types, the calendar of their occurrences, and rules that need no database.
// Occurrences are counted from 0.
import type { MerchantKey } from "../merchants/index.ts";
import { NodalError, sentenceOf } from "../platform/errors.ts";
import type { JsonObject } from "../platform/json.ts";

export const MODES = ["Daily", "Weekly", "Monthly", "Yearly"] as const;
export type Mode = (typeof MODES)[number];

/** Spelled as in the API. */
export const END_MODES = ["Never", "Occurences", "End date"] as const;
export type EndMode = (typeof END_MODES)[number];

export const SUBSCRIPTION_STATES = ["Active", "Paused", "Cancelled", "Completed"] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** When invoices are created, and when they are due. */
export type Plan = {
  readonly mode: Mode;
  readonly repeatEvery: number;
  readonly startDate: Temporal.PlainDate;
  /** From an invoice's bill date to its due date. */
  readonly dueDays: number;
  readonly endMode: EndMode;
  /** For the end mode Occurences; else `null`. */
  readonly occurrences: number | null;
  /** The last possible day of an invoice, for the end mode End date; else `null`. */
  readonly endDate: Temporal.PlainDate | null;
};

/** Why the next invoice could not be created. */
export type Parking = {
  readonly code: string;
  readonly reason: string;
  readonly since: Temporal.Instant;
  readonly attempts: number;
  readonly retryAt: Temporal.Instant;
};

export type Subscription = MerchantKey &
  Plan & {
    readonly subscriptionId: bigint;
    readonly customerId: bigint;
    /** `null` for the merchant's default template. */
    readonly templateId: bigint | null;
    /** The franchise of its invoices; 0 for none. */
    readonly franchiseId: bigint;
    readonly carryDues: boolean;
    /** The API's invoice object, without dates and customer. */
    readonly invoice: JsonObject;
    readonly state: SubscriptionState;
    /** The first occurrence neither billed nor skipped, and its date: `null` if there are no more. */
    readonly nextOccurrence: number;
    readonly nextBillDate: Temporal.PlainDate | null;
    readonly pausedDate: Temporal.PlainDate | null;
    readonly parking: Parking | null;
    readonly createdAt: Temporal.Instant;
    readonly updatedAt: Temporal.Instant;
  };

/** The result of an occurrence. */
export type Occurrence = {
  readonly occurrenceNo: number;
  readonly billDate: Temporal.PlainDate;
  readonly dueDate: Temporal.PlainDate;
  readonly state: "Billed" | "Skipped";
  /** `null` for one that was skipped. */
  readonly invoiceId: bigint | null;
  /** The date of the invoice if that of the occurrence was in a locked period; else `null`. */
  readonly movedTo: Temporal.PlainDate | null;
};

/** The last date that the API can express: no subscription goes beyond it. */
const LAST_DATE = Temporal.PlainDate.from("2199-12-31");
/** How many future dates are listed. */
const UPCOMING = 5;
/** docs/rules/subscriptions.md#start-in-the-past */
export const MAX_PAST_OCCURRENCES = 60;
const SHORTEST_PAUSE_MINUTES = 5;
const LONGEST_PAUSE_MINUTES = 24 * 60;

/**
 * The date of an occurrence, ignoring the plan's end: counted from the start, never from the occurrence before, and clamped to the
 * month's end: docs/rules/subscriptions.md#occurrences.
 */
export function dateOfOccurrence({ mode, repeatEvery, startDate }: Plan, occurrenceNo: number): Temporal.PlainDate {
  const steps = occurrenceNo * repeatEvery;
  switch (mode) {
    case "Daily":
      return startDate.add({ days: steps });
    case "Weekly":
      return startDate.add({ weeks: steps });
    case "Monthly":
      return startDate.add({ months: steps });
    case "Yearly":
      return startDate.add({ years: steps });
  }
}

/** The bill date of an occurrence; `null` if the plan has ended: docs/rules/subscriptions.md#end-of-a-subscription. */
export function billDateOf(plan: Plan, occurrenceNo: number): Temporal.PlainDate | null {
  if (plan.occurrences !== null && occurrenceNo >= plan.occurrences) return null;
  const date = dateOfOccurrence(plan, occurrenceNo);
  const last = plan.endDate ?? LAST_DATE;
  return Temporal.PlainDate.compare(date, last) > 0 ? null : date;
}

/** The due date of an invoice with this bill date. */
export function dueDateOf({ dueDays }: Plan, billDate: Temporal.PlainDate): Temporal.PlainDate {
  return billDate.add({ days: dueDays });
}

/** The dates of the occurrences from `first` on: at most `count`, and none after `until` if given. */
export function billDatesFrom(
  plan: Plan,
  first: number,
  count: number,
  until: Temporal.PlainDate = LAST_DATE,
): Temporal.PlainDate[] {
  const dates: Temporal.PlainDate[] = [];
  for (let occurrenceNo = first; dates.length < count; occurrenceNo += 1) {
    const date = billDateOf(plan, occurrenceNo);
    if (date === null || Temporal.PlainDate.compare(date, until) > 0) break;
    dates.push(date);
  }
  return dates;
}

/** How many invoices saving a plan creates at once, counted up to one more than allowed. */
export function countDue(plan: Plan, today: Temporal.PlainDate): number {
  return billDatesFrom(plan, 0, MAX_PAST_OCCURRENCES + 1, today).length;
}

/**
 * The bill dates of a subscription's next occurrences, at most `count`; none once it has ended. A pause may skip
 * occurrences that are ahead.
 */
export function upcomingDates(
  subscription: Subscription,
  count: number = UPCOMING,
  skipped: ReadonlySet<number> = new Set(),
): Temporal.PlainDate[] {
  if (subscription.nextBillDate === null) return [];
  const dates = billDatesFrom(subscription, subscription.nextOccurrence, count + skipped.size);
  return dates.filter((_date, index) => !skipped.has(subscription.nextOccurrence + index)).slice(0, count);
}

/**
 * The occurrences that fell due by `today` since the day after a subscription was paused, without skipped ones; none if it is not
 * paused.
 */
export function missedInPause(
  subscription: Subscription,
  today: Temporal.PlainDate,
  skipped: ReadonlySet<number>,
): { readonly occurrenceNo: number; readonly billDate: Temporal.PlainDate }[] {
  const { nextOccurrence, pausedDate } = subscription;
  if (pausedDate === null) return [];
  return billDatesFrom(subscription, nextOccurrence, Infinity, today)
    .map((billDate, index) => ({ occurrenceNo: nextOccurrence + index, billDate }))
    .filter(({ occurrenceNo, billDate }) => {
      return Temporal.PlainDate.compare(billDate, pausedDate) > 0 && !skipped.has(occurrenceNo);
    });
}

/** Whether the next invoice is due on `today` or before. */
export function isDue(
  { state, nextBillDate }: Pick<Subscription, "state" | "nextBillDate">,
  today: Temporal.PlainDate,
): boolean {
  return state === "Active" && nextBillDate !== null && Temporal.PlainDate.compare(nextBillDate, today) <= 0;
}

/**
 * The subscription after its next occurrence: at the following one that is not in `skipped`, or completed. It is no longer parked.
 */
export function moveOn<T extends Subscription>(
  subscription: T,
  skipped: ReadonlySet<number>,
  now: Temporal.Instant,
): T {
  let nextOccurrence = subscription.nextOccurrence + 1;
  while (skipped.has(nextOccurrence)) nextOccurrence += 1;
  return atOccurrence(subscription, nextOccurrence, now);
}

/** The subscription with this occurrence as its next one, or completed if there is none. */
export function atOccurrence<T extends Subscription>(
  subscription: T,
  nextOccurrence: number,
  now: Temporal.Instant,
): T {
  const nextBillDate = billDateOf(subscription, nextOccurrence);
  const state = nextBillDate === null ? "Completed" : subscription.state;
  return { ...subscription, nextOccurrence, nextBillDate, state, parking: null, updatedAt: now };
}

/** How many failed fields are listed as the reason of a failed attempt. */
const REASONS = 3;

/** The subscription after a failed attempt to create its next invoice: each retry waits longer. */
export function park(
  subscription: Subscription,
  { code, message, errors }: Pick<NodalError, "code" | "message" | "errors">,
  now: Temporal.Instant,
): Subscription & { readonly parking: Parking } {
  const attempts = (subscription.parking?.attempts ?? 0) + 1;
  const minutes = Math.min(SHORTEST_PAUSE_MINUTES * 2 ** (attempts - 1), LONGEST_PAUSE_MINUTES);
  const since = subscription.parking?.since ?? now;
  // Nobody sent the failed fields now: their errors explain more than their names.
  const reason = errors.length === 0 ? message : errors.slice(0, REASONS).map(sentenceOf).join(" ");
  const parking = { code, reason, since, attempts, retryAt: now.add({ minutes }) };
  return { ...subscription, parking, updatedAt: now };
}

/** @throws NodalError always: the merchant has no such subscription */
export function subscriptionNotFound(subscriptionId: bigint): NodalError {
  const message = `This merchant has no subscription ${subscriptionId}: check the list of subscriptions.`;
  return new NodalError("subscription_not_found", message);
}
