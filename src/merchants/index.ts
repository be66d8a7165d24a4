// The public interface of merchants.
export { readActor } from "./actor-store.ts";
export { Authenticator, KeyDirectory, type Program } from "./keys/authenticate.ts";
export { merchantRoute, registerBodyKeyRoutes } from "./body-key-routes.ts";
export {
  franchiseOf,
  isOfOperators,
  managerOf,
  originOfCaller,
  personCalling,
  programCalling,
  refuseProgram,
  requireAnyOf,
  sessionOf,
  type ApiCaller,
} from "./api-caller.ts";
export * from "./approvals/index.ts";
export {
  applyBankAccount,
  changeMerchant,
  changePayoutSettings,
  type MerchantChanges,
  type PayoutSettings,
} from "./change-merchant.ts";
export { createMerchants, openLiveMerchant, type MerchantDraft, type NewMerchant } from "./create-merchants.ts";
export { addressRange, describeKey, keyFields, MAX_ADDRESSES, readKeyTerms } from "./keys/key-fields.ts";
export { changeKyc, describeKyc, kycFields, requireKyc } from "./change-kyc.ts";
export { findNotedMerchants, MERCHANT_NOTICES, takeNotices, type NotedMerchants } from "./notice-store.ts";
export { findPersonBehind, listAccessKeys } from "./keys/key-store.ts";
export { issueAccessKey, revokeKey } from "./keys/manage-keys.ts";
export {
  FEE_PAYERS,
  KYC_STATUSES,
  ownBankAccount,
  modeOf,
  nowOf,
  todayOf,
  WHEN_DOWN,
  type FeePayer,
  type Merchant,
  type MerchantBankAccount,
  type MerchantClock,
  type MerchantKey,
  type MerchantProfile,
  type PayoutRails,
  type WhenDown,
} from "./merchant.ts";
export {
  findMerchant,
  findMerchantByKey,
  hasMerchantNamed,
  hasMerchants,
  listMerchants,
  lockInstallation,
  lockMerchant,
  INSTALLATION_SECRETS,
  MERCHANT_SECRETS,
  insertInstallationSecret,
  readInstallationSecret,
  readPayoutRails,
  searchMerchants,
  updatePayoutRails,
  requireMerchant,
} from "./merchant-store.ts";
export { companyRecord, describeProfile, detailRecord, profileRecord, withTimeZone } from "./profile.ts";
export {
  idempotencyConflict,
  readAnswers,
  refuseUnlessAnswered,
  readIdempotencyKey,
  runIdempotently,
  decideTogether,
  runTogether,
  type Answered,
  type Decided,
} from "./idempotency.ts";
export { forgetKeys, type IdempotencyKey } from "./idempotency-store.ts";
export { runAtMostOnce, runOnce } from "./run-once.ts";
export { callingMerchant, callingOrigin, registerTokenRoute, requireBearerToken } from "./token-routes.ts";
export type { Context, OperatorContext, ReadContext, TransactionContext, WriteContext } from "./use-case.ts";
export * from "./users/index.ts";
