// The payment gateway of the stand-in for Cashfree: orders, their payments, refunds, links and settlements, as far as its
// official client goes that way. Payments are made by a call of the checkout, and decided by the simulation.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { parsePaise } from "../src/platform/money.ts";
import { conflict, invalid, notFound } from "./cashfree-answers.ts";
import { addLinkRoutes } from "./cashfree-links.ts";
import type { Desk } from "./desk.ts";
import { extendedBody, orderBody, paymentBody, refundBody, settlementBody } from "./gateway-bodies.ts";
import { GatewayBook, type Order } from "./gateway-book.ts";
import { GatewayNotices } from "./gateway-notices.ts";
import { decide, ok, openOrder, startPayment, type Gateway, type Work } from "./gateway-orders.ts";
import { isRecord, paiseOf, textOf, type Fields } from "./json.ts";
import { give, type Answer } from "./stand-in.ts";

const MAX_PAISE = 100_000_000n;

/** What routes of the gateway work with. */

export function addGatewayRoutes(app: FastifyInstance, desk: Desk): void {
  const gateway = { book: new GatewayBook(), desk, notices: new GatewayNotices(desk) };
  const config = { operation: "gateway" } as const;
  const add = (method: "get" | "post" | "patch" | "put", path: string, work: Work): void => {
    app[method](path, { config }, (request, reply) => give(reply, work(gateway, fieldsOf(request), idsOf(request))));
  };
  add("post", "/pg/orders", makeOrder);
  add("get", "/pg/orders/:order_id", (parts, _fields, ids) => onOrder(parts, ids, (order) => shownOrder(parts, order)));
  add("patch", "/pg/orders/:order_id", terminateOrder);
  add("get", "/pg/orders/:order_id/extended", (parts, _fields, ids) =>
    onOrder(parts, ids, (order) => ok(extendedBody(order))),
  );
  add("post", "/pg/orders/sessions", payOrder);
  add("get", "/pg/orders/:order_id/payments", (parts, _fields, ids) =>
    onOrder(parts, ids, ({ orderId }) =>
      ok(parts.book.paymentsOf(orderId).map((payment) => paymentBody(parts.book, payment))),
    ),
  );
  add("get", "/pg/orders/:order_id/payments/:cf_payment_id", fetchPayment);
  add("post", "/pg/orders/:order_id/refunds", makeRefund);
  add("get", "/pg/orders/:order_id/refunds", (parts, _fields, ids) =>
    onOrder(parts, ids, ({ orderId }) => ok(parts.book.refundsOf(orderId).map(refundBody))),
  );
  add("get", "/pg/orders/:order_id/refunds/:refund_id", fetchRefund);
  add("get", "/pg/orders/:order_id/settlements", fetchSettlement);
  add("post", "/pg/settlements", listSettlements);
  for (const path of ["/pg/orders/:order_id/disputes", "/pg/payments/:cf_payment_id/disputes"])
    add("get", path, () => ok([]));
  add("get", "/pg/disputes/:dispute_id", () => notFound("dispute_not_found", "dispute not found"));
  add("put", "/pg/disputes/:dispute_id/accept", () => notFound("dispute_not_found", "dispute not found"));
  const simulations = new Map<string, object>();
  add("post", "/pg/simulate", (parts, fields) => simulate(parts, fields, simulations));
  add("get", "/pg/simulate/:simulation_id", (_parts, _fields, ids) => {
    const known = simulations.get(textOf(ids, "simulation_id"));
    return known ? ok(known) : notFound("simulation_not_found", "simulation not found");
  });
  addLinkRoutes(add, app, gateway);
}

function fieldsOf({ body }: FastifyRequest): Fields {
  return isRecord(body) ? body : {};
}

function idsOf({ params, query }: FastifyRequest): Fields {
  return { ...(query as Fields), ...(params as Fields) };
}

function onOrder({ book }: Gateway, ids: Fields, work: (order: Order) => Answer): Answer {
  const order = book.orders.get(textOf(ids, "order_id"));
  return order ? work(order) : notFound("order_not_found", "Order Reference Id does not exist");
}

function shownOrder({ book, desk }: Gateway, order: Order): Answer {
  return ok(orderBody(book, order, desk.clock.nowMs()));
}

function makeOrder(parts: Gateway, fields: Fields): Answer {
  const { book } = parts;
  const amountPaise = paiseOf(fields, "order_amount");
  const customer = isRecord(fields.customer_details) ? fields.customer_details : {};
  if (amountPaise === null || amountPaise < 100n || amountPaise > MAX_PAISE)
    return invalid("order_amount_invalid", "order_amount : should be from 1.00 to 1000000.00");
  if (textOf(fields, "order_currency") !== "INR")
    return invalid("order_currency_invalid", "order_currency : invalid value provided");
  if (textOf(customer, "customer_id").length < 3)
    return invalid("customer_id_missing", "customer_details.customer_id : is missing");
  if (!/^[0-9+]{10,13}$/.test(textOf(customer, "customer_phone")))
    return invalid("customer_phone_missing", "customer_details.customer_phone : is missing or invalid");
  const orderId = textOf(fields, "order_id") || `order_${book.nextNumber()}`;
  if (!/^[A-Za-z0-9_-]{3,45}$/.test(orderId))
    return invalid("order_id_invalid", "order_id : 3 to 45 letters, digits, _ and -");
  if (book.orders.has(orderId)) return conflict("order_already_exists", "order with same id is already present");
  return shownOrder(parts, openOrder(parts, { orderId, amountPaise, given: fields, linkId: null }));
}

function terminateOrder(parts: Gateway, fields: Fields, ids: Fields): Answer {
  return onOrder(parts, ids, (order) => {
    if (textOf(fields, "order_status") !== "TERMINATED")
      return invalid("order_status_invalid", "order_status : should be TERMINATED");
    if (parts.book.statusOf(order, parts.desk.clock.nowMs()) !== "ACTIVE")
      return invalid("order_inactive", "order is not active");
    order.isTerminated = true;
    return shownOrder(parts, order);
  });
}

/** The checkout: a payment that waits for the payer, or is decided at once for the two handles of the sandbox. */
function payOrder(parts: Gateway, fields: Fields): Answer {
  const { book, desk } = parts;
  const order = [...book.orders.values()].find(({ sessionId }) => sessionId === textOf(fields, "payment_session_id"));
  if (!order) return invalid("payment_session_id_invalid", "payment_session_id is not present or is invalid");
  if (book.statusOf(order, desk.clock.nowMs()) !== "ACTIVE") return invalid("order_inactive", "order is not active");
  const method = isRecord(fields.payment_method) ? fields.payment_method : {};
  const upi = isRecord(method.upi) ? method.upi : null;
  if (!upi) return invalid("payment_method_unsupported", "payment_method : the stand-in takes upi");
  const payment = startPayment(parts, order, textOf(upi, "upi_id"));
  return ok({
    cf_payment_id: payment.cfPaymentId,
    payment_amount: order.given.order_amount,
    payment_method: "upi",
    channel: textOf(upi, "channel") || "collect",
    action: "custom",
    data: { url: null, payload: null, content_type: null, method: null },
  });
}

function simulate(parts: Gateway, fields: Fields, simulations: Map<string, object>): Answer {
  const [entity, entity_id] = [textOf(fields, "entity"), textOf(fields, "entity_id")];
  const wanted = isRecord(fields.entity_simulation) ? fields.entity_simulation : {};
  const status = (["SUCCESS", "FAILED", "PENDING", "USER_DROPPED"] as const).find(
    (each) => each === wanted.payment_status,
  );
  if (entity !== "PAYMENTS" || !status)
    return invalid("entity_simulation_invalid", "entity_simulation : invalid value provided");
  const payment = parts.book.payments.find(({ cfPaymentId }) => cfPaymentId === entity_id);
  if (!payment) return notFound("payment_not_found", "payment not found");
  if (payment.status !== "PENDING") return invalid("request_failed", "the payment has ended");
  const errorCode = textOf(wanted, "payment_error_code") || null;
  decide(parts, payment, status, status === "FAILED" ? (errorCode ?? "TRANSACTION_DECLINED") : null);
  const simulation = {
    simulation_id: `sim_${parts.book.nextNumber()}`,
    entity,
    entity_id,
    entity_simulation: { payment_status: status, ...(errorCode === null ? {} : { payment_error_code: errorCode }) },
  };
  simulations.set(simulation.simulation_id, simulation);
  return ok(simulation);
}

function fetchPayment(parts: Gateway, _fields: Fields, ids: Fields): Answer {
  return onOrder(parts, ids, ({ orderId }) => {
    const id = textOf(ids, "cf_payment_id");
    const payment = parts.book.paymentsOf(orderId).find(({ cfPaymentId }) => cfPaymentId === id);
    return payment ? ok(paymentBody(parts.book, payment)) : notFound("payment_not_found", "payment not found");
  });
}

function makeRefund(parts: Gateway, fields: Fields, ids: Fields): Answer {
  const { book, desk } = parts;
  return onOrder(parts, ids, ({ orderId }) => {
    const [refundId, amountPaise] = [textOf(fields, "refund_id"), parsePaise(fields.refund_amount)];
    const paid = book.paidOf(orderId);
    if (!/^[A-Za-z0-9_-]{3,40}$/.test(refundId))
      return invalid("refund_id_invalid", "refund_id : 3 to 40 letters and digits");
    if (book.refundsOf(orderId).some((refund) => refund.refundId === refundId))
      return conflict("refund_already_exists", "refund with same id is already present");
    if (!paid) return invalid("order_not_paid", "order is not paid");
    if (amountPaise === null || amountPaise <= 0n || amountPaise > book.refundablePaise(orderId))
      return invalid("refund_amount_invalid", "refund_amount : more than is left of the payment");
    const refund = {
      refundId,
      cfRefundId: book.nextNumber(),
      cfPaymentId: paid.cfPaymentId,
      orderId,
      amountPaise,
      note: textOf(fields, "refund_note"),
      speed: textOf(fields, "refund_speed") || "STANDARD",
      createdMs: desk.clock.nowMs(),
    };
    book.refunds.push(refund);
    return ok(refundBody(refund));
  });
}

function fetchRefund(parts: Gateway, _fields: Fields, ids: Fields): Answer {
  return onOrder(parts, ids, ({ orderId }) => {
    const refund = parts.book.refundsOf(orderId).find(({ refundId }) => refundId === textOf(ids, "refund_id"));
    return refund ? ok(refundBody(refund)) : notFound("refund_not_found", "refund not found");
  });
}

function fetchSettlement(parts: Gateway, _fields: Fields, ids: Fields): Answer {
  return onOrder(parts, ids, (order) => {
    const paid = parts.book.paidOf(order.orderId);
    return paid ? ok(settlementBody(order, paid)) : notFound("settlement_not_found", "settlement not found");
  });
}

function listSettlements({ book }: Gateway, fields: Fields): Answer {
  const limit = isRecord(fields.pagination) ? Number(textOf(fields.pagination, "limit")) : Number.NaN;
  if (!(limit >= 1)) return invalid("pagination_limit_invalid", "pagination.limit : from 10 to 1000");
  const data = [...book.orders.values()].flatMap((order) => {
    const paid = book.paidOf(order.orderId);
    return paid ? [settlementBody(order, paid)] : [];
  });
  return ok({ cursor: null, limit: BigInt(limit), data: data.slice(0, limit) });
}
