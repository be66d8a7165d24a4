// One use case: the dates of a subscription's next invoices.
import type { Queryable } from "../platform/database/pool.ts";
import { dueDateOf, upcomingDates, type Subscription } from "./subscription.ts";
import { findSkippedAhead } from "./subscription-store.ts";

export type UpcomingInvoice = { readonly billDate: Temporal.PlainDate; readonly dueDate: Temporal.PlainDate };

/** The dates of the next `count` invoices, fewer where the subscription ends before. Nothing is written. */
export async function previewDates(
  db: Queryable,
  subscription: Subscription,
  count: number,
): Promise<UpcomingInvoice[]> {
  const skipped = (await findSkippedAhead(db, subscription, [subscription])).get(subscription.subscriptionId);
  return upcomingDates(subscription, count, skipped).map((billDate) => {
    return { billDate, dueDate: dueDateOf(subscription, billDate) };
  });
}
