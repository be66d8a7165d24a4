// Encryption at rest, for the rest of the service.
export {
  readSecretRows,
  secretsOf,
  withSecrets,
  Secrets,
  type RowPath,
  whereItOpens,
  checkMasterKeys,
  ownTransactions,
  prepareSecrets,
} from "./secrets.ts";
export { checkSecrets } from "./check-secrets.ts";
export { hasDataKeys } from "./data-key-store.ts";
export { mask } from "./mask.ts";
export { parseMasterKey, type MasterKey, MasterKeys, SecretsError } from "./master-keys.ts";
export { changedWithSql, RowProof } from "./row-proof.ts";
export { rotateMaster } from "./rotate-master.ts";
export { openFile, sealFile } from "./sealed-file.ts";
export type { SecretTable } from "./secret-table.ts";
