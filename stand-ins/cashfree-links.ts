// Payment links of the gateway's stand-in. A link is paid over the control API: its checkout is a page for people.
import type { FastifyInstance } from "fastify";
import { conflict, invalid, notFound } from "./cashfree-answers.ts";
import { linkBody, orderBody } from "./gateway-bodies.ts";
import type { Link } from "./gateway-book.ts";
import { ok, openOrder, startPayment, type AddRoute, type Gateway } from "./gateway-orders.ts";
import { isRecord, paiseOf, textOf, type Fields } from "./json.ts";
import { give, type Answer } from "./stand-in.ts";

const LINK_MS = 30 * 24 * 3_600_000;

export function addLinkRoutes(add: AddRoute, app: FastifyInstance, gateway: Gateway): void {
  add("post", "/pg/links", makeLink);
  add("get", "/pg/links/:link_id", (parts, _fields, ids) => onLink(parts, ids, (link) => shown(parts, link)));
  add("post", "/pg/links/:link_id/cancel", (parts, _fields, ids) =>
    onLink(parts, ids, (link) => {
      if (!isOpen(parts, link)) return invalid("link_inactive", "link is not active");
      link.isCancelled = true;
      return shown(parts, link);
    }),
  );
  add("get", "/pg/links/:link_id/orders", (parts, _fields, ids) =>
    onLink(parts, ids, (link) => {
      const { book, desk } = parts;
      const wanted = textOf(ids, "status") || "PAID";
      const orders = book.ordersOf(link).filter(({ orderId }) => wanted === "ALL" || book.paidOf(orderId));
      return ok(orders.map((order) => orderBody(book, order, desk.clock.nowMs())));
    }),
  );
  // { link_id, amount }: the payer pays it
  app.post("/_sim/links", (request, reply) =>
    give(reply, payLink(gateway, isRecord(request.body) ? request.body : {})),
  );
}

function onLink({ book }: Gateway, ids: Fields, work: (link: Link) => Answer): Answer {
  const link = book.links.get(textOf(ids, "link_id"));
  return link ? work(link) : notFound("link_not_found", "link not found");
}

function shown({ book, desk }: Gateway, link: Link): Answer {
  return ok(linkBody(book, link, desk.clock.nowMs()));
}

function isOpen({ book, desk }: Gateway, link: Link): boolean {
  return ["ACTIVE", "PARTIALLY_PAID"].includes(book.linkStatusOf(link, desk.clock.nowMs()));
}

function makeLink(parts: Gateway, fields: Fields): Answer {
  const { book, desk } = parts;
  const [linkId, amountPaise] = [textOf(fields, "link_id"), paiseOf(fields, "link_amount")];
  const customer = isRecord(fields.customer_details) ? fields.customer_details : {};
  if (!/^[A-Za-z0-9_-]{1,50}$/.test(linkId))
    return invalid("link_id_invalid", "link_id : 1 to 50 letters, digits, _ and -");
  if (amountPaise === null || amountPaise < 100n)
    return invalid("link_amount_invalid", "link_amount : should be at least 1.00");
  if (textOf(fields, "link_currency") !== "INR")
    return invalid("link_currency_invalid", "link_currency : invalid value provided");
  if (textOf(fields, "link_purpose") === "") return invalid("link_purpose_missing", "link_purpose : is missing");
  if (textOf(customer, "customer_phone") === "")
    return invalid("customer_phone_missing", "customer_details.customer_phone : is missing or invalid");
  if (book.links.has(linkId)) return conflict("link_already_exists", "link with same id is already present");
  const nowMs = desk.clock.nowMs();
  const expiry = textOf(fields, "link_expiry_time");
  const link: Link = {
    linkId,
    cfLinkId: book.nextNumber(),
    amountPaise,
    given: fields,
    createdMs: nowMs,
    expiresMs: expiry === "" ? nowMs + LINK_MS : Temporal.Instant.from(expiry).epochMilliseconds,
    isCancelled: false,
  };
  book.links.set(linkId, link);
  return shown(parts, link);
}

function payLink(parts: Gateway, fields: Fields): Answer {
  const { book } = parts;
  return onLink(parts, fields, (link) => {
    const left = link.amountPaise - book.paidOverLink(link);
    const amountPaise = paiseOf(fields, "amount") ?? left;
    const isPart = link.given.link_partial_payments === true;
    if (!isOpen(parts, link) || amountPaise > left || (amountPaise < left && !isPart))
      return invalid("link_inactive", "link can't be paid so");
    const given = { customer_details: link.given.customer_details, order_meta: link.given.link_meta };
    const order = openOrder(parts, { orderId: `link_${book.nextNumber()}`, amountPaise, given, linkId: link.linkId });
    startPayment(parts, order, "success@upi");
    return shown(parts, link);
  });
}
