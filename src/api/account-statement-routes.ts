// Routes of a customer's statement of account: reading it, its PDF, and sending it.
import { voucherOf } from "../books/index.ts";
import { renderAccountStatementPdf, requireAccountStatement, type AccountStatement } from "../documents/index.ts";
import { formatInvoiceId } from "../invoices/index.ts";
import { franchiseOf } from "../merchants/index.ts";
import { sendStatement } from "../notifications/index.ts";
import { digitsOrNumber, email, optional } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { creditOf, debitOf } from "./book-routes.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { markReplayed } from "./once.ts";
import { sendPdf } from "./pdf-routes.ts";
import { PERIOD, periodOf, reading } from "./report-routes.ts";

const url = "/customers/:customer_id/statement";
const params = { customer_id: digitsOrNumber(16) };
const permission = "invoices.view";

/** Adds them: docs/accounts.md#reports */
export function registerAccountStatementRoutes(scope: DashboardScope) {
  const { ids, renderer, rates, reports } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: `GET ${url}`,
      summary: "Read a customer's statement of account",
      permission,
      narrowsToFranchise: true,
      params,
      query: PERIOD,
      handler: async (call) => describe(await statementOf(scope, call)),
    }),
    dashboardRoute(scope, {
      route: `GET ${url}/pdf`,
      summary: "Download a customer's statement of account as a PDF",
      permission,
      narrowsToFranchise: true,
      params,
      query: PERIOD,
      handler: async (call) => {
        const statement = await statementOf(scope, call);
        const make = () => renderAccountStatementPdf(renderer, call.merchant, statement);
        return sendPdf(rates, call, { kind: "statements", name: `statement ${statement.customer.customerCode}`, make });
      },
    }),
    dashboardRoute(scope, {
      route: "POST /customers/:customer_id/send-statement",
      summary: "Send a customer its statement of account",
      permission: "invoices.manage",
      params,
      body: { ...PERIOD, email: optional(email()) },
      once: "by_use_case",
      handler: async (call) => {
        const { db, merchant, body, idempotency } = call;
        const context = { pool: db, ids, merchant, idempotency };
        const asked = { ...periodOf(body), customerId: BigInt(call.params.customer_id), sendTo: body.email };
        const { answer, replayed } = await sendStatement(context, reports.of(merchant), asked);
        markReplayed(call.reply, replayed);
        return { message_id: answer.notificationId };
      },
    }),
  ];
}

type Call = MerchantCall & Parameters<typeof reading>[1] & { readonly params: { readonly customer_id: string } };

/**
 * A franchise reads the part of its own invoices.
 * @throws NodalError `customer_not_found`, also if a franchise has no invoice of the customer
 */
function statementOf(scope: DashboardScope, call: Call): Promise<AccountStatement> {
  const [db, merchant, period] = reading(scope, call);
  const of = { customerId: BigInt(call.params.customer_id), franchiseId: franchiseOf(call.caller) };
  return requireAccountStatement(db, merchant, of, period);
}

function describe({ customer, from, to, openingPaise, closingPaise, lines }: AccountStatement) {
  return {
    customer_id: String(customer.customerId),
    customer_code: customer.customerCode,
    customer_name: customer.customerName,
    customer_email: customer.email,
    from_date: from.toString(),
    to_date: to.toString(),
    /** What the customer owed before the period; below 0 where it had paid too much. */
    opening_balance: formatPaise(openingPaise),
    lines: lines.map((line) => ({
      date: line.day.toString(),
      voucher_type: voucherOf(line),
      invoice_id: line.invoiceId === 0n ? "" : formatInvoiceId(line.invoiceId),
      number: line.number,
      reference: line.reference,
      debit: formatPaise(debitOf(line.deltaPaise)),
      credit: formatPaise(creditOf(line.deltaPaise)),
      balance: formatPaise(line.balancePaise),
    })),
    closing_balance: formatPaise(closingPaise),
  };
}
