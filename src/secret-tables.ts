// Every table with encrypted columns, for the first start, a rotation, and `nodal verify`. A table's store declares its encrypted
// columns as `text sealed`, and docs/security.md lists them.
import { CUSTOMER_SECRETS } from "./customers/index.ts";
import { FRANCHISE_SECRETS } from "./franchises/index.ts";
import { APPROVAL_SECRETS, INSTALLATION_SECRETS, LOGIN_SECRETS, MERCHANT_SECRETS } from "./merchants/index.ts";
import { STATEMENT_SECRETS } from "./reconciliation/index.ts";
import {
  ATTACHMENT_SECRETS,
  BATCH_LINE_SECRETS,
  BENEFICIARY_SECRETS,
  PAYEE_SECRETS,
  PROVIDER_SECRETS,
  TRANSFER_SECRETS,
} from "./payouts/index.ts";
import type { SecretTable } from "./platform/secrets/index.ts";
import { ATTEMPT_SECRETS, WEBHOOK_SECRETS } from "./webhooks/index.ts";

export const SECRET_TABLES: readonly SecretTable[] = [
  INSTALLATION_SECRETS,
  MERCHANT_SECRETS,
  LOGIN_SECRETS,
  BENEFICIARY_SECRETS,
  TRANSFER_SECRETS,
  ATTACHMENT_SECRETS,
  BATCH_LINE_SECRETS,
  PROVIDER_SECRETS,
  PAYEE_SECRETS,
  FRANCHISE_SECRETS,
  CUSTOMER_SECRETS,
  APPROVAL_SECRETS,
  WEBHOOK_SECRETS,
  ATTEMPT_SECRETS,
  STATEMENT_SECRETS,
];
