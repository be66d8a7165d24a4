// A subscription in commands and webhooks: the API's members and formats, and its state.
import { findCustomers, type Customer } from "../customers/index.ts";
import { formatInvoiceId } from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { formatTimestamp, type WriteInstant } from "../platform/time.ts";
import { dueDateOf, upcomingDates, type Subscription } from "./subscription.ts";
import {
  findSkippedAhead,
  findSubscriptions,
  listRecentOccurrences,
  type SubscriptionOccurrence,
} from "./subscription-store.ts";

/** How many past occurrences are listed. */
const RECENT = 5;

/** A merchant's subscriptions by their ids, in a few statements; missing ones are left out. */
export async function subscriptionObjects(
  db: Queryable,
  merchant: Merchant,
  subscriptionIds: readonly bigint[],
): Promise<Map<bigint, SubscriptionObject>> {
  return describeSubscriptions(db, merchant, await findSubscriptions(db, merchant, subscriptionIds));
}

/** A merchant's subscriptions in the same form, by their ids. `write` formats times. */
export async function describeSubscriptions(
  db: Queryable,
  merchant: Merchant,
  subscriptions: readonly Subscription[],
  write: WriteInstant = formatTimestamp,
): Promise<Map<bigint, SubscriptionObject>> {
  if (subscriptions.length === 0) return new Map();
  const ids = subscriptions.map(({ subscriptionId }) => subscriptionId);
  const customerIds = [...new Set(subscriptions.map(({ customerId }) => customerId))];
  const customers = await findCustomers(db, merchant, customerIds);
  const recent = Map.groupBy(
    await listRecentOccurrences(db, merchant, ids, RECENT),
    ({ subscriptionId }) => subscriptionId,
  );
  const skipped = await findSkippedAhead(db, merchant, subscriptions);
  return new Map(
    subscriptions.map((each) => {
      const dates = upcomingDates(each, undefined, skipped.get(each.subscriptionId)).map(String);
      const past = recent.get(each.subscriptionId) ?? [];
      const object = toObject(each, merchant, { customer: customers.get(each.customerId), dates, past, write });
      return [each.subscriptionId, object];
    }),
  );
}

/** Ids and numbers are strings, as in the API; dates `YYYY-MM-DD`, timestamps in the merchant's time zone. */
export type SubscriptionObject = ReturnType<typeof toObject>;

type Around = {
  readonly customer: Customer | undefined;
  readonly dates: readonly string[];
  readonly past: readonly SubscriptionOccurrence[];
  readonly write: WriteInstant;
};

function toObject(subscription: Subscription, { timeZone }: Merchant, { customer, dates, past, write }: Around) {
  return {
    subscription_id: String(subscription.subscriptionId),
    status: subscription.state as string,
    customer_id: String(subscription.customerId),
    customer_code: customer?.customerCode ?? "",
    customer_name: customer?.customerName ?? "",
    ...planOf(subscription),
    next_invoice_date: dates[0] ?? "",
    next_invoice_dates: dates,
    parked: parkedOf(subscription, timeZone, write),
    /** Newest first. `occurrence` counts from 1; `invoice_id` is empty for one that was skipped. */
    recent_occurrences: past.map((occurrence) => ({
      occurrence: occurrence.occurrenceNo + 1,
      bill_date: occurrence.billDate.toString(),
      due_date: occurrence.dueDate.toString(),
      status: occurrence.state as string,
      invoice_id: occurrence.invoiceId === null ? "" : formatInvoiceId(occurrence.invoiceId),
    })),
    /** The repeated invoice, as it was saved. */
    invoice: subscription.invoice,
    created_at: write(subscription.createdAt, timeZone),
  };
}

function planOf(subscription: Subscription) {
  return {
    /** Empty for the merchant's default template. */
    template_id: subscription.templateId === null ? "" : String(subscription.templateId),
    mode: subscription.mode as string,
    repeat_every: String(subscription.repeatEvery),
    start_date: subscription.startDate.toString(),
    due_date: dueDateOf(subscription, subscription.startDate).toString(),
    end_mode: subscription.endMode as string,
    occurences: subscription.occurrences === null ? "" : String(subscription.occurrences),
    end_date: subscription.endDate?.toString() ?? "",
    carry_forword_dues: subscription.carryDues ? "1" : "0",
  };
}

/** Why the next invoice could not be created; `null` if there is no problem. */
function parkedOf({ parking }: Subscription, timeZone: string, write: WriteInstant) {
  if (parking === null) return null;
  return {
    code: parking.code,
    reason: parking.reason,
    since: write(parking.since, timeZone),
    attempts: parking.attempts,
    retry_at: write(parking.retryAt, timeZone),
  };
}
