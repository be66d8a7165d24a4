// Orders and their payments, as the routes of orders and of links of the gateway's stand-in change them.
import type { Desk } from "./desk.ts";
import type { GatewayBook, Order, OrderPayment } from "./gateway-book.ts";
import type { GatewayNotices } from "./gateway-notices.ts";
import { textOf, type Fields } from "./json.ts";
import type { Answer } from "./stand-in.ts";

const ORDER_MS = 30 * 24 * 3_600_000;

export type Gateway = { readonly book: GatewayBook; readonly desk: Desk; readonly notices: GatewayNotices };
export type Work = (gateway: Gateway, fields: Fields, ids: Fields) => Answer;
export type AddRoute = (method: "get" | "post" | "patch" | "put", path: string, work: Work) => void;

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** Opens an order, of a link or of its own. */
export function openOrder(
  { book, desk }: Gateway,
  order: Pick<Order, "orderId" | "amountPaise" | "given" | "linkId">,
): Order {
  const nowMs = desk.clock.nowMs();
  const expiry = textOf(order.given, "order_expiry_time");
  const number = book.nextNumber();
  const opened: Order = {
    ...order,
    cfOrderId: number,
    sessionId: `session_${number}`,
    createdMs: nowMs,
    expiresMs: expiry === "" ? nowMs + ORDER_MS : Temporal.Instant.from(expiry).epochMilliseconds,
    isTerminated: false,
  };
  book.orders.set(order.orderId, opened);
  return opened;
}

export function startPayment(parts: Gateway, order: Order, upi: string): OrderPayment {
  const { book, desk } = parts;
  const payment: OrderPayment = {
    cfPaymentId: book.nextNumber(),
    orderId: order.orderId,
    amountPaise: order.amountPaise,
    upi,
    createdMs: desk.clock.nowMs(),
    status: "PENDING",
    completedMs: null,
    errorCode: null,
  };
  book.payments.push(payment);
  if (upi === "success@upi") decide(parts, payment, "SUCCESS", null);
  if (upi === "failure@upi") decide(parts, payment, "FAILED", "TRANSACTION_DECLINED");
  return payment;
}

export function decide(
  parts: Gateway,
  payment: OrderPayment,
  status: OrderPayment["status"],
  errorCode: string | null,
): void {
  payment.status = status;
  payment.errorCode = errorCode;
  payment.completedMs = status === "PENDING" ? null : parts.desk.clock.nowMs();
  parts.notices.send(parts.book, payment);
}
