// The public interface of payouts: opening and closing, routes, and what commands may use.
import type { IdSource } from "../platform/database/ids.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { registerBatchRoutes } from "./bulk/batch-routes.ts";
import { registerScheduledRoutes } from "./bulk/scheduled-routes.ts";
import { registerBeneficiaryRoutes } from "./beneficiaries/beneficiary-routes.ts";
import type { Payouts } from "./payouts.ts";
import { registerTransferRoutes } from "./transfer-routes.ts";

export { cancelTransfer } from "./dispatch/cancel-transfer.ts";
export { DISPATCHER_NAME, openPayouts, type Payouts } from "./payouts.ts";
export { readBeneficiaryDetails, requireAccount } from "./beneficiaries/beneficiary-routes.ts";
export {
  BENEFICIARY_SECRETS,
  decideBeneficiary,
  findBeneficiaries,
  insertBeneficiaries,
  listVerifications,
} from "./beneficiaries/beneficiary-store.ts";
export {
  accountRecord,
  beneficiaryNotFound,
  beneficiaryRecord,
  contactRecord,
  UNVERIFIED,
  type Beneficiary,
} from "./beneficiaries/beneficiary.ts";
export { changeBeneficiary, deactivateUnused } from "./beneficiaries/change-beneficiary.ts";
export { describeLine, readBatchObjects, readScheduledObjects } from "./bulk/batch-object.ts";
export { countBatchQueue, findBatch, wakeBatches } from "./bulk/batch-store.ts";
export { findForgedBatches } from "./bulk/find-forged.ts";
export { findForgedBeneficiaries } from "./beneficiaries/find-forged.ts";
export { findForgedUtrs } from "./utr-proof.ts";
export { importBeneficiaries, importedResult, type ImportedLine } from "./bulk/import-beneficiaries.ts";
export { lineStatus, type LineOutcome, type PayoutBatch } from "./bulk/payout-batch.ts";
export { showNotes } from "./bulk/file-line.ts";
export { beneficiaryFileSample, readBeneficiaryFile, type FileBeneficiary } from "./bulk/read-beneficiary-file.ts";
export { importPayouts, payoutFileSample, readPayoutFile, type FileLine } from "./bulk/read-payout-file.ts";
export { batchResult, listBatchObjects, readBatch } from "./bulk/batch-result.ts";
export { cancelBatch, cancelScheduled, refuseBatch, releaseBatch } from "./bulk/end-batch.ts";
export { BATCH_LINE_SECRETS, listScheduled } from "./bulk/line-store.ts";
export { schedulePayout } from "./bulk/request-batch.ts";
export { BatchWorker } from "./bulk/work-batches.ts";
export { readBeneficiaryObjects, readTransferObjects } from "./event-objects.ts";
export { isOfPayout, readRequestFacts } from "./batch/approval-store.ts";
export { findMisbooked, readUnderWay } from "./booked-store.ts";
export { refuseTransfer, releaseTransfer, type WaitingTransfer } from "./dispatch/waiting-transfer-store.ts";
export { readWaitingPayouts, type WaitingPayouts } from "./lists/waiting-store.ts";
export { attachFile, attachmentNotFound, removeAttachment } from "./attachments/attach-file.ts";
export { ATTACHMENT_SECRETS, listAttachments, readContent, type Attachment } from "./attachments/attachment-store.ts";
export { MAX_ATTACHMENT_BYTES } from "./attachments/file-kind.ts";
export { payoutNotFound, requirePayout } from "./find-payout.ts";
export { refuseSuspended, hasPayoutAccount } from "./make-payout.ts";
export {
  awaitBank,
  OwnPayouts,
  readCommissionDue,
  type CommissionPayout,
  type PaidRefund,
  type PayCommission,
} from "./own-payouts.ts";
export { findDoubledAccounts } from "./providers/find-doubled.ts";
export {
  connectProvider,
  disconnectProvider,
  listProviders,
  testProvider,
  useInstallationAccount,
} from "./providers/connect-provider.ts";
export type { OwnerContext } from "./providers/account-owner.ts";
export { formatPriorities } from "./providers/priorities.ts";
export { changeCredentials, setAccountOptions, setModes, setTerms, setWhenDown } from "./providers/set-provider.ts";
export { readPaymentId } from "./providers/payment-id.ts";
export { PAYEE_SECRETS } from "./providers/provider-payee-store.ts";
export { namedCredentials } from "./providers/check-provider.ts";
export {
  ALL_CREDENTIALS,
  askersOf,
  CONNECTORS,
  credentialsOf,
  PROVIDERS,
  type Provider,
} from "./providers/connectors.ts";
export {
  changeName,
  countSecrets,
  isSealed,
  type Credential,
  type DeclaredCredentials,
  type OwnCredentials,
} from "./providers/credentials.ts";
export type { ProviderAccount } from "./providers/provider-account.ts";
export { PROVIDER_SECRETS } from "./providers/provider-account-store.ts";
export { forgetDowntimes } from "./providers/provider-downtime-store.ts";
export type { PayoutPreview } from "./batch/preview-payout.ts";
export { readPayoutDays } from "./lists/payout-days.ts";
export { searchBeneficiaries, streamBeneficiaries } from "./beneficiaries/list-beneficiaries.ts";
export {
  STATUS_FILTERS,
  listedStatus,
  listTransfers,
  lookUpTransfers,
  streamTransfers,
  type ListedTransfer,
  type TransferSearch,
} from "./lists/list-transfers.ts";
export { changeTags, tagNewTransfer } from "./tags/change-tags.ts";
export { tagField, tagsField, tagStart } from "./tags/tag-fields.ts";
export { findTags, listTags } from "./tags/tag-store.ts";
export { describeIfsc } from "./rails/ifsc.ts";
export { listSandboxPayees } from "./rails/simulator-outcome.ts";
export { listBook } from "./rails/simulator-store.ts";
export { askAboutRestoredTransfers } from "./dispatch/restored-store.ts";
export { countOpenTransfers, type OpenTransfers } from "./lists/waiting-store.ts";
export type { TransferDesk } from "./request-transfer.ts";
export {
  saveBeneficiary,
  saveFranchiseAccount,
  saveRefundPayee,
  type RefundPayee,
} from "./beneficiaries/save-beneficiary.ts";
export {
  collectStatementLines,
  lineColumns,
  readStatementLines,
  streamStatementLines,
  type StatementLine,
} from "./statement/statement-lines.ts";
export { findRange, onSnapshot, readStatement, statementColumns, type StatementPeriod } from "./statement/statement.ts";
export type { PostingRange } from "./statement/statement-store.ts";
export {
  applyResolution,
  askBeforeApproval,
  isInstallations,
  listResolvedTransfers,
  listStuckTransfers,
  readResolution,
  requestResolution,
  type ProviderFinding,
} from "./dispatch/resolve-transfer.ts";
export { findLateFees, findTransfersWithFee } from "./fees/fee-store.ts";
export { bookLateFee, undoLateFee } from "./fees/late-fees.ts";
export type { ResolvedTransfer, StuckTransfer } from "./dispatch/stuck-store.ts";
export { countGivenBack, findDispatch } from "./lists/transfer-list-store.ts";
export { transferFields, withdrawalFields } from "./transfer-routes.ts";
export { listCommissionTransfers, findTransfer, findTransfers, TRANSFER_SECRETS } from "./transfer-store.ts";
export { reasonOf, wireStatus, type Transfer, type TransferKind } from "./transfer.ts";
export { staleBefore } from "./rails/bank-days.ts";
export { countTransferQueue, verify } from "./verify/verify.ts";
export { acceptName, verifyBeneficiary } from "./beneficiaries/verify-beneficiary.ts";

/** Adds the payout routes to a part of the server that asks for a bearer token. */
export function registerPayoutRoutes(
  app: HttpServer,
  options: { readonly tenants: TenantDatabase; readonly ids: IdSource; readonly payouts: Payouts },
): void {
  registerBeneficiaryRoutes(app, options);
  registerTransferRoutes(app, { ...options, ...options.payouts });
  registerBatchRoutes(app, options);
  registerScheduledRoutes(app, options);
}
