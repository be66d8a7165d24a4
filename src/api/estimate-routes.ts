// Routes of estimates: the list, one estimate and its PDF, creating, changing and declining it, and converting it to an
// invoice.
import { findCustomerIds, findCustomers, type Customer } from "../customers/index.ts";
import { buildEstimateDocument, renderInvoicePage, renderInvoicePdf } from "../documents/index.ts";
import {
  acceptEstimate,
  changeEstimate,
  createEstimate,
  declineEstimate,
  estimateFields,
  estimateNotFound,
  findEstimate,
  pageEstimates,
  readEstimate,
  SHOWN_ESTIMATE_STATES,
  shownEstimateState,
  type Estimate,
} from "../estimates/index.ts";
import { formatInvoiceId, toSaved, toWireLine, warningsOfSaved } from "../invoices/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import { date, digitsOrNumber, oneOf, optional, optionalText, wholeNumber } from "../platform/http/fields.ts";
import { warn } from "../platform/http/warning.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import { cutPage, listRoute, numberIn } from "./list-routes.ts";
import { refuseNewCustomer } from "./invoice-routes.ts";
import { markReplayed } from "./once.ts";
import { sendPdf } from "./pdf-routes.ts";

const BODY_LIMIT_BYTES = 512 * 1024;
const MAX_VERSIONS = 2 ** 31 - 1;
const CUSTOMERS_FOUND = 100;
const view = "invoices.view";
const manage = "invoices.manage";
const params = { estimate_id: digitsOrNumber(16) };
const version = optional(wholeNumber(1, MAX_VERSIONS));
const FILTER_FIELDS = { search: optionalText(100), status: optional(oneOf(SHOWN_ESTIMATE_STATES)) };

/** Adds the routes of estimates. */
export function registerEstimateRoutes(scope: DashboardScope) {
  return [
    ...registerReadRoutes(scope),
    ...registerPrintRoutes(scope),
    ...registerWriteRoutes(scope),
    registerAcceptRoute(scope),
  ];
}

function registerReadRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      url: "/estimates",
      summary: "List estimates, the newest first",
      permission: view,
      filters: FILTER_FIELDS,
      rowsIn: "estimates",
      read: async (call, { after, limit }) => {
        const { db, merchant } = call;
        const page = { after: numberIn(after), limit: limit + 1 };
        const found = await pageEstimates(db, merchant, await readFilter(call, call.query), page);
        const { rows, next } = cutPage(found, { limit }, ({ estimateId }) => estimateId);
        const customers = await findCustomers(db, merchant, [...new Set(rows.map(({ customerId }) => customerId))]);
        return { rows: rows.map((each) => describe(each, merchant, customers.get(each.customerId)!)), next };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /estimates/:estimate_id",
      summary: "Read an estimate",
      permission: view,
      params,
      handler: async (call) => ({ estimate: await describeOne(call, await requireEstimate(call, call.params)) }),
    }),
  ];
}

function registerPrintRoutes(scope: DashboardScope) {
  const { renderer, rates } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /estimates/:estimate_id/page",
      summary: "Read an estimate as its customer sees it, in HTML",
      permission: view,
      params,
      handler: async (call) => {
        const estimate = await requireEstimate(call, call.params);
        const document = await buildEstimateDocument(call.db, call.merchant, estimate);
        return { html: renderInvoicePage(document, { pdfUrl: "#", today: todayOf(call.merchant) }).html };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /estimates/:estimate_id/pdf",
      summary: "Download an estimate as a PDF",
      permission: view,
      params,
      handler: async (call) => {
        const estimate = await requireEstimate(call, call.params);
        const document = await buildEstimateDocument(call.db, call.merchant, estimate);
        const make = () => renderInvoicePdf(renderer, call.merchant, document);
        return sendPdf(rates, call, { kind: "estimates", name: estimate.estimateNumber, make });
      },
    }),
  ];
}

function registerWriteRoutes(scope: DashboardScope) {
  const { ids, saves } = scope.parts;
  const contextOf = ({ db: pool, merchant, idempotency }: MerchantCall & { readonly idempotency: Idempotency }) => {
    return { pool, ids, merchant, idempotency, inTurn: saves.inTurn };
  };
  const readRequest = async ({ db, merchant, caller }: MerchantCall, body: Values<typeof estimateFields>) => {
    const request = await readEstimate(db, merchant, body);
    refuseNewCustomer(caller, request.input);
    return request;
  };
  return [
    dashboardRoute(scope, {
      route: "POST /estimates",
      summary: "Create an estimate",
      permission: manage,
      body: estimateFields,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      once: "by_use_case",
      handler: async (call) => {
        const { answer, replayed } = await createEstimate(contextOf(call), await readRequest(call, call.body));
        markReplayed(call.reply, replayed);
        return { estimate: await describeSaved(call, answer) };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /estimates/:estimate_id",
      summary: "Replace an estimate, which keeps its number",
      permission: manage,
      params,
      body: { ...estimateFields, version: wholeNumber(1, MAX_VERSIONS) },
      bodyLimitBytes: BODY_LIMIT_BYTES,
      once: "by_use_case",
      handler: async (call) => {
        const request = await readRequest(call, call.body);
        const named = { estimateId: BigInt(call.params.estimate_id), version: call.body.version };
        const { answer, replayed } = await changeEstimate(contextOf(call), named, request);
        markReplayed(call.reply, replayed);
        return { estimate: await describeSaved(call, answer) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /estimates/:estimate_id/decline",
      summary: "Decline an estimate",
      permission: manage,
      params,
      body: { reason: optionalText(200), version },
      once: "by_use_case",
      handler: async (call) => {
        const { db: pool, merchant, idempotency, body } = call;
        const named = { estimateId: BigInt(call.params.estimate_id), version: body.version };
        const declined = { ...named, reason: body.reason ?? "" };
        const { answer, replayed } = await declineEstimate({ pool, merchant, idempotency }, declined);
        markReplayed(call.reply, replayed);
        return { estimate: await describeSaved(call, answer) };
      },
    }),
  ];
}
type Idempotency = Parameters<typeof createEstimate>[0]["idempotency"];

function registerAcceptRoute(scope: DashboardScope) {
  const { ids, saves, links } = scope.parts;
  return dashboardRoute(scope, {
    route: "POST /estimates/:estimate_id/invoice",
    summary: "Make the invoice of an estimate",
    permission: manage,
    params,
    body: { bill_date: optional(date()), due_date: optional(date()), version },
    once: "by_use_case",
    handler: async (call) => {
      const { db: pool, merchant, idempotency, body } = call;
      const named = { estimateId: BigInt(call.params.estimate_id), version: body.version };
      const { answer, replayed } = await acceptEstimate(
        { pool, ids, merchant, idempotency, inTurn: saves.inTurn },
        { ...named, billDate: body.bill_date, dueDate: body.due_date },
      );
      markReplayed(call.reply, replayed);
      return { invoice: toSaved(answer, merchant, links), ...warn(warningsOfSaved([answer], () => "invoice")) };
    },
  });
}

/** A search covers numbers, and the customers of estimates. */
async function readFilter({ db, merchant }: MerchantCall, { search, status }: Values<typeof FILTER_FIELDS>) {
  const filter = { state: status, today: todayOf(merchant) };
  if (search === null) return { ...filter, search: "", customerIds: [] };
  return { ...filter, search, customerIds: await findCustomerIds(db, merchant, search, CUSTOMERS_FOUND) };
}

/** @throws NodalError `estimate_not_found` */
export async function requireEstimate(
  { db, merchant }: MerchantCall,
  { estimate_id: id }: { readonly estimate_id: string },
): Promise<Estimate> {
  const estimate = await findEstimate(db, { ...merchant, estimateId: BigInt(id) });
  if (!estimate) throw estimateNotFound();
  return estimate;
}

async function describeSaved(call: MerchantCall, estimateId: string) {
  return describeOne(call, await requireEstimate(call, { estimate_id: estimateId }));
}

/** One estimate with its rows and taxes. */
async function describeOne({ db, merchant }: MerchantCall, estimate: Estimate) {
  const { content, customerId, reason, templateId, createdAt, updatedAt } = estimate;
  const customers = await findCustomers(db, merchant, [customerId]);
  return {
    ...describe(estimate, merchant, customers.get(customerId)!),
    template_id: String(templateId),
    due_days: estimate.dueDays,
    sub_total: formatPaise(estimate.subTotalPaise),
    tax_total: formatPaise(estimate.taxTotalPaise),
    rows: content.rows.map(toWireLine),
    taxes: content.taxes.map((tax) => ({
      name: tax.name,
      percentage: formatThousandths(tax.percentThousandths),
      applicable_on: formatPaise(tax.applicableOnPaise),
      amount: formatPaise(tax.amountPaise),
    })),
    invoice: estimate.invoice,
    reason,
    created_at: formatInstant(createdAt, merchant.timeZone),
    updated_at: formatInstant(updatedAt, merchant.timeZone),
  };
}

function describe(estimate: Estimate, merchant: Merchant, { customerCode, customerName }: Customer) {
  return {
    estimate_id: String(estimate.estimateId),
    estimate_number: estimate.estimateNumber,
    status: shownEstimateState(estimate, todayOf(merchant)) as string,
    customer_id: String(estimate.customerId),
    customer_code: customerCode,
    customer_name: customerName,
    estimate_date: estimate.estimateDate.toString(),
    valid_until: estimate.validUntil.toString(),
    amount: formatPaise(estimate.amountPaise),
    version: estimate.version,
    /** Empty until it became an invoice. */
    invoice_id: estimate.invoiceId === null ? "" : formatInvoiceId(estimate.invoiceId),
  };
}
