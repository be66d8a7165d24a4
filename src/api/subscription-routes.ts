// Routes of subscriptions: creating one; one with its dates, invoices and history; pausing, resuming and cancelling it.
import { findTemplate, formatInvoiceId, readInvoiceSettings, toWireLine, type Draft } from "../invoices/index.ts";
import { franchiseOf, todayOf, type Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { digitsOrNumber, flag, optional } from "../platform/http/fields.ts";
import { warn } from "../platform/http/warning.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import {
  billDue,
  cancelSubscription,
  checkSubscription,
  describeSubscriptions,
  draftOccurrences,
  findSubscription,
  listOccurrences,
  pauseSubscription,
  previewDates,
  previewMissed,
  previewPlan,
  readPlan,
  resumeSubscription,
  saveSubscription,
  scheduleFields,
  subscriptionFields,
  subscriptionNotFound,
  toSubscriptionRequest,
  type SaveSubscription,
  type Subscription,
} from "../subscriptions/index.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { markReplayed } from "./once.ts";
import { refuseNewCustomer, registerFormRoutes } from "./invoice-routes.ts";
import { cutPage, listRoute } from "./list-routes.ts";

const DATES_SHOWN = 12;
const params = { subscription_id: digitsOrNumber(16) };

/** Adds the routes that show subscriptions. */
export function registerSubscriptionReadRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /subscriptions/:subscription_id",
      summary: "Read a subscription",
      permission: "subscriptions.view",
      narrowsToFranchise: true,
      params,
      handler: async (call) => describe(call.db, call.merchant, await requireSubscription(call)),
    }),
    listRoute(scope, {
      url: "/subscriptions/:subscription_id/occurrences",
      summary: "List the occurrences of a subscription",
      permission: "subscriptions.view",
      narrowsToFranchise: true,
      params,
      filters: {},
      paging: { after: optional(digitsOrNumber(9)) },
      rowsIn: "occurrences",
      read: async (call, asked) => {
        const { subscriptionId } = await requireSubscription(call);
        const before = asked.after === null ? null : Number(asked.after);
        const found = await listOccurrences(call.db, call.merchant, subscriptionId, before, asked.limit + 1);
        const page = cutPage(found, asked, ({ occurrenceNo }) => occurrenceNo);
        return {
          ...page,
          rows: page.rows.map((occurrence) => ({
            occurrence: occurrence.occurrenceNo + 1,
            bill_date: occurrence.billDate.toString(),
            due_date: occurrence.dueDate.toString(),
            status: occurrence.state,
            invoice_id: occurrence.invoiceId === null ? "" : formatInvoiceId(occurrence.invoiceId),
          })),
        };
      },
    }),
  ];
}

/** Adds the routes that change the state of a subscription. */
export function registerSubscriptionStateRoutes(scope: DashboardScope) {
  const { parts } = scope;
  const stateRoute = <Name extends string>(
    name: Name,
    summary: string,
    change: typeof pauseSubscription | typeof cancelSubscription,
  ) =>
    dashboardRoute(scope, {
      route: `POST /subscriptions/:subscription_id/${name}`,
      summary,
      permission: "subscriptions.manage",
      params,
      handler: async ({ db, merchant, params: { subscription_id } }) =>
        describe(db, merchant, await change({ pool: db, merchant }, BigInt(subscription_id))),
    });
  return [
    stateRoute("pause", "Pause a subscription", pauseSubscription),
    stateRoute("cancel", "Cancel a subscription", cancelSubscription),
    dashboardRoute(scope, {
      route: "POST /subscriptions/:subscription_id/resume",
      summary: "Resume a subscription",
      permission: "subscriptions.manage",
      params,
      body: { bill_missed: optional(flag()) },
      handler: async ({ db, merchant, params: { subscription_id }, body }) => {
        const subscriptionId = BigInt(subscription_id);
        await resumeSubscription({ pool: db, merchant }, { subscriptionId, billMissed: body.bill_missed ?? false });
        const { ids, saves, logger } = parts;
        await billDue({ pool: db, ids, merchant, inTurn: saves.inTurn, logger }, { subscriptionId });
        // Billing may have changed it meanwhile.
        return describe(db, merchant, (await findSubscription(db, merchant, subscriptionId))!);
      },
    }),
  ];
}

/** @throws NodalError `subscription_not_found`, for a franchise also if the invoices are not its own */
export async function requireSubscription(
  call: MerchantCall & { readonly params: { readonly subscription_id: string } },
): Promise<Subscription> {
  const { db, merchant, caller, params: named } = call;
  const subscriptionId = BigInt(named.subscription_id);
  const subscription = await findSubscription(db, merchant, subscriptionId);
  const own = franchiseOf(caller);
  const isForeign = own !== null && subscription?.franchiseId !== own;
  if (!subscription || isForeign) throw subscriptionNotFound(subscriptionId);
  return subscription;
}

async function describe(db: Queryable, merchant: Merchant, subscription: Subscription) {
  const { subscriptionId } = subscription;
  const [objects, drafts, dates, missed, template] = await Promise.all([
    describeSubscriptions(db, merchant, [subscription], formatInstant),
    draftOccurrences(db, merchant, [subscription]),
    previewDates(db, subscription, DATES_SHOWN),
    previewMissed(db, subscription, todayOf(merchant)),
    findTemplate(db, merchant, subscription.templateId),
  ]);
  const draft = drafts.get(subscriptionId);
  return {
    subscription: { ...objects.get(subscriptionId)!, template_name: template?.name ?? "" },
    /** The next invoice as it would be today; `null` if it could not be created. */
    each: draft ? describeDraft(draft) : null,
    dates: dates.map(({ billDate, dueDate }) => ({ bill_date: billDate.toString(), due_date: dueDate.toString() })),
    /** The dates that resuming would skip. */
    missed: { count: missed.length, first: String(missed.at(0) ?? ""), last: String(missed.at(-1) ?? "") },
  };
}

function describeDraft({ content, subTotalPaise, amountPaise }: Draft) {
  return {
    sub_total: formatPaise(subTotalPaise),
    amount: formatPaise(amountPaise),
    rows: content.rows.map(toWireLine),
    taxes: content.taxes.map((tax) => ({
      name: tax.name,
      percentage: formatThousandths(tax.percentThousandths),
      applicable_on: formatPaise(tax.applicableOnPaise),
      amount: formatPaise(tax.amountPaise),
    })),
  };
}

const BODY_LIMIT_BYTES = 512 * 1024;
const permission = "subscriptions.manage";

/** Adds the routes for the subscription form. */
export function registerSubscriptionFormRoutes(scope: DashboardScope) {
  return [
    ...registerFormRoutes(scope, "subscriptions"),
    dashboardRoute(scope, {
      route: "POST /subscriptions/dates",
      summary: "Work out the dates of a subscription",
      once: "changes_nothing",
      permission,
      body: scheduleFields,
      handler: ({ merchant, body }) => {
        const today = todayOf(merchant);
        const { invoices, goesOn, due, isTooMany } = previewPlan(readPlan(body), today, DATES_SHOWN);
        return {
          dates: invoices.map(({ billDate, dueDate }) => ({
            bill_date: billDate.toString(),
            due_date: dueDate.toString(),
            is_due: Temporal.PlainDate.compare(billDate, today) <= 0,
          })),
          goes_on: goesOn,
          due,
          is_too_many: isTooMany,
        };
      },
    }),
    ...registerSaveRoute(scope),
  ];
}

function registerSaveRoute(scope: DashboardScope) {
  const { ids, saves } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /subscriptions",
      summary: "Save a subscription",
      permission,
      body: subscriptionFields,
      once: "by_use_case",
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handler: async (call) => {
        const { db, merchant, body, idempotency } = call;
        const request = await readRequest(call, body);
        const { answer, replayed } = await saves.inTurn(merchant, () =>
          saveSubscription({ pool: db, ids, merchant, idempotency }, request),
        );
        markReplayed(call.reply, replayed);
        return {
          subscription_id: answer.subscriptionId,
          status: answer.status,
          invoices_created: answer.invoiceIds.length,
          is_parked: Boolean(answer.parked),
          replayed,
          ...warn(answer.warnings),
        };
      },
    }),
  ];
}

/** @throws NodalError `validation_failed` with all errors; `access_denied` for a new customer */
async function readRequest(
  { db, merchant, caller }: MerchantCall,
  body: Parameters<typeof toSubscriptionRequest>[0],
): Promise<SaveSubscription> {
  const errors: FieldError[] = [];
  const of = { templateId: body.template_id === null ? null : BigInt(body.template_id) };
  const settings = await readInvoiceSettings(db, merchant, [body.invoice], of);
  checkSubscription(body, settings, errors);
  if (errors.length > 0) throw validationError(errors);
  const request = toSubscriptionRequest(body, settings, errors);
  if (errors.length > 0) throw validationError(errors);
  refuseNewCustomer(caller, request.input);
  return request;
}
