// One use case: what the invoices of subscriptions would come to if they were made now.
// What belongs here: reading what subscriptions repeat. Adding up is the invoices' business.
import { findCustomers } from "../customers/index.ts";
import { draftInvoices, type Draft } from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { keptInput } from "./occurrence-invoice.ts";
import type { Subscription } from "./subscription.ts";

/**
 * What one more invoice of each subscription would be, without dues of any kind, by subscription. One that could not be
 * made is left out: its template is gone, or its taxes take it beyond what an invoice may come to.
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

/** What is kept may have been allowed by an earlier version only: that parks one subscription, and hides no list. */
function readKept(subscription: Subscription) {
  try {
    return keptInput(subscription);
  } catch (error) {
    if (error instanceof NodalError) return null;
    throw error;
  }
}
