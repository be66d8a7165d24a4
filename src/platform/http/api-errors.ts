// Errors below /api/v4 and /api/session: docs/api.md#errors
import { listed, type ErrorCode } from "../errors.ts";
import type { ErrorFormat } from "./error-answers.ts";

/** Paths with errors in this shape, including unknown paths. */
export const API_PATHS = /^\/api\/(v4|session)(\/|$)/;

/** Codes with a separate rule page. All others are in the table of errors. */
const DOCS_OF_CODE: Partial<Record<ErrorCode, string>> = {
  access_denied: "docs/rules/access.md#scopes",
  invalid_keys: "docs/guides/keys.md#keys-and-scopes",
  missing_token: "docs/rules/access.md#bearer-tokens",
  invalid_token: "docs/rules/access.md#bearer-tokens",
  expired_token: "docs/rules/access.md#bearer-tokens",
  token_ip_mismatch: "docs/rules/access.md#bearer-tokens",
  rate_limited: "docs/rules/access.md#rate-limit",
  idempotency_conflict: "docs/rules/access.md#idempotency-key",
  reference_conflict: "docs/rules/payouts.md#reference",
  no_payout_provider: "docs/rules/access.md#sandbox-and-live",
};
const TABLE_OF_ERRORS = "docs/guides/errors.md#errors-by-code";

/** The documentation of a code: a path in the repository, with the anchor. */
function docsOf(code: ErrorCode): string {
  return DOCS_OF_CODE[code] ?? TABLE_OF_ERRORS;
}

/**
 * `{ "error": { code, message, fields, docs } }`. Errors about fields also list unknown members: one of them may be a
 * misspelling of a missing one. Further details, such as the id of the existing beneficiary, are separate members. A
 * server error has the request's id, to find it in the log.
 */
export const apiErrorFormat: ErrorFormat = ({ code, message, errors, details, status }, request) => ({
  error: {
    ...details,
    code,
    message,
    fields: [...errors.map(listed), ...(code === "validation_failed" ? (request.unknownMembers ?? []) : [])].map(
      ({ field: path, ...rest }) => ({ path, ...rest }),
    ),
    docs: docsOf(code),
    ...(status >= 500 ? { request_id: request.id } : {}),
  },
});
