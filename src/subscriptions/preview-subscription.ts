// Previews of subscriptions: the dates of the next invoices, of a saved one or a new plan, and the invoices' totals.
import type { Queryable } from "../platform/database/pool.ts";
import {
  billDatesFrom,
  countDue,
  dueDateOf,
  MAX_PAST_OCCURRENCES,
  missedInPause,
  upcomingDates,
  type Plan,
  type Subscription,
} from "./subscription.ts";
import { findSkippedAhead } from "./subscription-store.ts";
import { findCustomers } from "../customers/index.ts";
import { draftInvoices, type Draft } from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import { keptInput } from "./bill-due.ts";

export type UpcomingInvoice = { readonly billDate: Temporal.PlainDate; readonly dueDate: Temporal.PlainDate };

/** The dates of the next `count` invoices, fewer if the subscription ends before. Nothing is written. */
export async function previewDates(
  db: Queryable,
  subscription: Subscription,
  count: number,
): Promise<UpcomingInvoice[]> {
  const skipped = (await findSkippedAhead(db, subscription, [subscription])).get(subscription.subscriptionId);
  return upcomingDates(subscription, count, skipped).map((billDate) => withDueDate(subscription, billDate));
}

/** The dates on which a paused subscription would have been billed until `today`: those that resuming it would skip. */
export async function previewMissed(
  db: Queryable,
  subscription: Subscription,
  today: Temporal.PlainDate,
): Promise<Temporal.PlainDate[]> {
  const skipped = (await findSkippedAhead(db, subscription, [subscription])).get(subscription.subscriptionId);
  return missedInPause(subscription, today, skipped ?? new Set()).map(({ billDate }) => billDate);
}

export type PlanPreview = {
  /** The first invoices, fewer than requested if the plan ends before. */
  readonly invoices: readonly UpcomingInvoice[];
  /** Whether there are further ones. */
  readonly goesOn: boolean;
  /** How many in total would be created at once, since they are due. */
  readonly due: number;
  /** Whether there are more than a save creates: it would be refused. */
  readonly isTooMany: boolean;
};

/** A plan's first `count` invoices, and those that saving it `today` would create at once. */
export function previewPlan(plan: Plan, today: Temporal.PlainDate, count: number): PlanPreview {
  const dates = billDatesFrom(plan, 0, count + 1);
  const due = countDue(plan, today);
  return {
    invoices: dates.slice(0, count).map((billDate) => withDueDate(plan, billDate)),
    goesOn: dates.length > count,
    due,
    isTooMany: due > MAX_PAST_OCCURRENCES,
  };
}

function withDueDate(plan: Plan, billDate: Temporal.PlainDate): UpcomingInvoice {
  return { billDate, dueDate: dueDateOf(plan, billDate) };
}

/**
 * The next invoice of each subscription, without any dues, by subscription. Left out if it can't be created: its template is gone,
 * or its taxes exceed an invoice's limit.
 */
export async function draftOccurrences(
  db: Queryable,
  merchant: Merchant,
  subscriptions: readonly Subscription[],
): Promise<Map<bigint, Draft>> {
  const customers = await findCustomers(db, merchant, [...new Set(subscriptions.map(({ customerId }) => customerId))]);
  const requests = subscriptions.flatMap((subscription) => {
    const customer = customers.get(subscription.customerId);
    const input = readKept(subscription);
    return customer && input ? [{ subscription, customer, templateId: subscription.templateId, input }] : [];
  });
  const drafts = await draftInvoices(db, merchant, requests);
  return new Map(
    requests.flatMap(({ subscription: { subscriptionId } }, index) => {
      const draft = drafts[index];
      return draft ? [[subscriptionId, draft] as const] : [];
    }),
  );
}

/** Stored content may only have been valid in an earlier version: that parks one subscription, but must not break lists. */
function readKept(subscription: Subscription) {
  try {
    return keptInput(subscription);
  } catch (error) {
    if (error instanceof NodalError) return null;
    throw error;
  }
}
