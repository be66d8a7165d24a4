// The public interface of the merchant's books.
export { readAgeing, type AgeingKey, type AgeingRow } from "./ageing-store.ts";
export { BOOK_ACCOUNTS, BOOK_CHART, columnOf, type BookAccount } from "./chart.ts";
export { changeBookSetting, copyBookSetting } from "./change-setting.ts";
export { findBookSetting, findLocks, type BookSetting } from "./setting-store.ts";
export { isLocked, lockedDayError, openDay, refuseLockedPeriods } from "./locked-period.ts";
export { BOOK_CHECKS } from "./verify-store.ts";
export { bookStatements, type BookEntry, type BookEvent } from "./book-store.ts";
export { ledgersOf, walkTallyVouchers } from "./tally-store.ts";
export { tallyMasters, tallyVouchers } from "./tally.ts";
export { walkZohoDocuments, walkZohoPayments } from "./zoho-store.ts";
export {
  ZOHO_CREDIT_NOTE_COLUMNS,
  ZOHO_INVOICE_COLUMNS,
  ZOHO_PAYMENT_COLUMNS,
  zohoCustomer,
  zohoPaymentRows,
  zohoRows,
  zohoState,
  zohoTreatment,
} from "./zoho.ts";
export {
  readCustomerStatement,
  readDayBook,
  readTrialBalance,
  type DayBookKey,
  type DayBookRow,
  type StatementLine,
  type StatementOf,
  type TrialRow,
} from "./report-store.ts";
export { voucherOf } from "./vouchers.ts";
