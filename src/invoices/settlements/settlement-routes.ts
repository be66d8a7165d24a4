// The API of settling invoices: docs/rules/invoicing.md#payments.
import { Type, type Static } from "typebox";
import { merchantRoute } from "../../merchants/index.ts";
import type { TenantDatabase } from "../../platform/database/tenant.ts";
import {
  date,
  flag,
  money,
  oneOf,
  optional,
  optionalText,
  textOrNumber,
  type Decoded,
} from "../../platform/http/fields.ts";
import { texts } from "../../platform/http/field.ts";
import { warn } from "../../platform/http/warning.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { formatPaise } from "../../platform/money.ts";
import { invoiceIdField } from "../invoice-fields.ts";
import { formatInvoiceId, parseInvoiceId } from "../invoice.ts";
import type { InvoiceSettlements } from "./invoice-settlements.ts";
import type { Settled, SettlementRequest } from "./settle-invoice.ts";

export const PAYMENT_MODES = ["Online", "Cash", "Cheque", "NEFT", "RTGS", "IMPS", "UPI", "Card"] as const;

/** A payment of an invoice, without the invoice's id. */
export const paymentFields = {
  paid_date: date(),
  amount: money(),
  mode: oneOf(PAYMENT_MODES),
  bank_name: optionalText(100),
  bank_ref_no: optional(textOrNumber(50)),
  cheque_no: optional(textOrNumber(50)),
  cash_paid_to: optionalText(100),
  tds_amount: optional(money()),
  tds_code: optional(textOrNumber(20)),
  notify: optional(flag()),
};
type SentPayment = { -readonly [Name in keyof typeof paymentFields]: Decoded<(typeof paymentFields)[Name]> };

/** The use case's input from an API payment. */
export function toPayment(sent: SentPayment, invoiceId: bigint): SettlementRequest {
  return {
    invoiceId,
    paidDate: sent.paid_date,
    amountPaise: sent.amount + (sent.tds_amount ?? 0n),
    tdsPaise: sent.tds_amount ?? 0n,
    tdsCode: sent.tds_code ?? "",
    mode: sent.mode,
    bankName: sent.bank_name ?? "",
    bankRefNo: sent.bank_ref_no ?? "",
    chequeNo: sent.cheque_no ?? "",
    cashPaidTo: sent.cash_paid_to ?? "",
    notify: sent.notify ?? false,
  };
}

const settled = Type.Object({
  invoice_id: Type.String(),
  code: Type.String({ description: "The customer's code" }),
  ...texts("transaction_id", "paid_date", "patron_name", "email_id"),
  amount: Type.String({ description: "The money recorded" }),
  tds_amount: Type.Optional(Type.String({ description: "The tax that the customer deducted; left out if none" })),
  ...texts("status", "paid_amount", "due_amount"),
});

/** Adds the settle route to a part of the server made by `registerBodyKeyRoutes`. */
export function registerSettlementRoutes(
  app: HttpServer,
  { tenants, settlements }: { readonly tenants: TenantDatabase; readonly settlements: InvoiceSettlements },
): void {
  merchantRoute(app, {
    url: "/api/v2/merchant/invoice/settle",
    summary: "Record a payment of an invoice",
    tag: "Invoicing",
    kind: "write",
    scopes: ["invoices.settle"],
    body: {
      invoice_id: invoiceIdField(),
      ...paymentFields,
    },
    srvrsp: settled,
    errors: [
      "invoice_not_found",
      "invoice_already_paid",
      "invoice_cancelled",
      "invoice_carried_forward",
      "settlement_exceeds_due",
    ],
    read: (body) => toPayment(body, parseInvoiceId(body.invoice_id) ?? 0n),
    handler: async ({ merchant, origin, request, idempotency }) => {
      const context = { pool: tenants.of(merchant, origin), merchant, origin, idempotency };
      const { answer, replayed } = await settlements.settle(context, request);
      return { srvrsp: toSettled(answer), replayed, ...warn(answer.warnings) };
    },
  });
}

/** The answer to a recorded payment. */
export function toSettled(answer: Settled): Static<typeof settled> {
  const tdsPaise = BigInt(answer.tdsPaise ?? "0");
  return {
    invoice_id: formatInvoiceId(BigInt(answer.invoiceId)),
    code: answer.customerCode,
    transaction_id: answer.settlementId,
    paid_date: answer.paidDate,
    patron_name: answer.customerName,
    email_id: answer.email,
    amount: formatPaise(BigInt(answer.settledPaise) - tdsPaise),
    ...(tdsPaise === 0n ? {} : { tds_amount: formatPaise(tdsPaise) }),
    status: answer.status,
    paid_amount: formatPaise(BigInt(answer.paidPaise)),
    due_amount: formatPaise(BigInt(answer.duePaise)),
  };
}
