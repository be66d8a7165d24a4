// The public interface of franchises.
export {
  ACCOUNT_CHANGE,
  applyFranchiseAccount,
  changeAccount,
  changeFranchise,
  deleteFranchise,
  disableLogin,
  enableLogin,
  changeTerms,
} from "./change-franchise.ts";
export {
  COMMISSION_PAYMENT_MODES,
  CommissionPayer,
  commissionSchedule,
  payDueCommission,
  readCommission,
  recordCommissionPayment,
  reverseCommissionPayment,
  type CommissionState,
} from "./commission-payment.ts";
export {
  listCommissionPayments,
  findWaiting,
  listCommission,
  pageCommission,
  type CommissionPayment,
} from "./commission-store.ts";
export { adjustCommission, type AdjustCommission } from "./commission.ts";
export { findForgedCommission } from "./find-forged.ts";
export { deactivateBeneficiary } from "./deactivate-beneficiary.ts";
export {
  franchiseNotFound,
  isPaidByItself,
  nextPayoutAfter,
  contactRecord,
  type Franchise,
  type FranchiseKey,
} from "./franchise.ts";
export {
  accountFields,
  loginFields,
  checkTerms,
  readAccount,
  readDraft,
  readTerms,
  saveFields,
  termsFields,
  warningsOfFranchise,
} from "./franchise-fields.ts";
export { readSaveBody, registerFranchiseRoutes } from "./franchise-routes.ts";
export {
  bringPayoutsForward,
  FRANCHISE_SECRETS,
  findFranchise,
  findLiveFranchises,
  listFranchises,
  pageFranchises,
} from "./franchise-store.ts";
export {
  isEarning,
  readFranchiseStatement,
  type FranchiseLine,
  type FranchiseStatement,
} from "./franchise-statement.ts";
export { saveFranchise } from "./save-franchise.ts";
export { COMMISSION_CHECKS } from "./verify-store.ts";
