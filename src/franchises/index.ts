// What other domains and the commands may use of franchises.
export { accrueCommission, reverseCommission, reverseCommissionShare, type Accrual } from "./accrue-commission.ts";
export { CommissionJob } from "./commission-job.ts";
export type { CommissionState } from "./commission.ts";
export { franchiseNotFound, type Franchise, type FranchiseKey } from "./franchise.ts";
export { registerFranchiseRoutes } from "./franchise-routes.ts";
export { findFranchise, findFranchises, listFranchises } from "./franchise-store.ts";
export { readCommission } from "./read-commission.ts";
export type { FranchisePayee } from "./save-franchise.ts";
export { settleCommission, type PayCommission } from "./settle-commission.ts";
export { COMMISSION_CHECKS } from "./verify-store.ts";
