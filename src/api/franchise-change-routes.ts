// Routes that change a franchise's commission, bank account and sign-in; and that record and reverse commission paid
// outside Nodal. Its name and contact details are in franchise-routes.ts.
import {
  accountFields,
  changeAccount,
  changeTerms,
  checkTerms,
  COMMISSION_PAYMENT_MODES,
  disableLogin,
  enableLogin,
  loginFields,
  readAccount,
  readTerms,
  recordCommissionPayment,
  reverseCommissionPayment,
  termsFields,
  type CommissionPayment,
} from "../franchises/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { date, digitsOrNumber, money, oneOf, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const permission = "franchises.manage";
const params = { franchise_id: digitsOrNumber(16) };

/** Adds these routes. Each replaces the old values, so that a repeated request changes nothing more. */
export function registerFranchiseChangeRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "PUT /franchises/:franchise_id/terms",
      summary: "Change the commission terms of a franchise",
      permission,
      params,
      body: termsFields,
      betweenBody: checkTerms,
      handler: async ({ db, merchant, params: { franchise_id }, body }) => {
        const request = { franchiseId: BigInt(franchise_id), terms: readTerms(body) };
        await changeTerms({ pool: db, merchant }, request);
        return { done: true };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /franchises/:franchise_id/account",
      summary: "Change the bank account that commission is paid to",
      permission,
      params,
      body: accountFields,
      handler: async ({ db, merchant, params: { franchise_id }, body }) => {
        const request = { franchiseId: BigInt(franchise_id), account: readAccount(body) };
        const approvalId = await changeAccount({ pool: db, ids, merchant }, request);
        return { approval_id: approvalId === null ? null : String(approvalId) };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /franchises/:franchise_id/login",
      summary: "Give a franchise a login, or change it",
      permission,
      params,
      body: loginFields,
      handler: async ({ db, merchant, params: { franchise_id }, body }) => {
        const { login_email: email, password, role_name: roleName } = body;
        await enableLogin({ pool: db, merchant }, { franchiseId: BigInt(franchise_id), email, password, roleName });
        return { done: true };
      },
    }),
    dashboardRoute(scope, {
      route: "DELETE /franchises/:franchise_id/login",
      summary: "Remove a franchise's login",
      permission,
      params,
      handler: async ({ db, merchant, params: { franchise_id } }) => {
        await disableLogin({ pool: db, merchant }, BigInt(franchise_id));
        return { done: true };
      },
    }),
  ];
}

const REFERENCE_LENGTH = 50;
const TEXT_LENGTH = 500;

/** Adds these routes. */
export function registerCommissionPaymentRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /franchises/:franchise_id/payments",
      summary: "Record a commission payment made elsewhere",
      permission: "franchises.settle",
      params: params,
      body: {
        amount: money(),
        paid_date: date(),
        mode: oneOf(COMMISSION_PAYMENT_MODES),
        bank_ref_no: optionalText(REFERENCE_LENGTH),
        note: optionalText(TEXT_LENGTH),
      },
      handler: async ({ db, merchant, params, body }) => {
        const payment = {
          franchiseId: BigInt(params.franchise_id),
          amountPaise: body.amount,
          paidDate: body.paid_date,
          mode: body.mode,
          bankRefNo: body.bank_ref_no ?? "",
          note: body.note ?? "",
        };
        const { paymentId } = await recordCommissionPayment({ pool: db, ids, merchant, idempotency: null }, payment);
        return { payment_id: paymentId };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /franchises/:franchise_id/payments/:payment_id/reverse",
      summary: "Reverse a recorded commission payment",
      permission: "franchises.settle",
      params: { ...params, payment_id: digitsOrNumber(16) },
      body: { reason: requiredText(TEXT_LENGTH) },
      handler: async ({ db, merchant, params, body: { reason } }) => {
        const [franchiseId, paymentId] = [BigInt(params.franchise_id), BigInt(params.payment_id)];
        await reverseCommissionPayment({ pool: db, merchant }, { franchiseId, paymentId, reason });
        return { done: true };
      },
    }),
  ];
}

/** A payment as the page of its franchise lists it. */
export function describePayment(payment: CommissionPayment, { timeZone }: Merchant) {
  return {
    payment_id: String(payment.paymentId),
    amount: formatPaise(payment.amountPaise),
    paid_date: payment.paidDate.toString(),
    mode: payment.mode,
    bank_ref_no: payment.bankRefNo,
    note: payment.note,
    reversed_at: formatInstant(payment.reversedAt, timeZone),
    reversal_reason: payment.reversalReason,
  };
}
