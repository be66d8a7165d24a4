// What other domains and the commands may use of franchises.
export { adjustCommission, type CommissionedInvoice } from "./adjust-commission.ts";
export { ACCOUNT_CHANGE, applyFranchiseAccount, changeAccount } from "./change-account.ts";
export { deleteFranchise, updateFranchise } from "./change-franchise.ts";
export { disableLogin, enableLogin } from "./change-franchise-login.ts";
export { changeTerms } from "./change-terms.ts";
export { commissionSchedule, payDueCommission, type CommissionJobOptions } from "./commission-job.ts";
export {
  COMMISSION_PAYMENT_MODES,
  commissionPaymentNotFound,
  recordCommissionPayment,
  reverseCommissionPayment,
} from "./commission-payment.ts";
export { findCommissionPayment, listCommissionPayments, type CommissionPayment } from "./commission-payment-store.ts";
export { findWaiting, listCommission, pageCommission } from "./commission-store.ts";
export type { CommissionState } from "./commission.ts";
export { bringPayoutsForward } from "./due-payout-store.ts";
export { franchiseNotFound, nextPayoutAfter, type Franchise, type FranchiseKey } from "./franchise.ts";
export {
  accountFields,
  changeFields,
  loginFields,
  checkTerms,
  readAccount,
  readChanges,
  readDraft,
  readTerms,
  termsFields,
} from "./franchise-fields.ts";
export { readSaveBody, registerFranchiseRoutes } from "./franchise-routes.ts";
export { FRANCHISE_SECRETS, findFranchise, findFranchises, listFranchises, pageFranchises } from "./franchise-store.ts";
export { readCommission } from "./read-commission.ts";
export { saveFranchise, type FranchisePayee } from "./save-franchise.ts";
export { settleCommission, type PayCommission } from "./settle-commission.ts";
export { COMMISSION_CHECKS } from "./verify-store.ts";
