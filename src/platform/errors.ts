// The one error class of the service: a stable code for each rule, a sentence that says what to do.

import { excerpt } from "./excerpt.ts";

/** HTTP status of every machine code: docs/rules/values-and-errors.md#refusals. */
export const STATUS_OF_CODE = {
  malformed_json: 400,
  validation_failed: 400,
  malformed_request: 400,
  invalid_keys: 401,
  missing_token: 401,
  invalid_token: 401,
  expired_token: 401,
  token_ip_mismatch: 401,
  signature_refused: 401,
  sign_in_failed: 401,
  not_signed_in: 401,
  access_denied: 403,
  no_payout_provider: 403,
  csrf_refused: 403,
  tls_required: 403,
  second_factor_required: 403,
  kyc_not_approved: 403,
  same_person: 403,
  approval_not_allowed: 403,
  not_found: 404,
  merchant_not_found: 404,
  key_not_found: 404,
  user_not_found: 404,
  role_not_found: 404,
  session_not_found: 404,
  beneficiary_not_found: 404,
  transfer_not_found: 404,
  customer_not_found: 404,
  group_not_found: 404,
  template_not_found: 404,
  item_not_found: 404,
  franchise_not_found: 404,
  invoice_not_found: 404,
  draft_not_found: 404,
  estimate_not_found: 404,
  settlement_not_found: 404,
  receipt_not_found: 404,
  tds_claim_not_found: 404,
  credit_note_not_found: 404,
  opening_balance_not_found: 404,
  debit_note_not_found: 404,
  commission_payment_not_found: 404,
  subscription_not_found: 404,
  approval_not_found: 404,
  batch_not_found: 404,
  method_not_allowed: 405,
  reference_conflict: 409,
  idempotency_conflict: 409,
  request_interrupted: 409,
  beneficiary_exists: 409,
  beneficiary_in_use: 409,
  franchise_code_exists: 409,
  customer_code_exists: 409,
  item_code_exists: 409,
  column_exists: 409,
  group_exists: 409,
  commission_changed: 409,
  email_taken: 409,
  role_exists: 409,
  role_in_use: 409,
  last_owner: 409,
  second_factor_state: 409,
  invoice_number_exists: 409,
  invoice_number_reserved: 409,
  invoice_already_paid: 409,
  invoice_cancelled: 409,
  invoice_carried_forward: 409,
  invoice_changed: 409,
  opening_balance_exists: 409,
  opening_balance_kept: 409,
  debit_note_kept: 409,
  invoice_has_debit_notes: 409,
  draft_changed: 409,
  draft_issued: 409,
  credit_note_cancelled: 409,
  credit_note_in_use: 409,
  period_locked: 409,
  estimate_state: 409,
  estimate_changed: 409,
  settlement_reversed: 409,
  receipt_reversed: 409,
  receipt_refunded: 409,
  tds_claim_put_back: 409,
  refund_not_owed: 409,
  refund_changed: 409,
  subscription_state: 409,
  clock_refused: 409,
  already_live: 409,
  approval_decided: 409,
  batch_state: 409,
  provider_in_use: 409,
  transfer_not_stuck: 409,
  provider_contradicts: 409,
  not_cancellable: 409,
  transfer_not_paid: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  insufficient_balance: 422,
  limit_exceeded: 422,
  beneficiary_not_approved: 422,
  beneficiary_not_verified: 422,
  no_bank_account: 422,
  settlement_exceeds_due: 422,
  write_off_exceeds_limit: 422,
  receipt_exceeded: 422,
  credit_exceeds_invoice: 422,
  too_many_occurrences: 422,
  code_refused: 422,
  link_refused: 422,
  provider_check_failed: 422,
  headers_too_large: 431,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF_CODE;

/**
 * One failing field of a request: `field` is its path, such as `amount` or `invoice[0].due_date`. `problem` follows the
 * field's name ("must be …", ": there is no …"), or is a whole sentence with a capital letter. So it must never begin
 * with a value that somebody sent.
 */
export type FieldError = {
  readonly field: string;
  readonly code: string;
  readonly problem: string;
};

/** The sentence about a failing field, with the name that the field has for this caller. */
export function sentenceOf({ field, problem }: Pick<FieldError, "field" | "problem">): string {
  if (field === "" || /^[\p{Lu}]/u.test(problem)) return problem;
  return problem.startsWith(":") ? field + problem : `${field} ${problem}`;
}

/** A failing field as answers list it. */
export type ListedError = { readonly field: string; readonly code: string; readonly message: string };

export function listed(error: FieldError): ListedError {
  return { field: error.field, code: error.code, message: sentenceOf(error) };
}

/** The state of the caller's rate limit. */
export type RateState = { readonly limit: number; readonly remaining: number; readonly resetMs: number };

export type NodalErrorOptions = {
  readonly errors?: readonly FieldError[];
  /** Further members of the error body, such as the id of the existing beneficiary. */
  readonly details?: Readonly<Record<string, string>>;
  /** With `rate_limited`: for the `Retry-After` and `RateLimit-*` headers. */
  readonly rate?: RateState;
  readonly cause?: unknown;
};

/** An answer may quote its request, which may be a file of megabytes. */
const MESSAGE_LENGTH = 4000;
const PROBLEM_LENGTH = 600;

function shortened(error: FieldError): FieldError {
  const isShort = error.field.length <= PROBLEM_LENGTH && error.problem.length <= PROBLEM_LENGTH;
  // A short one is returned itself, not a copy: it may count further errors until it is read.
  if (isShort) return error;
  return { ...error, field: excerpt(error.field, PROBLEM_LENGTH), problem: excerpt(error.problem, PROBLEM_LENGTH) };
}

/** A refusal that the caller can act on. Texts are cut off at a length that helps. `message` is shown to the caller; `cause` only to the log. */
export class NodalError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  readonly details: Readonly<Record<string, string>>;
  readonly rate: RateState | null;

  constructor(code: ErrorCode, message: string, options: NodalErrorOptions = {}) {
    super(excerpt(message, MESSAGE_LENGTH), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "NodalError";
    this.code = code;
    this.errors = (options.errors ?? []).map(shortened);
    const details = Object.entries(options.details ?? {});
    this.details = Object.fromEntries(details.map(([name, value]) => [name, excerpt(value, PROBLEM_LENGTH)]));
    this.rate = options.rate ?? null;
  }

  /** The HTTP status that belongs to the code. */
  get status(): number {
    return STATUS_OF_CODE[this.code];
  }
}

/** How many failing fields a sentence names: a batch may have hundreds. */
const NAMED_FIELDS = 20;

/** An error about fields. Its message is the sentence about the first field. */
export function fieldsRefusal(code: ErrorCode, errors: readonly FieldError[]): NodalError {
  return new NodalError(code, sentenceOf(errors[0]!), { errors });
}

/** The same for one field, with the code `invalid` unless the error has a code for it. */
export function fieldRefusal(code: ErrorCode, field: string, problem: string): NodalError {
  return fieldsRefusal(code, [{ field, code: code === "validation_failed" ? "invalid" : code, problem }]);
}

/** A `validation_failed` error that carries every failing field. */
export function validationError(errors: readonly FieldError[]): NodalError {
  // An entry without a field counts the errors that are not listed.
  const names = [...new Set(errors.map((error) => error.field).filter((name) => name !== ""))];
  const unlisted = errors.find(({ field }) => field === "")?.problem;
  const more = names.length > NAMED_FIELDS ? `, and ${names.length - NAMED_FIELDS} more` : "";
  const listed = `${names.slice(0, NAMED_FIELDS).join(", ")}${more}`;
  const end = unlisted === undefined ? "" : ` There are more errors: ${unlisted}`;
  return new NodalError("validation_failed", `Correct these fields and send the request again: ${listed}.${end}`, {
    errors,
  });
}
