// Routes of subscriptions: the list, one of them with its dates and history, and pausing, resuming and cancelling it.
// What belongs here: wire shapes, no logic.
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { digitsOrNumber, flag, oneOf, optional } from "../platform/http/fields.ts";
import { formatInvoiceId } from "../invoices/index.ts";
import {
  billDue,
  cancelSubscription,
  describeSubscriptions,
  findSubscription,
  listOccurrences,
  listSubscriptions,
  pauseSubscription,
  previewDates,
  resumeSubscription,
  SUBSCRIPTION_STATES,
  subscriptionNotFound,
  subscriptionObjects,
} from "../subscriptions/index.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";

const DATES_SHOWN = 12;
const params = { subscription_id: digitsOrNumber(16) };

/** Adds what shows subscriptions. */
export function registerSubscriptionReadRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/subscriptions",
    permission: "subscriptions.view",
    query: {
      status: optional(oneOf(SUBSCRIPTION_STATES)),
      after: optional(digitsOrNumber(16)),
      limit: pageLimit(),
    },
    handler: async ({ db, merchant, query }) => {
      const limit = limitOf(query);
      const found = await listSubscriptions(db, merchant, {
        after: BigInt(query.after ?? 0),
        limit,
        state: query.status,
      });
      const described = [...(await describeSubscriptions(db, merchant, found)).values()];
      // Of many, what one of them shows in full is left out.
      const subscriptions = described.map((each) => ({ ...each, invoice: undefined, recent_occurrences: undefined }));
      return { subscriptions, next: found.length === limit ? String(found.at(-1)!.subscriptionId) : null };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/subscriptions/:subscription_id",
    permission: "subscriptions.view",
    params,
    handler: async ({ db, merchant, params: { subscription_id } }) => describe(db, merchant, BigInt(subscription_id)),
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/subscriptions/:subscription_id/occurrences",
    permission: "subscriptions.view",
    params,
    query: { after: optional(digitsOrNumber(9)), limit: pageLimit() },
    handler: async ({ db, merchant, params: { subscription_id }, query }) => {
      const limit = limitOf(query);
      const before = query.after === null ? null : Number(query.after);
      const found = await listOccurrences(db, merchant, BigInt(subscription_id), before, limit);
      return {
        occurrences: found.map((occurrence) => ({
          occurrence: occurrence.occurrenceNo + 1,
          bill_date: occurrence.billDate.toString(),
          due_date: occurrence.dueDate.toString(),
          status: occurrence.state,
          invoice_id: occurrence.invoiceId === null ? "" : formatInvoiceId(occurrence.invoiceId),
        })),
        next: found.length === limit ? String(found.at(-1)!.occurrenceNo) : null,
      };
    },
  });
}

/** Adds what changes the state of a subscription. */
export function registerSubscriptionStateRoutes(scope: DashboardScope): void {
  const { parts } = scope;
  for (const [name, change] of [
    ["pause", pauseSubscription],
    ["cancel", cancelSubscription],
  ] as const) {
    dashboardRoute(scope, {
      method: "POST",
      url: `/subscriptions/:subscription_id/${name}`,
      permission: "subscriptions.manage",
      params,
      handler: async ({ db, merchant, params: { subscription_id } }) => {
        await change(db, merchant, BigInt(subscription_id));
        return describe(db, merchant, BigInt(subscription_id));
      },
    });
  }

  dashboardRoute(scope, {
    method: "POST",
    url: "/subscriptions/:subscription_id/resume",
    permission: "subscriptions.manage",
    params,
    body: { bill_missed: optional(flag()) },
    handler: async ({ db, merchant, params: { subscription_id }, body }) => {
      const subscriptionId = BigInt(subscription_id);
      await resumeSubscription(db, merchant, subscriptionId, body.bill_missed ?? false);
      await billDue({ pool: db, ids: parts.ids, logger: parts.logger }, merchant, { subscriptionId });
      return describe(db, merchant, subscriptionId);
    },
  });
}

async function describe(db: Queryable, merchant: Merchant, subscriptionId: bigint) {
  const subscription = await findSubscription(db, merchant, subscriptionId);
  const described = (await subscriptionObjects(db, merchant, [subscriptionId])).get(subscriptionId);
  if (!subscription || !described) throw subscriptionNotFound(subscriptionId);
  const dates = await previewDates(db, subscription, DATES_SHOWN);
  return {
    subscription: described,
    dates: dates.map(({ billDate, dueDate }) => ({ bill_date: billDate.toString(), due_date: dueDate.toString() })),
  };
}
