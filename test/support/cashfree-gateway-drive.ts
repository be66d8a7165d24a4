// Every answer of the gateway of the stand-in for Cashfree. No assertions.
import { RECORDED, type RecordedStandIn } from "./recorded-stand-in.ts";

const KEYS = { "x-client-id": RECORDED.id, "x-client-secret": RECORDED.secret, "x-api-version": "2025-01-01" };
const CUSTOMER = { customer_id: "asha", customer_phone: "9876543210" };
const ORDER = { order_id: "order-1", order_amount: 100.5, order_currency: "INR", customer_details: CUSTOMER };
const REFUND = { refund_id: "refund-1", refund_amount: 40, refund_note: "Half" };
const LINK = {
  link_id: "link-1",
  link_amount: 100,
  link_currency: "INR",
  link_purpose: "Rent",
  customer_details: CUSTOMER,
};

/** Makes the gateway give all its answers. */
export async function driveGateway(standIn: RecordedStandIn): Promise<void> {
  const call = (method: string, path: string, body?: object) =>
    standIn.call(method, `/pg${path}`, { headers: KEYS, ...(body ? { body } : {}) });
  await driveOrders(call);
  await drivePayments(call, standIn);
  await driveLinks(call, standIn);
  await call("GET", "/disputes/7");
  await call("PUT", "/disputes/7/accept", {});
  await call("GET", "/payments/7/disputes");
}

type Ask = (method: string, path: string, body?: object) => Promise<number>;

async function driveOrders(call: Ask): Promise<void> {
  const wrong = [
    { order_amount: 0 },
    { order_currency: "USD" },
    { customer_details: {} },
    { customer_details: { customer_id: "asha" } },
    { order_id: "a b" },
  ];
  for (const change of [{}, {}, ...wrong]) await call("POST", "/orders", { ...ORDER, ...change });
  await call("POST", "/orders", { ...ORDER, order_id: "order-2" });
  await call("POST", "/orders", { ...ORDER, order_id: "order-3", order_expiry_time: "2021-07-02T10:20:12+05:30" });
  for (const order of ["order-1", "order-3", "nothing"])
    for (const path of [
      "",
      "/extended",
      "/payments",
      "/payments/7",
      "/refunds",
      "/refunds/r",
      "/settlements",
      "/disputes",
    ])
      await call("GET", `/orders/${order}${path}`);
  for (const order of ["order-2", "order-2", "nothing"])
    for (const order_status of ["TERMINATED", "ACTIVE"]) await call("PATCH", `/orders/${order}`, { order_status });
}

async function drivePayments(call: Ask, { answers }: RecordedStandIn): Promise<void> {
  const last = (name: string): string => String((answers.at(-1)!.body as Record<string, unknown>)[name]);
  await call("GET", "/orders/order-1");
  const payment_session_id = last("payment_session_id");
  const upi = { channel: "collect", upi_id: "asha@okbank" };
  await call("POST", "/orders/sessions", { payment_session_id: "none" });
  await call("POST", "/orders/sessions", { payment_session_id, payment_method: { card: {} } });
  await call("POST", "/orders/order-1/refunds", REFUND);
  for (const upi_id of ["failure@upi", "asha@okbank", "asha@okbank", "asha@okbank"])
    await call("POST", "/orders/sessions", { payment_session_id, payment_method: { upi: { ...upi, upi_id } } });
  const cf = Number(last("cf_payment_id"));
  const say = (entity_id: number, entity_simulation: object) =>
    call("POST", "/simulate", { entity: "PAYMENTS", entity_id: String(entity_id), entity_simulation });
  await say(cf, { payment_status: "FAILED", payment_error_code: "ISSUER_NOT_AVAILABLE" });
  await call("GET", `/simulate/${last("simulation_id")}`);
  await call("GET", "/simulate/none");
  await say(cf, { payment_status: "SUCCESS" });
  await say(7, { payment_status: "SUCCESS" });
  await say(cf, { payment_status: "PERHAPS" });
  await say(cf - 1, { payment_status: "USER_DROPPED" });
  await say(cf - 2, { payment_status: "SUCCESS" });
  await call("POST", "/orders/sessions", { payment_session_id, payment_method: { upi } });
  for (const change of [{}, {}, { refund_id: "" }, { refund_id: "refund-2", refund_amount: 90 }])
    await call("POST", "/orders/order-1/refunds", { ...REFUND, ...change });
  await call("POST", "/orders/nothing/refunds", REFUND);
  for (const path of ["", "/payments", `/payments/${cf}`, "/refunds", "/refunds/refund-1", "/settlements"])
    await call("GET", `/orders/order-1${path}`);
  for (const pagination of [{ limit: 10 }, {}]) await call("POST", "/settlements", { pagination, filters: {} });
}

async function driveLinks(call: Ask, standIn: RecordedStandIn): Promise<void> {
  const wrong = [
    { link_id: "" },
    { link_amount: 0 },
    { link_currency: "USD" },
    { link_purpose: "" },
    { customer_details: {} },
  ];
  for (const change of [{}, {}, ...wrong]) await call("POST", "/links", { ...LINK, ...change });
  await call("POST", "/links", { ...LINK, link_id: "link-2", link_partial_payments: true });
  await call("POST", "/links", { ...LINK, link_id: "link-3", link_expiry_time: "2021-07-02T10:20:12+05:30" });
  await standIn.call("POST", "/_sim/links", { headers: {}, body: { link_id: "link-2", amount: 40 } });
  await call("GET", "/links/link-2");
  await standIn.call("POST", "/_sim/links", { headers: {}, body: { link_id: "link-2" } });
  for (const link of ["link-1", "link-2", "link-3", "nothing"])
    for (const path of ["", "/orders", "/orders?status=ALL"]) await call("GET", `/links/${link}${path}`);
  for (const link of ["link-1", "link-1", "nothing"]) await call("POST", `/links/${link}/cancel`, {});
}
