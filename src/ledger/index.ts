// The public interface of the ledger.
export { auditChange, auditValues, type AuditChange } from "./audit-values.ts";
export {
  eventWrites,
  findEvents,
  listEvents,
  readLastEntryNo,
  recordEvents,
  recordEventsOfMany,
  type Event,
  type NewEvent,
  type NewEventOf,
} from "./journal-store.ts";
export { addEntries, BatchBook, inBookOrder, IS_OK, lockBooks, moveBooks, moveOwned, slotsOf } from "./batch-store.ts";
export { countEntries, type EntryCount } from "./count-store.ts";
export { dayOfRrn, isUtr } from "./deposit-names.ts";
export { findPaymentWithUtr, sharesAccount } from "./deposit-store.ts";
export { findEarlierFunding, fundMerchant, fundWithin } from "./fund.ts";
export type { PostingKind } from "./posting-rules.ts";
export { canonical, isEventProved } from "./proof.ts";
export { findUnproved } from "./proof-store.ts";
export {
  isProvedPayer,
  isProvedPayerRow,
  PAYER_COLUMNS,
  provePayer,
  renewPayerProof,
  type PayerRow,
} from "./payer-proof.ts";
export {
  findFreeBooks,
  findFundings,
  findPostings,
  insertFundings,
  lockBook,
  openBooks,
  openCommissionAccounts,
  readBalances,
  readBalancesOfMany,
  readCommissionBalances,
  readOwed,
  type Balances,
} from "./ledger-store.ts";
export {
  findEventsAt,
  findFirstEntry,
  hasEvent,
  hasPostings,
  keepBalances,
  listPostingsOf,
  readBalancesBefore,
  type EventOfSubject,
  type PostingOfSubject,
} from "./place-store.ts";
export {
  countLedger,
  inScope,
  listBuckets,
  LEDGER_CHECKS,
  runChecks,
  rupees,
  type Check,
  type VerifyScope,
  type Violation,
} from "./verify-store.ts";
