// Secrets at rest as the rest of the service uses them.
export { readSecretRows, secretsOf, withSecrets } from "./attached.ts";
export { checkSecrets } from "./check-secrets.ts";
export { hasDataKeys } from "./data-key-store.ts";
export { mask } from "./mask.ts";
export { parseMasterKey, type MasterKey } from "./master-key.ts";
export { MasterKeys } from "./master-keys.ts";
export { checkMasterKeys, ownTransactions, prepareSecrets } from "./open-secrets.ts";
export { rotateMaster } from "./rotate-master.ts";
export type { SecretTable } from "./secret-table.ts";
export { SecretsError } from "./secrets-error.ts";
export { Secrets, UnknownDataKeyError, type RowPath } from "./secrets.ts";
