// The public interface of documents.
export {
  readAccountStatement,
  refuseIfTooLong,
  requireAccountStatement,
  renderAccountStatementPdf,
  sumAccountStatement,
  type AccountPeriod,
  type AccountStatement,
} from "./account-statement.ts";
export { tallyFiles, ZOHO_FILES } from "./accounting-files.ts";
export { buildEstimateDocument, toEstimateDocument } from "./build-estimate.ts";
export { buildCreditNoteDocument, buildDocument, readSources } from "./build-document.ts";
export { unprintableIn, type InvoiceDocument } from "./document.ts";
export {
  amountsOf,
  FRANCHISE_STATEMENT_COLUMNS,
  readPrintedStatement,
  referenceOf,
  renderFranchiseStatementPdf,
  type PrintedStatement,
} from "./franchise-statement.ts";
export { previewInvoice } from "./preview-invoice.ts";
export {
  nextNumberOf,
  previewTemplate,
  readSeriesPosition,
  sampleInvoiceRequest,
  type SeriesPosition,
} from "./preview-template.ts";
export { renderPayoutAdvice } from "./render-advice.ts";
export { PublicLinks } from "./public-link.ts";
export { registerPublicRoutes } from "./public-routes.ts";
export { accentPalette } from "./render-colour.ts";
export { renderInvoicePage } from "./render-page.ts";
export { renderInvoicePages, renderInvoicePdf } from "./render-pdf.ts";
export type { Fact } from "./render-view.ts";
export { renderVoucherPdf } from "./render-voucher.ts";
export { renderStatementPdf } from "./render-statement.ts";
