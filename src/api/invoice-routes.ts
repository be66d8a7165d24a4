// Routes of single invoices: reading, creating, changing, previewing, sending, cancelling. Lists and payments are in
// other files.
import { buildDocument, previewInvoice, readSources, renderInvoicePage, unprintableIn } from "../documents/index.ts";
import { gstinField, listColumns } from "../customers/index.ts";
import { findEstimateOf } from "../estimates/index.ts";
import { listCommission, listFranchises } from "../franchises/index.ts";
import {
  cancelInvoice,
  changeInvoice,
  checkInvoice,
  findInvoice,
  invoiceFields,
  invoiceIdField,
  invoiceNotFound,
  invoiceUpdateFields,
  listAllCreditNotesOf,
  listDebitNotesOf,
  listRefundsOf,
  listRevisions,
  listSettlements,
  listTemplates,
  membersKept,
  parseInvoiceId,
  readDetail,
  readInvoiceSettings,
  sendInvoice,
  shownStatus,
  toInvoiceInput,
  toSaved,
  unprintableOf,
  warningsOfKept,
  warningsOfSaved,
  withoutOwnNumber,
  type Invoice,
  type InvoiceInput,
  type InvoiceSettings,
  type SentInvoice,
  type TemplateOf,
} from "../invoices/index.ts";
import { franchiseOf, todayOf, type ApiCaller } from "../merchants/index.ts";
import { listNotificationsAbout } from "../notifications/index.ts";
import { amountInWords } from "../platform/amount-words.ts";
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import { digitsOrNumber, email, list, optional, wholeNumber } from "../platform/http/fields.ts";
import { warn } from "../platform/http/warning.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { findSubscriptionOf } from "../subscriptions/index.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import {
  describeCreditable,
  describeDebit,
  describeMessage,
  describeNote,
  describeOriginal,
  describeRefunded,
} from "./invoice-shown.ts";
import { markReplayed } from "./once.ts";
import { describeRefunds } from "./shown.ts";
import { registerSupplyRoute } from "./supply-routes.ts";

/** The same limit as in the merchants' API. */
export const MAX_INVOICES = 500;
/** Enough for an invoice with the most rows. */
export const BODY_LIMIT_BYTES = 512 * 1024;
const MAX_REVISIONS = 50;
const MAX_MESSAGES = 50;
const MAX_CHANGES = 2 ** 31 - 1;
/** The body of a preview; `invoice_id` is of the invoice that is changed. */
export const previewFields = {
  template_id: optional(digitsOrNumber(16)),
  invoice_id: optional(invoiceIdField()),
  invoice: invoiceUpdateFields,
};
export const invoiceParams = { invoice_id: invoiceIdField() };

/** Adds the routes of single invoices. */
export function registerInvoiceRoutes(scope: DashboardScope) {
  return [
    ...registerFormRoutes(scope, "invoices"),
    ...registerReadRoutes(scope),
    ...registerWriteRoutes(scope),
    ...registerSendRoutes(scope),
  ];
}

/** The invoice in the path. @throws NodalError `invoice_not_found`, also for one of another franchise */
export async function requireInvoice({ db, merchant, caller }: MerchantCall, text: string): Promise<Invoice> {
  const { bucket, merchantId } = merchant;
  const invoice = await findInvoice(db, { bucket, merchantId, invoiceId: parseInvoiceId(text) ?? 0n });
  const own = franchiseOf(caller);
  const isForeign = own !== null && invoice?.franchiseId !== own;
  if (!invoice || isForeign) throw invoiceNotFound();
  return invoice;
}

/**
 * Adds the choices and the preview of an invoice form. `of` is the kind of document that the form makes, and the path
 * of these routes.
 */
export function registerFormRoutes(scope: DashboardScope, of: "invoices" | "subscriptions") {
  return [
    dashboardRoute(scope, {
      route: `GET /${of}/form`,
      summary: "List templates, franchises and columns to choose from",
      permission: `${of}.manage`,
      handler: async ({ db, merchant }) => {
        const [templates, franchises, columns] = await Promise.all([
          listTemplates(db, merchant),
          listFranchises(db, merchant),
          listColumns(db, merchant),
        ]);
        return {
          gstin_field_id: gstinField([], columns).id,
          today: todayOf(merchant).toString(),
          templates: templates.map((template) => ({
            template_id: String(template.templateId),
            name: template.name,
            header_fields: template.headerFields,
            default_rows: template.defaultRows,
            default_taxes: template.defaultTaxes,
          })),
          franchises: franchises
            .filter(({ deletedAt }) => deletedAt === null)
            .map(({ franchiseId, name }) => ({ franchise_id: String(franchiseId), name })),
        };
      },
    }),
    registerSupplyRoute(scope, of),
    dashboardRoute(scope, {
      route: `POST /${of}/preview`,
      summary: "Work out an invoice without saving it",
      once: "changes_nothing",
      permission: `${of}.manage`,
      body: previewFields,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handler: async (call) => {
        const { merchant } = call;
        const { draft, document, warnings } = await readPreview(call);
        return {
          sub_total: formatPaise(draft.subTotalPaise),
          tax_total: formatPaise(draft.taxTotalPaise),
          round_off_amount: formatPaise(draft.roundOffPaise),
          previous_dues: formatPaise(draft.previousDuesPaise),
          amount: formatPaise(draft.amountPaise),
          amount_in_words: amountInWords(draft.amountPaise),
          taxes: draft.content.taxes.map((tax) => ({
            name: tax.name,
            percentage: formatThousandths(tax.percentThousandths),
            applicable_on: formatPaise(tax.applicableOnPaise),
            amount: formatPaise(tax.amountPaise),
          })),
          html: renderInvoicePage(document, { pdfUrl: "#", today: todayOf(merchant) }).html,
          unprintable: unprintableIn(document),
          warnings: [...warnings],
        };
      },
    }),
  ];
}

function registerReadRoutes(scope: DashboardScope) {
  const { links } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /invoices/:invoice_id",
      summary: "Read an invoice with its payments, credit notes and messages",
      permission: "invoices.view",
      narrowsToFranchise: true,
      params: invoiceParams,
      handler: async (call) => {
        const { db, merchant, params } = call;
        const invoice = await requireInvoice(call, params.invoice_id);
        const settlements = await listSettlements(db, invoice);
        const subjects = [invoice.invoiceId, ...settlements.map(({ settlementId }) => settlementId)];
        const [detail, revisions, messages, commission, notes, refunded, subscriptionId, debitNotes, estimate] =
          await Promise.all([
            readDetail({ pool: db, merchant, links }, invoice.invoiceId, formatInstant),
            listRevisions(db, invoice, MAX_REVISIONS),
            listNotificationsAbout(db, merchant, subjects, MAX_MESSAGES),
            listCommission(db, merchant, invoice.invoiceId),
            listAllCreditNotesOf(db, invoice),
            listRefundsOf(db, invoice),
            findSubscriptionOf(db, merchant, invoice.invoiceId),
            listDebitNotesOf(db, invoice),
            findEstimateOf(db, merchant, invoice.invoiceId),
          ]);
        const refunds = await describeRefunds(db, notes);
        const reasons = new Map(settlements.map((each) => [String(each.settlementId), each]));
        return {
          ...detail,
          status: shownStatus(detail.status, detail.due),
          is_opening_balance: invoice.isOpeningBalance,
          original_invoice: describeOriginal(invoice),
          debit_notes: debitNotes.map((note) => describeDebit(note, merchant)),
          own_taxes: invoice.content.ownTaxes,
          /** Header fields for a copy of this invoice. */
          fields_to_copy: [...withoutOwnNumber(invoice.content.headerFields)],
          carried: formatPaise(invoice.carriedPaise),
          created_at: formatInstant(invoice.createdAt, merchant.timeZone),
          revision: invoice.revision,
          /** Letters that the PDF's fonts lack. */
          unprintable: unprintableOf(invoice)?.letters ?? "",
          /** The subscription that created it; empty if none did. */
          subscription_id: subscriptionId === null ? "" : String(subscriptionId),
          /** The estimate that became it; empty if none did. */
          estimate_id: estimate === null ? "" : String(estimate.estimateId),
          estimate_number: estimate?.estimateNumber ?? "",
          settlements: detail.settlements.map((each) => ({
            ...each,
            reversal_reason: reasons.get(each.transaction_id)?.reversalReason ?? "",
            write_off_reason: reasons.get(each.transaction_id)?.writeOffReason ?? "",
          })),
          creditable_rows: describeCreditable(invoice, notes),
          credit_notes: notes.map((note) => describeNote(note, refunds.get(String(note.creditNoteId))!)),
          ...describeRefunded(refunded, merchant),
          revisions: revisions.map((each) => ({
            revision: each.revision,
            replaced_at: formatInstant(each.replacedAt, merchant.timeZone),
            bill_date: each.billDate,
            due_date: each.dueDate,
            amount: formatPaise(each.amountPaise),
          })),
          messages: messages.map((message) => describeMessage(message, merchant)),
          commission: formatPaise(commission.reduce((sum, { remainingPaise }) => sum + remainingPaise, 0n)),
        };
      },
    }),
    registerPageRoute(scope),
  ];
}

function registerPageRoute(scope: DashboardScope) {
  const { links } = scope.parts;
  return dashboardRoute(scope, {
    route: "GET /invoices/:invoice_id/page",
    summary: "Read an invoice as its customer sees it, in HTML",
    permission: "invoices.view",
    narrowsToFranchise: true,
    params: invoiceParams,
    handler: async (call) => {
      const invoice = await requireInvoice(call, call.params.invoice_id);
      const sources = await readSources(call.db, invoice, links);
      return { html: renderInvoicePage(buildDocument(sources), { pdfUrl: "#", today: sources.today }).html };
    },
  });
}

function registerWriteRoutes(scope: DashboardScope) {
  const { ids, saves, links } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /invoices",
      summary: "Save an invoice",
      permission: "invoices.manage",
      body: {
        template_id: optional(digitsOrNumber(16)),
        invoice: list(invoiceFields, MAX_INVOICES),
      },
      bodyLimitBytes: BODY_LIMIT_BYTES,
      once: "by_use_case",
      handler: async (call) => {
        const { merchant, origin, body, idempotency } = call;
        const templateId = body.template_id === null ? null : BigInt(body.template_id);
        const request = { templateId, invoices: await readInputs(call, body.invoice, templateId) };
        for (const input of request.invoices) refuseNewCustomer(call.caller, input);
        const { answer, replayed } = await saves.save({ merchant, origin, idempotency }, request);
        markReplayed(call.reply, replayed);
        const warnings = warningsOfSaved(answer, (index) => `invoice[${index}]`);
        return { invoices: answer.map((saved) => toSaved(saved, merchant, links)), replayed, ...warn(warnings) };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /invoices/:invoice_id",
      summary: "Change an invoice on which nothing is paid",
      permission: "invoices.manage",
      params: invoiceParams,
      body: {
        revision: optional(wholeNumber(1, MAX_CHANGES)),
        invoice: invoiceUpdateFields,
      },
      bodyLimitBytes: BODY_LIMIT_BYTES,
      once: "by_use_case",
      handler: async (call) => {
        const { db, merchant, params, body, idempotency } = call;
        const { invoiceId } = await requireInvoice(call, params.invoice_id);
        const input = await readInput(call, body.invoice, { invoiceId });
        const context = { pool: db, ids, merchant, idempotency };
        const { answer, replayed } = await changeInvoice(context, { invoiceId, input, revision: body.revision });
        markReplayed(call.reply, replayed);
        const kept = warningsOfKept(membersKept(body.invoice), "invoice");
        const warnings = [...kept, ...warningsOfSaved([answer], () => "invoice")];
        return { invoice: toSaved(answer, merchant, links), ...warn(warnings) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /invoices/:invoice_id/cancel",
      summary: "Cancel an invoice on which nothing is paid",
      permission: "invoices.cancel",
      params: invoiceParams,
      handler: async (call) => {
        const { invoiceId } = await requireInvoice(call, call.params.invoice_id);
        const { db: pool, merchant } = call;
        const { answer } = await cancelInvoice({ pool, merchant, idempotency: null }, invoiceId);
        return { invoice: toSaved(answer, merchant, links) };
      },
    }),
  ];
}

function registerSendRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /invoices/:invoice_id/send",
      summary: "Send an invoice to its customer",
      permission: "invoices.manage",
      params: invoiceParams,
      body: { email: email() },
      once: "by_use_case",
      handler: async (call) => {
        const { db, merchant, params, body, idempotency } = call;
        const { invoiceId } = await requireInvoice(call, params.invoice_id);
        const context = { pool: db, ids, merchant, idempotency };
        const { answer, replayed } = await sendInvoice(context, { invoiceId, sendTo: body.email });
        markReplayed(call.reply, replayed);
        return { message_id: answer.notificationId };
      },
    }),
  ];
}

/**
 * The invoices of a request as input of the use cases. Does not check the permission to create customers.
 * @throws NodalError `validation_failed` with all errors
 */
export async function readInputs(
  call: MerchantCall,
  sent: readonly SentInvoice[],
  templateId: bigint | null,
): Promise<InvoiceInput[]> {
  const errors: FieldError[] = [];
  const settings = await readInvoiceSettings(call.db, call.merchant, sent, { templateId });
  for (const [index, each] of sent.entries()) checkInvoice(each, `invoice[${index}]`, settings, errors, true);
  if (errors.length > 0) throw validationError(errors);
  return sent.map((each, index) => readOne(each, `invoice[${index}]`, settings));
}

/** The calculated invoice of a preview. @throws NodalError the errors of saving it, as far as they are known before */
export async function readPreview(call: MerchantCall & { readonly body: Values<typeof previewFields> }) {
  const { db, merchant, body } = call;
  const templateId = body.template_id === null ? null : BigInt(body.template_id);
  const invoiceId = body.invoice_id === null ? null : parseInvoiceId(body.invoice_id);
  const input = await readInput(call, body.invoice, invoiceId === null ? { templateId } : { invoiceId });
  return previewInvoice({ pool: db, merchant }, { templateId, invoiceId, input });
}

async function readInput(call: MerchantCall, sent: SentInvoice, of: TemplateOf): Promise<InvoiceInput> {
  const errors: FieldError[] = [];
  const settings = await readInvoiceSettings(call.db, call.merchant, [sent], of);
  checkInvoice(sent, "invoice", settings, errors, false);
  if (errors.length > 0) throw validationError(errors);
  const input = readOne(sent, "invoice", settings);
  refuseNewCustomer(call.caller, input);
  return input;
}

function readOne(sent: SentInvoice, path: string, settings: InvoiceSettings): InvoiceInput {
  const errors: FieldError[] = [];
  const input = toInvoiceInput(sent as Parameters<typeof toInvoiceInput>[0], path, settings, errors);
  if (errors.length > 0) throw validationError(errors);
  return input;
}

/** @throws NodalError `access_denied` for a new customer, without the permission to create one */
export function refuseNewCustomer({ permissions }: ApiCaller, { newCustomer }: InvoiceInput): void {
  if (!newCustomer || permissions.has("customers.manage")) return;
  throw new NodalError("access_denied", "Your role can't add customers. Choose an existing customer.");
}
