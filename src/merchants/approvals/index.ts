// Approvals, re-exported by the merchants' index.
export {
  approvalNotFound,
  mayDecide,
  refuseDecider,
  refuseWithdrawal,
  refuseWithoutReason,
  type AccountChange,
  type Approval,
  type ApprovalKey,
  type ApprovalKind,
  type Decision,
  type Resolution,
} from "./approval.ts";
export { isRequestProved, proveRequest } from "./approval-proof.ts";
export { describeApproval, readApprovalObjects } from "./approval-object.ts";
export {
  APPROVAL_SECRETS,
  countWaitingFor,
  findApprovals,
  findExpired,
  findWaitingAccount,
  listApprovals,
  listProvedApprovals,
  listUnnotified,
  listWaitingAccounts,
  listWaitingFor,
  lockApproval,
  markNotified,
  type HeldApproval,
  type ProvedApproval,
  type UnnotifiedApproval,
  writeDecision,
} from "./approval-store.ts";
export { describePolicy, isInForce, type PayoutPolicy, type PolicyChanges } from "./payout-policy.ts";
export { creditMerchant, creditWithin, MAX_CREDIT_WITHOUT_APPROVAL_PAISE, type Credited } from "./credit-merchant.ts";
export { findPolicy, insertPolicies, isProvedPolicy } from "./payout-policy-store.ts";
export { requestApproval } from "./request-approval.ts";
export { applyPolicyChanges, changePayoutPolicy } from "./change-payout-policy.ts";
