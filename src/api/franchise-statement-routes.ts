// Routes of a franchise's statement: reading it, as CSV and as PDF. A franchise that is signed in reads its own.
import {
  amountsOf,
  FRANCHISE_STATEMENT_COLUMNS,
  readPrintedStatement,
  referenceOf,
  renderFranchiseStatementPdf,
  type PrintedStatement,
} from "../documents/index.ts";
import { formatInvoiceId } from "../invoices/index.ts";
import { fileNameOf } from "../platform/file-name.ts";
import { formatPaise } from "../platform/money.ts";
import { franchiseParams, requireFranchise } from "./franchise-routes.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { sendCsv } from "./list-routes.ts";
import { sendPdf } from "./pdf-routes.ts";
import { PERIOD, reading } from "./report-routes.ts";

const url = "/franchises/:franchise_id/statement";
const guard = {
  permission: "franchises.view",
  narrowsToFranchise: true,
  params: franchiseParams,
  query: PERIOD,
} as const;

/** Adds them: docs/rules/franchises.md#statement */
export function registerFranchiseStatementRoutes(scope: DashboardScope) {
  const { renderer, rates } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: `GET ${url}`,
      summary: "Read a franchise's statement of commission",
      ...guard,
      handler: async (call) => describe(await statementOf(scope, call)),
    }),
    dashboardRoute(scope, {
      route: `GET ${url}.csv`,
      summary: "Read a franchise's statement of commission, as CSV",
      ...guard,
      handler: async (call) => {
        const { lines, franchise } = await statementOf(scope, call);
        return sendCsv(
          call.reply,
          `commission ${fileNameOf(franchise.code)}.csv`,
          FRANCHISE_STATEMENT_COLUMNS,
          each(lines),
        );
      },
    }),
    dashboardRoute(scope, {
      route: `GET ${url}/pdf`,
      summary: "Download a franchise's statement of commission as a PDF",
      ...guard,
      handler: async (call) => {
        const statement = await statementOf(scope, call);
        const make = () => renderFranchiseStatementPdf(renderer, call.merchant, statement);
        return sendPdf(rates, call, { kind: "statements", name: `commission ${statement.franchise.code}`, make });
      },
    }),
  ];
}

async function* each<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows;
}

type Call = MerchantCall & Parameters<typeof reading>[1] & { readonly params: { readonly franchise_id: string } };

/** @throws NodalError `franchise_not_found`, also if a franchise asks for a different one */
async function statementOf(scope: DashboardScope, call: Call): Promise<PrintedStatement> {
  const [pool, merchant, period] = reading(scope, call);
  const { franchiseId } = await requireFranchise(call, call.params.franchise_id);
  return readPrintedStatement({ pool, merchant }, { franchiseId, ...period });
}

function describe({ franchise, from, to, lines, ...sums }: PrintedStatement) {
  return {
    franchise_id: String(franchise.franchiseId),
    franchise_code: franchise.code,
    franchise_name: franchise.name,
    /** First day of the period. */
    from_date: from.toString(),
    /** Last day of the period. */
    to_date: to.toString(),
    /** The commission that was due before the period; below 0 where too much was paid. */
    opening_balance: formatPaise(sums.openingPaise),
    /** Commission earned in the period, less what was reversed, in rupees. */
    earned: formatPaise(sums.earnedPaise),
    /** Commission paid in the period, less what was returned or reversed, in rupees. */
    paid: formatPaise(sums.paidPaise),
    /** Each amount earned, paid or reversed, in the order of the ledger. */
    lines: lines.map((line) => ({
      /** Day in the merchant's time zone. */
      date: line.day.toString(),
      /** What happened; a reversal is a line of its own. */
      kind: line.kind,
      /** Empty for payments. */
      invoice_id: line.invoiceId === null ? "" : formatInvoiceId(line.invoiceId),
      /** Empty for payments. */
      invoice_number: line.invoiceNumber,
      /** The payout; `null` for commission, and for a payment outside Nodal. */
      transfer_id: line.transferId === null ? null : String(line.transferId),
      /** How it was paid outside Nodal; empty for others. */
      mode: line.payment?.mode ?? "",
      /** The UTR, or the reference of a payment outside Nodal. */
      reference: referenceOf(line),
      /** In rupees; below 0 for a reversal, and 0.00 for a payment. */
      earned: formatPaise(amountsOf(line).earnedPaise),
      /** In rupees; below 0 for a payment that was returned or reversed, and 0.00 for commission. */
      paid: formatPaise(amountsOf(line).paidPaise),
      /** The commission that is due after the line, in rupees. */
      balance: formatPaise(line.balancePaise),
    })),
    /** The commission that is due when the period ends, in rupees. Below 0 where too much was paid. */
    closing_balance: formatPaise(sums.closingPaise),
  };
}
