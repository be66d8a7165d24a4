// What other domains may use of merchants.
export { Authenticator, type Caller } from "./authenticate.ts";
export { createMerchants, type NewMerchant } from "./create-merchants.ts";
export { KeyDirectory } from "./key-directory.ts";
export { ownBankAccount, type Merchant, type MerchantKey, type MerchantProfile } from "./merchant.ts";
export { findMerchant, listMerchants, readInstallationSecret } from "./merchant-store.ts";
export { idempotencyConflict, readIdempotencyKey, runIdempotently } from "./idempotency.ts";
export { forgetKeys, type IdempotencyKey } from "./idempotency-store.ts";
export { callingMerchant, registerTokenRoute, requireBearerToken } from "./token-routes.ts";
