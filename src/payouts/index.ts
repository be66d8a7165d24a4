// Payouts as the rest of the service sees them: open, close, routes, and what commands may use.
import type { IdSource } from "../platform/database/ids.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { registerBeneficiaryRoutes } from "./beneficiary-routes.ts";
import type { Payouts } from "./payouts.ts";
import { registerTransferRoutes } from "./transfer-routes.ts";

export { DISPATCHER_NAME, openPayouts, type Payouts } from "./payouts.ts";
export { beneficiaryFields, readBeneficiaryDetails, requireAccount } from "./beneficiary-routes.ts";
export { BENEFICIARY_SECRETS, findBeneficiaries, insertBeneficiaries } from "./beneficiary-store.ts";
export type { Beneficiary } from "./beneficiary.ts";
export { readBeneficiaryObjects, readTransferObjects } from "./event-objects.ts";
export { approve, reject } from "./approvals/decide-approval.ts";
export { describeSubject } from "./approvals/describe-subject.ts";
export { approvalSchedule, expireApprovals } from "./approvals/expire-approvals.ts";
export { listCommissionTransfers, readUnderWay } from "./commission-store.ts";
export { readPayoutLeftovers, readWaitingPayouts, type WaitingPayouts } from "./leftover-store.ts";
export { commissionPayer } from "./pay-commission.ts";
export { readPayoutDays } from "./payout-days.ts";
export { refundPayer, saveRefundPayee, type PaidRefund, type PayRefund, type RefundPayee } from "./pay-refund.ts";
export { searchBeneficiaries, streamBeneficiaries } from "./list-beneficiaries.ts";
export {
  LISTED_STATUSES,
  listedStatus,
  listTransfers,
  streamTransfers,
  type TransferSearch,
} from "./list-transfers.ts";
export { noProvider, type ConnectedProvider } from "./rails/merchant-rail.ts";
export { listBook } from "./rails/simulator-store.ts";
export { questionRestoredTransfers } from "./restored-store.ts";
export type { TransferDesk } from "./request-transfer.ts";
export { saveBeneficiary } from "./save-beneficiary.ts";
export { saveFranchiseAccount } from "./save-franchise-account.ts";
export {
  readStatement,
  readStatementPage,
  streamStatement,
  type StatementEntry,
  type StatementPeriod,
} from "./statement.ts";
export { countGivenBack, findDispatch } from "./transfer-list-store.ts";
export { transferFields, withdrawalFields } from "./transfer-routes.ts";
export { findTransfer, TRANSFER_SECRETS } from "./transfer-store.ts";
export { reasonOf, wireStatus, type Transfer, type TransferKind } from "./transfer.ts";
export { countTransferQueue, verify, type Verification } from "./verify.ts";

/** Adds the payout routes to a part of the server that asks for a bearer token. */
export function registerPayoutRoutes(
  app: HttpServer,
  options: { readonly tenants: TenantDatabase; readonly ids: IdSource; readonly payouts: Payouts },
): void {
  registerBeneficiaryRoutes(app, options);
  registerTransferRoutes(app, options.payouts);
}
