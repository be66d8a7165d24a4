// The codes of Cashfree that the connector knows. Each has its row in docs/providers/cashfree.md, which
// test/contract.test.ts checks. Their meaning here: docs/rules/rails.md#cashfree

/** The statuses of a transfer. */
export const CASHFREE_STATUSES = {
  RECEIVED: "PENDING",
  QUEUED: "PENDING",
  APPROVAL_PENDING: "PENDING",
  VALIDATION_PENDING: "PENDING",
  PENDING: "PENDING",
  SUCCESS: "SUCCESS",
  FAILED: "FAILED",
  REVERSED: "REVERSED",
  REJECTED: "REJECTED",
  MANUALLY_REJECTED: "REJECTED",
} as const;

/** The payee's bank has acknowledged a success. */
export const ACKNOWLEDGED = "COMPLETED";

/** What a transfer waits for at Cashfree, by status code, as shown to people. */
export const WAITS_FOR: Readonly<Record<string, string>> = {
  INSUFFICIENT_BALANCE: "its balance is too low",
  APPROVAL_PENDING: "it needs an approval in Cashfree's dashboard",
  VELOCITY_CHECK_FAILED: "it needs an approval in Cashfree's dashboard, for the number of transfers",
  TRANSFER_LIMIT_BREACH: "it needs an approval in Cashfree's dashboard, for its amount",
  ANOMALY_DETECTION: "it needs an approval in Cashfree's dashboard, for its risk",
  SCHEDULED_FOR_NEXT_WORKINGDAY: "it is sent on the next working day",
};

/** The same by status, if the code says nothing. */
export const STATUS_WAITS_FOR: Readonly<Record<string, string>> = {
  QUEUED: "it is queued, usually because the balance is too low",
  APPROVAL_PENDING: "it needs an approval in Cashfree's dashboard",
};

/** The status and the code of a transfer that waits for balance. */
export const QUEUED = "QUEUED";
export const NO_BALANCE = "INSUFFICIENT_BALANCE";

/** Errors of transfers. A used id is recognized by its code, with any HTTP status. */
export const UNKNOWN_TRANSFER = "transfer_id_not_found";
export const USED_ID = "transfer_id_already_exists";
export const UNKNOWN_PAYEE = "beneficiary_not_found";

/** A beneficiary has this id already; other conflicts mean that its account or handle exists under another id. */
export const USED_PAYEE_ID = "beneficiary_id_already_exists";
/** Beneficiaries that can't be paid by their id. */
export const UNUSABLE_PAYEES: ReadonlySet<string> = new Set(["INVALID", "CANCELLED", "FAILED", "DELETED"]);

/** `account_status` of an existing account, and of one that is still being checked. */
export const VALID_ACCOUNT = "VALID";
export const CHECK_UNDER_WAY: ReadonlySet<string> = new Set([
  "RECEIVED",
  "PROCESSING",
  "IN_PROCESS",
  "APPROVAL_PENDING",
  "PARTIALLY_APPROVED",
]);

/** Codes for an account that can't be paid. Other codes mean that the bank could not be asked. */
export const NO_SUCH_ACCOUNT: ReadonlySet<string> = new Set([
  "INVALID_ACCOUNT_FAIL",
  "INVALID_IFSC_FAIL",
  "ACCOUNT_BLOCKED",
  "NRE_ACCOUNT_FAIL",
  "FRAUD_ACCOUNT",
]);
