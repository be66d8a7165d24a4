// Routes of one subscription: with its dates, what it bills and its history; pausing, resuming and cancelling it.
// What belongs here: wire shapes, no logic.
import { findTemplate, formatInvoiceId, type Draft } from "../invoices/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { digitsOrNumber, flag, optional } from "../platform/http/fields.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import {
  billDue,
  cancelSubscription,
  describeSubscriptions,
  draftOccurrences,
  findSubscription,
  listOccurrences,
  pauseSubscription,
  previewDates,
  previewMissed,
  resumeSubscription,
  subscriptionNotFound,
  type Subscription,
} from "../subscriptions/index.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";

const DATES_SHOWN = 12;
const params = { subscription_id: digitsOrNumber(16) };

/** Adds what shows subscriptions. */
export function registerSubscriptionReadRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/subscriptions/:subscription_id",
    permission: "subscriptions.view",
    narrowsToFranchise: true,
    params,
    handler: async (call) => describe(call.db, call.merchant, await requireSubscription(call)),
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/subscriptions/:subscription_id/occurrences",
    permission: "subscriptions.view",
    narrowsToFranchise: true,
    params,
    query: { after: optional(digitsOrNumber(9)), limit: pageLimit() },
    handler: async (call) => {
      const { db, merchant, query } = call;
      const { subscriptionId } = await requireSubscription(call);
      const limit = limitOf(query);
      const before = query.after === null ? null : Number(query.after);
      const found = await listOccurrences(db, merchant, subscriptionId, before, limit);
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
      handler: async ({ db, merchant, params: { subscription_id } }) =>
        describe(db, merchant, await change(db, merchant, BigInt(subscription_id))),
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
      const { ids, saves, logger } = parts;
      await billDue({ pool: db, ids, inTurn: saves.inTurn, logger }, merchant, { subscriptionId });
      // Billing may have moved it on.
      return describe(db, merchant, (await findSubscription(db, merchant, subscriptionId))!);
    },
  });
}

/** @throws NodalError `subscription_not_found`, for a franchise also where the invoices are not its own */
export async function requireSubscription(
  call: MerchantCall & { readonly params: { readonly subscription_id: string } },
): Promise<Subscription> {
  const { db, merchant, session, params: named } = call;
  const subscriptionId = BigInt(named.subscription_id);
  const subscription = await findSubscription(db, merchant, subscriptionId);
  const isForeign = session.login.kind === "franchise" && subscription?.franchiseId !== session.login.loginId;
  if (!subscription || isForeign) throw subscriptionNotFound(subscriptionId);
  return subscription;
}

async function describe(db: Queryable, merchant: Merchant, subscription: Subscription) {
  const { subscriptionId } = subscription;
  const [objects, drafts, dates, missed, template] = await Promise.all([
    describeSubscriptions(db, merchant, [subscription]),
    draftOccurrences(db, merchant, [subscription]),
    previewDates(db, subscription, DATES_SHOWN),
    previewMissed(db, subscription, todayOf(merchant)),
    findTemplate(db, merchant, subscription.templateId),
  ]);
  const draft = drafts.get(subscriptionId);
  return {
    subscription: { ...objects.get(subscriptionId)!, template_name: template?.name ?? "" },
    /** What each invoice comes to as things are; null where it could not be made. */
    each: draft ? describeDraft(draft) : null,
    dates: dates.map(({ billDate, dueDate }) => ({ bill_date: billDate.toString(), due_date: dueDate.toString() })),
    /** What resuming would skip: how many dates, the first and the last. */
    missed: { count: missed.length, first: String(missed.at(0) ?? ""), last: String(missed.at(-1) ?? "") },
  };
}

function describeDraft({ content, subTotalPaise, amountPaise }: Draft) {
  return {
    sub_total: formatPaise(subTotalPaise),
    amount: formatPaise(amountPaise),
    rows: content.rows.map((row) => ({
      item: row.item,
      sac_code: row.sacCode,
      description: row.description,
      total_amount: formatPaise(row.amountPaise),
    })),
    taxes: content.taxes.map((tax) => ({
      name: tax.name,
      percentage: formatThousandths(tax.percentThousandths),
      applicable_on: formatPaise(tax.applicableOnPaise),
      amount: formatPaise(tax.amountPaise),
    })),
  };
}
