// What other domains and the commands may use of franchises.
export { adjustCommission, type AdjustCommission } from "./adjust-commission.ts";
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
export { commissionSchedule, payDueCommission, CommissionPayer } from "./commission-payer.ts";
export { COMMISSION_PAYMENT_MODES, recordCommissionPayment, reverseCommissionPayment } from "./commission-payment.ts";
export { listCommissionPayments, type CommissionPayment } from "./commission-payment-store.ts";
export { findWaiting, listCommission, pageCommission } from "./commission-store.ts";
export { type CommissionState, readCommission } from "./commission.ts";
export { deactivateBeneficiary } from "./deactivate-beneficiary.ts";
export { bringPayoutsForward } from "./due-payout-store.ts";
export { franchiseNotFound, isPaidByItself, nextPayoutAfter, type Franchise, type FranchiseKey } from "./franchise.ts";
export { changeFields, describeContact, readChanges } from "./franchise-contact.ts";
export {
  accountFields,
  loginFields,
  checkTerms,
  readAccount,
  readDraft,
  readTerms,
  termsFields,
} from "./franchise-fields.ts";
export { readSaveBody, registerFranchiseRoutes } from "./franchise-routes.ts";
export {
  FRANCHISE_SECRETS,
  findFranchise,
  findLiveFranchises,
  listFranchises,
  pageFranchises,
} from "./franchise-store.ts";
export { saveFranchise } from "./save-franchise.ts";
export { COMMISSION_CHECKS } from "./verify-store.ts";
