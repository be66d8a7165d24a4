// Routes of commission that was paid by other means than a transfer of Nodal's: recording it, and taking a record back.
// What belongs here: wire shapes, no logic.
import {
  COMMISSION_PAYMENT_MODES,
  commissionPaymentNotFound,
  findCommissionPayment,
  recordCommissionPayment,
  reverseCommissionPayment,
  type CommissionPayment,
} from "../franchises/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { readUnderWay } from "../payouts/index.ts";
import { date, digitsOrNumber, money, oneOf, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { keyOf, requestKey } from "./request-key.ts";

const REFERENCE_LENGTH = 50;
const TEXT_LENGTH = 500;
const permission = "franchises.settle";
const franchiseParams = { franchise_id: digitsOrNumber(16) };

/** Adds those routes. */
export function registerCommissionPaymentRoutes(scope: DashboardScope): void {
  const { ids } = scope.parts;
  dashboardRoute(scope, {
    method: "POST",
    url: "/franchises/:franchise_id/payments",
    permission,
    params: franchiseParams,
    body: {
      request_key: requestKey(),
      amount: money(),
      paid_date: date(),
      mode: oneOf(COMMISSION_PAYMENT_MODES),
      bank_ref_no: optionalText(REFERENCE_LENGTH),
      note: optionalText(TEXT_LENGTH),
    },
    handler: async ({ db, merchant: { bucket, merchantId }, params, body }) => {
      const details = {
        amountPaise: body.amount,
        paidDate: body.paid_date,
        mode: body.mode,
        bankRefNo: body.bank_ref_no ?? "",
        note: body.note ?? "",
      };
      const franchise = { bucket, merchantId, franchiseId: BigInt(params.franchise_id) };
      const key = keyOf("commission payment", { ...params, ...body });
      const { paymentId } = await recordCommissionPayment({ pool: db, ids, readUnderWay }, franchise, details, key);
      return { payment_id: paymentId };
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/franchises/:franchise_id/payments/:payment_id/reverse",
    permission,
    params: { ...franchiseParams, payment_id: digitsOrNumber(16) },
    body: { reason: requiredText(TEXT_LENGTH) },
    handler: async ({ db, merchant: { bucket, merchantId }, params, body }) => {
      const paymentId = BigInt(params.payment_id);
      const payment = await findCommissionPayment(db, { bucket, merchantId }, paymentId);
      if (payment?.franchiseId !== BigInt(params.franchise_id)) throw commissionPaymentNotFound();
      await reverseCommissionPayment(db, { bucket, merchantId }, paymentId, body.reason);
      return { done: true };
    },
  });
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
    reversed_at: payment.reversedAt && formatTimestamp(payment.reversedAt, timeZone),
    reversal_reason: payment.reversalReason,
  };
}
