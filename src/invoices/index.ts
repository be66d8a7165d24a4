// The public interface of invoices.
export { fillRows } from "./lines/line-items.ts";
export { chargedTaxes, creditsGst, owedOf, type CreditNote, type Refund } from "./credit-notes/credit-note.ts";
export { creditLines, debitLines, piecesLeft, toChosenLines } from "./credit-notes/credit-lines.ts";
export { chosenRows, creditableRows, toChosenRows } from "./credit-notes/share-credit.ts";
export {
  checkPayee,
  creditNoteNotFound,
  payeeOfInvoice,
  refundCreditNote,
  type NamedPayee,
} from "./credit-notes/credit-note-refund.ts";
export {
  findCreditNote,
  findNoteOfRefund,
  listCreditNotes,
  listAllCreditNotesOf,
  listRefundsOf,
} from "./credit-notes/credit-note-store.ts";
export {
  changeTemplate,
  createTemplate,
  insertDefaultTemplates,
  makeDefaultTemplate,
  takeTemplateIds,
  type TemplateIds,
} from "./templates/save-template.ts";
export {
  billedTo,
  draftInvoice,
  newInvoice,
  ownNumberOf,
  namesCustomer,
  partsOf,
  withoutOwnNumber,
  type Draft,
} from "./saves/draft.ts";
export { warningsOfCreditNote, warningsOfInvoice, warningsOfKept, warningsOfReceipt } from "./invoice-warnings.ts";
export { draftInvoices } from "./saves/draft-invoices.ts";
export {
  seriesFields,
  templateChanges,
  templateFields,
  toTemplateChange,
  toTemplateDraft,
} from "./templates/template-fields.ts";
export { drawLogo, LOGO_MAX_BYTES, readLogo } from "./templates/template-logo.ts";
export { copyTemplates } from "./templates/copy-templates.ts";
export { findLogo, findTemplate, listTemplates } from "./templates/template-store.ts";
export { financialYearOf, namesInvoiceNumber, writeNumber, type NumberSeries } from "./numbers/number-series.ts";
export {
  applyChange,
  DEFAULT_WIDTH,
  EMPTY_CONTENT,
  type GivenLogo,
  type HeaderField,
  type Logo,
  type Template,
  type TemplateChange,
  type TemplateContent,
} from "./templates/template.ts";
export { documentFacts, estimateKindOf, isTaxable, type DocumentKind } from "./document-kind.ts";
export { printLines, printRate, type PrintedLines } from "./lines/print-lines.ts";
export { SAMPLE_ROW, type Row } from "./lines/line.ts";
export { toWireLine } from "./lines/line-forms.ts";
export { registerInvoicing, scopesOfInvoices } from "./invoice-routes.ts";
export {
  DEFAULT_CHANNELS,
  findOwingReminder,
  queueReminders,
  type OpenInvoice,
  type ReminderSpan,
} from "./notification-store.ts";
export {
  dueOf,
  formatInvoiceId,
  invoiceNotFound,
  overdueDays,
  parseInvoiceId,
  LISTED_STATUSES,
  SHOWN_STATUSES,
  shownStatus,
  type Invoice,
  type InvoiceContent,
  type InvoiceInput,
  type InvoiceKey,
  type PartySnapshot,
} from "./invoice.ts";
export {
  readCreditNoteObjects,
  readDebitNoteObjects,
  readReceiptObjects,
  readReceiptRefundObjects,
  readInvoiceObjects,
  readSettlementObjects,
} from "./event-objects.ts";
export {
  openingBalanceChanges,
  openingBalanceFields,
  openingBalanceList,
  openingBalanceOf,
  readOpeningBalance,
} from "./opening/opening-balance.ts";
export {
  MAX_FILE_LINES as MAX_OPENING_BALANCE_LINES,
  OPENING_BALANCE_HEADINGS,
  readOpeningBalanceFile,
} from "./opening/read-opening-file.ts";
export { changeOpeningBalance, requireOpeningBalance, saveOpeningBalances } from "./opening/save-opening-balances.ts";
export { reasonOfDebitNote } from "./debit-note-event.ts";
export { toDebitNote } from "./debit-notes/debit-note-wire.ts";
export { debitNoteNotFound, issueDebitNote, requireDebitNote } from "./debit-notes/issue-debit-note.ts";
export { readSupply } from "./read-supply.ts";
export { readDetail, toCreditNote } from "./invoice-detail.ts";
export { cancelCreditNote } from "./credit-notes/cancel-credit-note.ts";
export { FILTER_DATES, type FilterDate } from "./lists/invoice-day-store.ts";
export {
  browseInvoices,
  sumInvoices,
  type BrowsedPage,
  type BrowsedRecord,
  type BrowseKey,
  type BrowseOrder,
  type InvoiceTotals,
} from "./lists/invoice-browse-store.ts";
export { listInvoices, type InvoiceFilter } from "./lists/invoice-list-store.ts";
export {
  hasInvoices,
  sumBilledMonths,
  sumCollectedDays,
  sumOpenInvoices,
  type Sum,
} from "./lists/invoice-sums-store.ts";
export { readInvoiceFilter } from "./lists/read-invoice-filter.ts";
export { KINDS, sumBilling, type BillingFilter, type BillingList } from "./lists/billing-walk-store.ts";
export {
  listBilling,
  readBillingFilter,
  streamBilling,
  type NoteRow,
  type PaymentRow,
  type RefundRow,
} from "./lists/list-billing.ts";
export { seriesOf, type DocumentSeries } from "./register/document-series.ts";
export { PROBLEM_TEXTS } from "./register/problem-texts.ts";
export {
  readHsnSummary,
  readNumberRuns,
  readProblems,
  readSalesRegister,
  readTaxSummary,
  sumSalesRegister,
  type HsnRow,
  type Period,
  type ProblemKey,
  type ProblemRow,
  type RateRow,
  type RegisterKey,
  type RegisterRow,
  type TaxSums,
} from "./register/report-store.ts";
export { lookUpInvoices } from "./lists/look-up.ts";
export { markInvoiceSent, sendInvoice } from "./send-invoice.ts";
export { WRITE_OFF } from "./settlement-store.ts";
export { PAYMENT_MODES, paymentFields, toPayment, toSettled } from "./settlements/settlement-routes.ts";
export { cancelInvoice, changeInvoice } from "./saves/update-invoice.ts";
export { InvoiceSaves, type InTurn } from "./saves/invoice-saves.ts";
export { billInvoices, saveOne } from "./saves/save-group.ts";
export {
  checkInvoice,
  invoiceFields,
  invoiceIdField,
  invoiceUpdateFields,
  NO_SETTINGS,
  readInvoiceSettings,
  toInvoiceInput,
  type InvoiceSettings,
  type SentInvoice,
  type TemplateOf,
  membersKept,
} from "./invoice-fields.ts";
export { customersOf, newCustomerEvents, requireTemplate, templateNotFound } from "./invoice-references.ts";
export { checkUpload, sampleUpload } from "./saves/invoice-upload.ts";
export { saveUpload } from "./saves/saved-upload.ts";
export { findInvoice, findInvoices, listDebitNotesOf, listDues, listRevisions } from "./invoice-store.ts";
export {
  describeSaved,
  toRecord,
  toSaved,
  warningsOfSaved,
  type Linked,
  type Links,
  type SavedInvoice,
} from "./invoice-wire.ts";
export { unprintableOf } from "./unprintable.ts";
export { CUSTOMER_DUES, duesFilter, readDuesOf } from "./lists/customer-dues-store.ts";
export { listCustomerPayments, readCustomerAccount } from "./lists/customer-read-store.ts";
export { findForgedCreditNotes } from "./credit-notes/find-forged.ts";
export { issueCreditNote } from "./credit-notes/issue-credit-note.ts";
export { InvoiceSettlements } from "./settlements/invoice-settlements.ts";
export {
  advanceGstFields,
  allocationFields,
  importedReceiptList,
  receiptFields,
  receiptRefundFields,
  toAllocations,
  toImportedReceipt,
  toNewReceipt,
  toReceiptRefund,
} from "./receipts/receipt-fields.ts";
export type { AdvanceVoucher } from "./advances/advance-gst.ts";
export { readAdvances, type AdvanceRow } from "./advances/advance-report-store.ts";
export { requireVoucher, taxesOfVoucher, type VoucherPapers } from "./advances/read-voucher.ts";
export { importReceipts, type ImportedReceipt, type RefusedReceipt } from "./receipts/import-receipts.ts";
export {
  MAX_RECEIPT_LINES,
  RECEIPT_HEADINGS,
  readReceiptFile,
  type ReceiptFile,
} from "./receipts/read-receipt-file.ts";
export { MAX_ALLOCATIONS } from "./receipts/use-receipt.ts";
export { findReceiptsOfLines, pageReceipts, RECEIPT_KINDS, sumAdvance } from "./receipt-store.ts";
export { findInvoicesNumbered } from "./lists/find-numbered.ts";
export { findOpenByDue, findRecorded, type RecordedPayment } from "./bank-line-store.ts";
export { shareInOrder } from "./receipts/share-in-order.ts";
export { describeReceipt, toReceipt } from "./receipts/receipt-wire.ts";
export { allocateReceipt, recordReceipt, type BankLines } from "./receipts/record-receipt.ts";
export { certifyTdsClaim } from "./tds/certify-claim.ts";
export { putBackTds } from "./tds/put-back-tds.ts";
export { pageClaims, type ClaimFilter, type ClaimPlace } from "./tds/tds-claim-store.ts";
export { describeClaim, toTdsClaim } from "./tds/tds-claim-wire.ts";
export {
  daysOfQuarter,
  quarterField,
  quarterOf,
  statusOfClaim,
  TDS_CLAIM_STATUSES,
  type TdsClaim,
} from "./tds/tds-claim.ts";
export { refundReceipt, reverseReceipt } from "./receipts/take-back-receipt.ts";
export { reverseSettlement } from "./settlements/settle-invoice.ts";
export { writeOffInvoice } from "./settlements/write-off.ts";
export { findSettlement, listSettlements, type Settlement } from "./settlement-store.ts";
export { contentFromJson, contentToJson } from "./content-codec.ts";
export { INVOICE_CHECKS } from "./verify-store.ts";
export { readLastNumbers, takeNumbers } from "./numbers/number-counter-store.ts";
export {
  GST_NAMES,
  gstOf,
  isCess,
  profileWarnings,
  roundOffOf,
  rowRateOf,
  sum,
  type GstName,
  type Tax,
} from "./totals.ts";
export { isAbroad, stateOf } from "./supply.ts";
