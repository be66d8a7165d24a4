// What other domains may use of merchants.
export { Authenticator } from "./authenticate.ts";
export { merchantRoute, registerBodyKeyRoutes } from "./body-key-routes.ts";
export {
  APPROVAL_SECRETS,
  applyPolicyChanges,
  approvalNotFound,
  describeApproval,
  describePolicy,
  findApprovals,
  findExpired,
  findPolicy,
  findWaitingAccount,
  listApprovals,
  listWaitingAccounts,
  lockApproval,
  readApprovalObjects,
  refuseDecider,
  requestApproval,
  setPayoutPolicy,
  writeDecision,
  type AccountChange,
  type Approval,
  type ApprovalKey,
  type ApprovalKind,
  type Decision,
  type PayoutPolicy,
  type PolicyChanges,
} from "./approvals/index.ts";
export { applyBankAccount, changeMerchant, makeLive, type MerchantChanges } from "./change-merchant.ts";
export { createMerchants, type NewMerchant } from "./create-merchants.ts";
export { issueAccessKey } from "./issue-access-key.ts";
export { KeyDirectory } from "./key-directory.ts";
export {
  DEFAULT_TIME_ZONE,
  ownBankAccount,
  type Merchant,
  type MerchantKey,
  type MerchantProfile,
} from "./merchant.ts";
export {
  findMerchant,
  findMerchantByKey,
  listAccessKeys,
  hasMerchantNamed,
  hasMerchants,
  listMerchants,
  lockMerchant,
  INSTALLATION_SECRETS,
  MERCHANT_SECRETS,
  insertInstallationSecret,
  readInstallationSecret,
  searchMerchants,
} from "./merchant-store.ts";
export { profileFields } from "./profile-fields.ts";
export { describeProfile } from "./profile-object.ts";
export { requireMerchant } from "./require-merchant.ts";
export { revokeKey } from "./revoke-key.ts";
export { idempotencyConflict, readIdempotencyKey, runIdempotently, runTogether, type Answered } from "./idempotency.ts";
export { forgetKeys, type IdempotencyKey } from "./idempotency-store.ts";
export { nowOf, todayOf, type MerchantClock } from "./today.ts";
export { callingMerchant, callingOrigin, registerTokenRoute, requireBearerToken } from "./token-routes.ts";
export * from "./users/index.ts";
