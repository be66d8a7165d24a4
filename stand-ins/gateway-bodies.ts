// Orders, payments, refunds and links of the gateway's stand-in as answers and webhooks have them.
import { rupeesNumber } from "../src/platform/json.ts";
import type { GatewayBook, Link, Order, OrderPayment, Refund } from "./gateway-book.ts";

/** India has no other time. */
export function gatewayTime(ms: number): string {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO("Asia/Kolkata");
  return at.toString({ smallestUnit: "second", timeZoneName: "never" });
}

export function orderBody(book: GatewayBook, order: Order, nowMs: number): object {
  const { given } = order;
  return {
    cf_order_id: order.cfOrderId,
    order_id: order.orderId,
    entity: "order",
    order_currency: "INR",
    order_amount: rupeesNumber(order.amountPaise),
    order_status: book.statusOf(order, nowMs),
    payment_session_id: order.sessionId,
    order_expiry_time: gatewayTime(order.expiresMs),
    order_note: given.order_note ?? null,
    created_at: gatewayTime(order.createdMs),
    order_splits: [],
    customer_details: given.customer_details ?? {},
    order_meta: given.order_meta ?? {},
    order_tags: given.order_tags ?? null,
    ...(order.linkId === null ? {} : { link_id: order.linkId }),
  };
}

export function extendedBody(order: Order): object {
  return {
    cf_order_id: order.cfOrderId,
    order_id: order.orderId,
    order_amount: rupeesNumber(order.amountPaise),
    order_currency: "INR",
    created_at: gatewayTime(order.createdMs),
    customer_details: order.given.customer_details ?? {},
    charges: null,
    shipping_address: null,
    billing_address: null,
    cart: null,
    offer: null,
  };
}

const SENTENCES: Readonly<Record<OrderPayment["status"], string>> = {
  PENDING: "Transaction pending",
  SUCCESS: "Transaction successful",
  FAILED: "Transaction failed",
  USER_DROPPED: "User dropped and did not complete the two factor authentication",
};

export function paymentBody(book: GatewayBook, payment: OrderPayment): object {
  const { status, errorCode } = payment;
  const order = book.orders.get(payment.orderId)!;
  return {
    cf_payment_id: payment.cfPaymentId,
    order_id: payment.orderId,
    entity: "payment",
    payment_currency: "INR",
    payment_amount: rupeesNumber(payment.amountPaise),
    order_amount: rupeesNumber(order.amountPaise),
    order_currency: "INR",
    is_captured: status === "SUCCESS",
    payment_group: "upi",
    payment_method: { upi: { channel: "collect", upi_id: payment.upi } },
    payment_time: gatewayTime(payment.createdMs),
    payment_completion_time: payment.completedMs === null ? null : gatewayTime(payment.completedMs),
    payment_status: status,
    payment_message: SENTENCES[status],
    bank_reference: status === "SUCCESS" ? `4${payment.cfPaymentId.padStart(11, "0")}` : null,
    error_details:
      errorCode === null ? null : { error_code: errorCode, error_description: SENTENCES[status], error_source: "bank" },
  };
}

export function refundBody(refund: Refund): object {
  return {
    cf_payment_id: refund.cfPaymentId,
    cf_refund_id: refund.cfRefundId,
    refund_id: refund.refundId,
    order_id: refund.orderId,
    entity: "refund",
    refund_amount: rupeesNumber(refund.amountPaise),
    refund_currency: "INR",
    refund_note: refund.note,
    refund_status: "SUCCESS",
    refund_type: "MERCHANT_INITIATED",
    refund_splits: [],
    refund_arn: `RF${refund.cfRefundId}`,
    metadata: null,
    created_at: gatewayTime(refund.createdMs),
    processed_at: gatewayTime(refund.createdMs),
    refund_charge: 0n,
    refund_mode: refund.speed,
    status_description: "Refund processed",
  };
}

export function linkBody(book: GatewayBook, link: Link, nowMs: number): object {
  const { given } = link;
  return {
    cf_link_id: link.cfLinkId,
    link_id: link.linkId,
    link_status: book.linkStatusOf(link, nowMs),
    link_currency: "INR",
    link_amount: rupeesNumber(link.amountPaise),
    link_amount_paid: rupeesNumber(book.paidOverLink(link)),
    link_partial_payments: given.link_partial_payments === true,
    link_minimum_partial_amount: null,
    link_purpose: given.link_purpose,
    link_created_at: gatewayTime(link.createdMs),
    customer_details: given.customer_details,
    link_meta: given.link_meta ?? {},
    link_url: `https://payments-test.cashfree.com/links/${link.linkId}`,
    link_expiry_time: gatewayTime(link.expiresMs),
    link_notes: given.link_notes ?? {},
    link_auto_reminders: given.link_auto_reminders === true,
    link_notify: given.link_notify ?? {},
    link_qrcode: "",
    order_splits: [],
  };
}

/** What settles of an order that is paid: two per cent and the tax on it stay with the gateway. */
export function settlementBody(order: Order, payment: OrderPayment): object {
  const chargePaise = (payment.amountPaise * 2n + 50n) / 100n;
  const taxPaise = (chargePaise * 18n + 50n) / 100n;
  return {
    cf_payment_id: payment.cfPaymentId,
    cf_settlement_id: `7${payment.cfPaymentId}`,
    order_id: order.orderId,
    entity: "settlement",
    order_amount: rupeesNumber(order.amountPaise),
    payment_time: gatewayTime(payment.createdMs),
    service_charge: rupeesNumber(chargePaise),
    service_tax: rupeesNumber(taxPaise),
    settlement_amount: rupeesNumber(payment.amountPaise - chargePaise - taxPaise),
    settlement_currency: "INR",
    transfer_id: BigInt(payment.cfPaymentId),
    transfer_time: gatewayTime(payment.completedMs ?? payment.createdMs),
    transfer_utr: `N${payment.cfPaymentId.padStart(15, "0")}`,
  };
}
