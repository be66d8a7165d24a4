// What other domains and the commands may use of invoices.
export { owedOf, type CreditNote } from "./credit-note.ts";
export { buildCreditNoteDocument } from "./credit-note-document.ts";
export { creditNoteNotFound, refundCreditNote } from "./credit-note-refund.ts";
export { checkPayee, payeeOfInvoice, type NamedPayee } from "./refund-payee.ts";
export { findCreditNote, listCreditNotes, listCreditNotesOf } from "./credit-note-store.ts";
export { sumBilledMonths, sumCollectedDays, sumOpenInvoices, type Sum } from "./billing-sums-store.ts";
export { buildDocument } from "./build-document.ts";
export { countDocuments } from "./document-count-store.ts";
export { changeTemplate, makeDefaultTemplate } from "./change-template.ts";
export { nextNumberOf, previewTemplate, readSeriesPosition, type SeriesPosition } from "./template-preview.ts";
export { checkTemplateDraft, createTemplate } from "./create-template.ts";
export { insertDefaultTemplates, takeTemplateIds, type TemplateIds } from "./template-default.ts";
export type { Draft } from "./draft.ts";
export { draftInvoices } from "./draft-invoices.ts";
export {
  companyFields,
  logoText,
  seriesFields,
  templateFields,
  toTemplateChange,
  toTemplateDraft,
} from "./template-fields.ts";
export { LOGO_MAX_BYTES, readLogo } from "./template-logo.ts";
export { sampleInvoiceRequest } from "./template-sample.ts";
export { findTemplate, listTemplates } from "./template-store.ts";
export type { NumberSeries } from "./number-series.ts";
export type { GivenLogo, Template, TemplateDraft } from "./template.ts";
export { registerInvoicing } from "./register-invoicing.ts";
export { profileWarnings } from "./profile-warnings.ts";
export { markInvoiceSent } from "./mark-sent.ts";
export {
  DEFAULT_CHANNELS,
  findOwingReminder,
  queueReminders,
  type OpenInvoice,
  type ReminderSpan,
} from "./notification-store.ts";
export { PublicLinks } from "./public-link.ts";
export { registerPublicRoutes } from "./public-routes.ts";
export type { InvoiceDocument } from "./document.ts";
export { readSources } from "./document-sources.ts";
export { dueOf, formatInvoiceId, INVOICE_STATUSES, invoiceNotFound, parseInvoiceId, type Invoice } from "./invoice.ts";
export { readCreditNoteObjects, readInvoiceObjects, readSettlementObjects } from "./event-objects.ts";
export { readDetail } from "./invoice-detail.ts";
export { listInvoices, type InvoiceFilter } from "./invoice-list-store.ts";
export {
  browseInvoices,
  findMatches,
  type BrowsedRecord,
  type BrowseFilter,
  type BrowseKey,
  type BrowseOrder,
} from "./invoice-browse-store.ts";
export { FILTER_DATES, type FilterDate } from "./invoice-page-store.ts";
export { sumInvoices, type InvoiceTotals } from "./invoice-sums-store.ts";
export { previewInvoice } from "./preview-invoice.ts";
export { renderInvoicePage } from "./render-page.ts";
export { sendInvoice } from "./send-invoice.ts";
export { paymentFields, toPayment, toSettled } from "./settlement-routes.ts";
export { cancelInvoice, changeInvoice } from "./update-invoice.ts";
export { InvoiceSaves, type InTurn } from "./invoice-saves.ts";
export { billInvoices } from "./save-invoices.ts";
export {
  checkInvoice,
  invoiceFields,
  invoiceUpdateFields,
  toInvoiceInput,
  type InvoiceSettings,
  type SentInvoice,
} from "./invoice-fields.ts";
export { invoiceIdField } from "./invoice-routes.ts";
export { readInvoiceSettings, type TemplateOf } from "./invoice-settings.ts";
export type { InvoiceInput } from "./invoice-input.ts";
export { customersOf, newCustomerEvents, templateNotFound } from "./invoice-references.ts";
export { checkUpload, sampleUpload } from "./invoice-upload.ts";
export { findInvoice, findInvoices, listRevisions } from "./invoice-store.ts";
export { toRecord, toSaved, type Links } from "./invoice-wire.ts";
export { listCustomerPayments, readCustomerAccount } from "./customer-account-store.ts";
export { issueCreditNote, type CreditNoteRequest } from "./issue-credit-note.ts";
export { accentPalette } from "./render-colour.ts";
export { renderInvoicePdf } from "./render-pdf.ts";
export type { Fact } from "./render-view.ts";
export { reverseSettlement, settleInvoice } from "./settle-invoice.ts";
export { findSettlement, listSettlements, type Settlement } from "./settlement-store.ts";
export { INVOICE_CHECKS } from "./verify-store.ts";
