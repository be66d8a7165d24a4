// Webhooks of the gateway's stand-in: to the address that the order names, signed as those of payouts are.
import { createHmac } from "node:crypto";
import { toJson } from "../src/platform/json.ts";
import type { Desk } from "./desk.ts";
import { gatewayTime, orderBody, paymentBody } from "./gateway-bodies.ts";
import type { GatewayBook, OrderPayment } from "./gateway-book.ts";
import { isRecord, textOf } from "./json.ts";

const EVENTS: Readonly<Record<OrderPayment["status"], string | null>> = {
  PENDING: null,
  SUCCESS: "PAYMENT_SUCCESS_WEBHOOK",
  FAILED: "PAYMENT_FAILED_WEBHOOK",
  USER_DROPPED: "PAYMENT_USER_DROPPED_WEBHOOK",
};
const TIMEOUT_MS = 5000;

export class GatewayNotices {
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Tells of a payment that was decided, once, on this machine only. */
  send(book: GatewayBook, payment: OrderPayment): void {
    const order = book.orders.get(payment.orderId)!;
    const meta = isRecord(order.given.order_meta) ? order.given.order_meta : {};
    const url = URL.parse(textOf(meta, "notify_url"));
    const body = gatewayNotice(book, payment, this.#desk.clock.nowMs());
    if (body === null || !url || !["127.0.0.1", "localhost"].includes(url.hostname)) return;
    const timestamp = String(this.#desk.clock.nowMs());
    const signature = createHmac("sha256", this.#desk.credentials.secret)
      .update(timestamp + body)
      .digest("base64");
    const headers = {
      "content-type": "application/json",
      "x-webhook-timestamp": timestamp,
      "x-webhook-signature": signature,
    };
    void fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {});
  }
}

/** The webhook of a payment as it is now; `null` while it is pending. */
function gatewayNotice(book: GatewayBook, payment: OrderPayment, nowMs: number): string | null {
  const type = EVENTS[payment.status];
  if (type === null) return null;
  const order = book.orders.get(payment.orderId)!;
  const data = {
    order: orderBody(book, order, nowMs),
    payment: paymentBody(book, payment),
    customer_details: order.given.customer_details ?? {},
  };
  return toJson({ data, event_time: gatewayTime(nowMs), type });
}
