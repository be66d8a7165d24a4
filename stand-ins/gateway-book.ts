// What a payment gateway's stand-in keeps: orders, the payments of them, refunds and links. It is gone when the stand-in ends.

export type OrderStatus = "ACTIVE" | "PAID" | "EXPIRED" | "TERMINATED";
export type PaymentStatus = "PENDING" | "SUCCESS" | "FAILED" | "USER_DROPPED";
export type LinkStatus = "ACTIVE" | "PARTIALLY_PAID" | "PAID" | "CANCELLED" | "EXPIRED";

/** What the caller sent and gets back as it was. */
type Given = Readonly<Record<string, unknown>>;

export type Order = {
  readonly orderId: string;
  readonly cfOrderId: string;
  readonly amountPaise: bigint;
  readonly given: Given;
  readonly sessionId: string;
  readonly linkId: string | null;
  readonly createdMs: number;
  readonly expiresMs: number;
  isTerminated: boolean;
};

export type OrderPayment = {
  readonly cfPaymentId: string;
  readonly orderId: string;
  readonly amountPaise: bigint;
  readonly upi: string;
  readonly createdMs: number;
  status: PaymentStatus;
  completedMs: number | null;
  errorCode: string | null;
};

export type Refund = {
  readonly refundId: string;
  readonly cfRefundId: string;
  readonly cfPaymentId: string;
  readonly orderId: string;
  readonly amountPaise: bigint;
  readonly note: string;
  readonly speed: string;
  readonly createdMs: number;
};

export type Link = {
  readonly linkId: string;
  readonly cfLinkId: string;
  readonly amountPaise: bigint;
  readonly given: Given;
  readonly createdMs: number;
  readonly expiresMs: number;
  isCancelled: boolean;
};

export class GatewayBook {
  readonly orders = new Map<string, Order>();
  readonly payments: OrderPayment[] = [];
  readonly refunds: Refund[] = [];
  readonly links = new Map<string, Link>();
  #lastNumber = 5_000_000;

  /** A number that is never given twice. */
  nextNumber(): string {
    this.#lastNumber += 1;
    return String(this.#lastNumber);
  }

  paymentsOf(orderId: string): OrderPayment[] {
    return this.payments.filter((payment) => payment.orderId === orderId);
  }

  paidOf(orderId: string): OrderPayment | null {
    return this.paymentsOf(orderId).find(({ status }) => status === "SUCCESS") ?? null;
  }

  statusOf(order: Order, nowMs: number): OrderStatus {
    if (this.paidOf(order.orderId)) return "PAID";
    if (order.isTerminated) return "TERMINATED";
    return nowMs >= order.expiresMs ? "EXPIRED" : "ACTIVE";
  }

  refundsOf(orderId: string): Refund[] {
    return this.refunds.filter((refund) => refund.orderId === orderId);
  }

  /** What of an order is paid and not refunded, in paise. */
  refundablePaise(orderId: string): bigint {
    const refunded = this.refundsOf(orderId).reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
    return (this.paidOf(orderId)?.amountPaise ?? 0n) - refunded;
  }

  ordersOf(link: Link): Order[] {
    return [...this.orders.values()].filter(({ linkId }) => linkId === link.linkId);
  }

  paidOverLink(link: Link): bigint {
    const paid = this.ordersOf(link).map(({ orderId }) => this.paidOf(orderId)?.amountPaise ?? 0n);
    return paid.reduce((sum, amountPaise) => sum + amountPaise, 0n);
  }

  linkStatusOf(link: Link, nowMs: number): LinkStatus {
    const paid = this.paidOverLink(link);
    if (paid >= link.amountPaise) return "PAID";
    if (link.isCancelled) return "CANCELLED";
    if (nowMs >= link.expiresMs) return "EXPIRED";
    return paid > 0n ? "PARTIALLY_PAID" : "ACTIVE";
  }
}
