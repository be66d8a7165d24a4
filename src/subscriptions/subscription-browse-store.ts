// SQL of paging through a merchant's subscriptions: a page after a key, by state, customer or search. Each filter and order has an
// index.
import { findCustomerIds } from "../customers/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { Subscription, SubscriptionState } from "./subscription.ts";
import { SUBSCRIPTIONS } from "./subscription-store.ts";

/** The result of a search: subscriptions by their id, and customers whose subscriptions match. */
export type FoundSubscriptions = {
  readonly subscriptionIds: readonly bigint[];
  readonly customerIds: readonly bigint[];
  /** More customers match than were read. */
  readonly isCut: boolean;
};

/** `null` members don't filter. */
export type SubscriptionFilter = {
  /** `Parked` is every active one whose next invoice could not be created. */
  readonly state: SubscriptionState | "Parked" | null;
  readonly customerId: bigint | null;
  /** Those whose invoices belong to a franchise. */
  readonly franchiseId: bigint | null;
  readonly found: FoundSubscriptions | null;
};

export type SubscriptionOrder = {
  /** The order by next invoice date includes only active ones that have such a date. */
  readonly by: "created" | "next_invoice_date";
  readonly descending: boolean;
};
/** The last subscription of the previous page. */
export type SubscriptionPlace = Pick<Subscription, "subscriptionId" | "nextBillDate">;

/** The most customers whose subscriptions a search reads. */
const CUSTOMERS_FOUND = 100;

/** One page of a merchant's subscriptions, after a key or from the beginning. */
export async function browseSubscriptions(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  filter: SubscriptionFilter,
  order: SubscriptionOrder,
  after: SubscriptionPlace | null,
  limit: number,
): Promise<Subscription[]> {
  const values: unknown[] = [bucket, merchantId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ["bucket = $1 and merchant_id = $2"];
  const { state, customerId, franchiseId, found } = filter;
  const isByDate = order.by === "next_invoice_date";
  if (state === "Parked") conditions.push("state = 'Active' and parked_code is not null");
  // Spelled out for states with their own partial index.
  else if (state === "Active" || isByDate) conditions.push("state = 'Active'");
  else if (state !== null) conditions.push(`state <> 'Active' and state = ${add(state)}`);
  if (customerId !== null) conditions.push(`customer_id = ${add(customerId)}`);
  if (franchiseId !== null) conditions.push(`franchise_id <> 0 and franchise_id = ${add(franchiseId)}`);
  if (found) {
    const byId = `subscription_id = any (${add(found.subscriptionIds)}::bigint[])`;
    conditions.push(`(${byId} or customer_id = any (${add(found.customerIds)}::bigint[]))`);
  }
  const comparison = order.descending ? "<" : ">";
  if (after && isByDate) {
    const key = `(${add(after.nextBillDate?.toString() ?? null)}::date, ${add(after.subscriptionId)}::bigint)`;
    conditions.push(`(next_bill_date, subscription_id) ${comparison} ${key}`);
  } else if (after) conditions.push(`subscription_id ${comparison} ${add(after.subscriptionId)}`);
  const direction = order.descending ? "desc" : "asc";
  return SUBSCRIPTIONS.select(
    db,
    `select * from subscription where ${conditions.join(" and ")}
     order by ${isByDate ? `next_bill_date ${direction}, ` : ""}subscription_id ${direction}
     limit ${add(limit)}`,
    values,
  );
}

/** Finds by a subscription's id, a customer's whole code, or a part of a customer's name. */
export async function findMatchingSubscriptions(
  db: Queryable,
  merchant: MerchantKey,
  text: string,
): Promise<FoundSubscriptions> {
  const customerIds = await findCustomerIds(db, merchant, text, CUSTOMERS_FOUND + 1);
  return {
    subscriptionIds: /^[0-9]{1,16}$/.test(text) ? [BigInt(text)] : [],
    customerIds: customerIds.slice(0, CUSTOMERS_FOUND),
    isCut: customerIds.length > CUSTOMERS_FOUND,
  };
}

/** The subscription that created an invoice; `null` if none did. */
export async function findSubscriptionOf(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoiceId: bigint,
): Promise<bigint | null> {
  const { rows } = await db.query<{ subscription_id: bigint }>({
    name: "find-subscription-of-invoice",
    text: `select subscription_id from subscription_occurrence
      where bucket = $1 and merchant_id = $2 and invoice_id = $3`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows[0]?.subscription_id ?? null;
}
