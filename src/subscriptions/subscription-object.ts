// A subscription as commands and webhooks show it: the wire's members and spellings, and where it stands.
// What belongs here: that form, for one or many of a merchant at once.
import { findCustomers } from "../customers/index.ts";
import { formatInvoiceId } from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { formatTimestamp } from "../platform/time.ts";
import { dueDateOf, upcomingDates, type Subscription } from "./subscription.ts";
import { findSkippedAhead, findSubscriptions, listRecentOccurrences } from "./subscription-store.ts";

/** How many occurrences are told of what is past. */
const RECENT = 5;

/** Ids and numbers are strings, as on the wire; dates `YYYY-MM-DD`, timestamps in the merchant's time zone. */
export type SubscriptionObject = {
  readonly subscription_id: string;
  readonly status: string;
  readonly customer_id: string;
  readonly customer_code: string;
  readonly customer_name: string;
  /** Empty for the merchant's default template. */
  readonly template_id: string;
  readonly mode: string;
  readonly repeat_every: string;
  readonly start_date: string;
  readonly due_date: string;
  readonly end_mode: string;
  readonly occurences: string;
  readonly end_date: string;
  readonly carry_forword_dues: string;
  readonly next_invoice_date: string;
  readonly next_invoice_dates: readonly string[];
  /** Why the next invoice could not be made; `null` where nothing is wrong. */
  readonly parked: {
    readonly code: string;
    readonly reason: string;
    readonly since: string;
    readonly attempts: number;
    readonly retry_at: string;
  } | null;
  /** Newest first. `occurrence` counts from 1; `invoice_id` is empty for one that was skipped. */
  readonly recent_occurrences: readonly {
    readonly occurrence: number;
    readonly bill_date: string;
    readonly due_date: string;
    readonly status: string;
    readonly invoice_id: string;
  }[];
  /** The invoice that repeats. */
  readonly invoice: Readonly<Record<string, unknown>>;
  readonly created_at: string;
};

/** A merchant's subscriptions by their ids, in a handful of statements; what there is none of is left out. */
export async function subscriptionObjects(
  db: Queryable,
  merchant: Merchant,
  subscriptionIds: readonly bigint[],
): Promise<Map<bigint, SubscriptionObject>> {
  return describeSubscriptions(db, merchant, await findSubscriptions(db, merchant, subscriptionIds));
}

/** Subscriptions of a merchant in the same form, by their ids. */
export async function describeSubscriptions(
  db: Queryable,
  merchant: Merchant,
  subscriptions: readonly Subscription[],
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
      const customer = customers.get(each.customerId);
      const dates = upcomingDates(each, undefined, skipped.get(each.subscriptionId)).map(String);
      const object: SubscriptionObject = {
        subscription_id: String(each.subscriptionId),
        status: each.state,
        customer_id: String(each.customerId),
        customer_code: customer?.customerCode ?? "",
        customer_name: customer?.customerName ?? "",
        ...planOf(each),
        next_invoice_date: dates[0] ?? "",
        next_invoice_dates: dates,
        parked: parkedOf(each, merchant),
        recent_occurrences: (recent.get(each.subscriptionId) ?? []).map((occurrence) => ({
          occurrence: occurrence.occurrenceNo + 1,
          bill_date: occurrence.billDate.toString(),
          due_date: occurrence.dueDate.toString(),
          status: occurrence.state,
          invoice_id: occurrence.invoiceId === null ? "" : formatInvoiceId(occurrence.invoiceId),
        })),
        invoice: each.invoice,
        created_at: formatTimestamp(each.createdAt, merchant.timeZone),
      };
      return [each.subscriptionId, object];
    }),
  );
}

function planOf(subscription: Subscription) {
  return {
    template_id: subscription.templateId === null ? "" : String(subscription.templateId),
    mode: subscription.mode,
    repeat_every: String(subscription.repeatEvery),
    start_date: subscription.startDate.toString(),
    due_date: dueDateOf(subscription, subscription.startDate).toString(),
    end_mode: subscription.endMode,
    occurences: subscription.occurrences === null ? "" : String(subscription.occurrences),
    end_date: subscription.endDate?.toString() ?? "",
    carry_forword_dues: subscription.carryDues ? "1" : "0",
  };
}

function parkedOf({ parking }: Subscription, { timeZone }: Merchant): SubscriptionObject["parked"] {
  if (parking === null) return null;
  return {
    code: parking.code,
    reason: parking.reason,
    since: formatTimestamp(parking.since, timeZone),
    attempts: parking.attempts,
    retry_at: formatTimestamp(parking.retryAt, timeZone),
  };
}
