// Routes of making a subscription: what its form asks for while somebody types, and saving it.
// What belongs here: wire shapes, no logic.
import { readInvoiceSettings } from "../invoices/index.ts";
import { todayOf } from "../merchants/index.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import {
  checkSubscription,
  previewPlan,
  readPlan,
  saveSubscription,
  scheduleFields,
  subscriptionFields,
  toSubscriptionRequest,
  type SubscriptionRequest,
} from "../subscriptions/index.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { refuseNewCustomer, registerFormRoutes } from "./invoice-routes.ts";
import { keyOf, requestKey } from "./request-key.ts";

const DATES_SHOWN = 12;
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
const permission = "subscriptions.manage";

/** Adds what the form of a subscription needs. */
export function registerSubscriptionFormRoutes(scope: DashboardScope): void {
  registerFormRoutes(scope, "subscriptions");

  dashboardRoute(scope, {
    method: "POST",
    url: "/subscriptions/dates",
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
  });

  registerSaveRoute(scope);
}

function registerSaveRoute(scope: DashboardScope): void {
  const { ids, saves } = scope.parts;
  dashboardRoute(scope, {
    method: "POST",
    url: "/subscriptions",
    permission,
    body: { request_key: requestKey(), ...subscriptionFields },
    bodyLimitBytes: BODY_LIMIT_BYTES,
    handler: async (call) => {
      const { db, merchant, body } = call;
      const request = await readRequest(call, body);
      const { answer, replayed } = await saves.inTurn(merchant, () =>
        saveSubscription(db, ids, merchant, request, keyOf("subscription", body)),
      );
      return {
        subscription_id: answer.subscriptionId,
        status: answer.status,
        invoices_created: answer.invoiceIds.length,
        is_parked: Boolean(answer.parked),
        replayed,
      };
    },
  });
}

/** @throws NodalError `validation_failed` with all that is wrong; `access_denied` for a new customer */
async function readRequest(
  { db, merchant, session }: MerchantCall,
  body: Parameters<typeof toSubscriptionRequest>[0],
): Promise<SubscriptionRequest> {
  const errors: FieldError[] = [];
  const of = { templateId: body.template_id === null ? null : BigInt(body.template_id) };
  const settings = await readInvoiceSettings(db, merchant, [body.invoice], of);
  checkSubscription(body, settings, errors);
  if (errors.length > 0) throw validationError(errors);
  const request = toSubscriptionRequest(body, settings, errors);
  if (errors.length > 0) throw validationError(errors);
  refuseNewCustomer(session, request.input);
  return request;
}
