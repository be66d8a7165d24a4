// The errors that the stand-in for Cashfree answers with. Each has its row in docs/providers/cashfree.md, which
// test/contract.test.ts checks.
import type { Answer, Problem } from "./stand-in.ts";

/** An error of the V2 interface. `code` is left out where no page gives one. */
export function problem(status: number, type: string, code: string | null, message: string): Answer {
  return { status, body: code === null ? { type, message } : { type, code, message } };
}

/** A request that can't be right. */
export function invalid(code: string, message: string): Answer {
  return problem(400, "invalid_request_error", code, message);
}

export function notFound(code: string, message: string): Answer {
  return problem(404, "invalid_request_error", code, message);
}

/** An error of the V1 interface, which repeats the status in its body. */
export function problemV1(status: number, message: string): Answer {
  return { status, body: { status: "ERROR", subCode: String(status), message } };
}

export function conflict(code: string, message: string): Answer {
  return problem(409, "invalid_request_error", code, message);
}

export const UNKNOWN_PAYEE = notFound("beneficiary_not_found", "Beneficiary does not exist");

export const REFUSALS: Readonly<Record<Problem, Answer | null>> = {
  credentials: problem(401, "authentication_error", null, "Invalid clientId and clientSecret combination"),
  not_listed: problem(403, "invalid_request_error", null, "IP not whitelisted your current ip is 127.0.0.1"),
  too_many: {
    ...problem(429, "rate_limit_error", "request_failed", "Too many requests from IP. Check headers"),
    headers: { "retry-after": "1", "x-ratelimit-retry": "1" },
  },
  error: problem(500, "api_error", "internal_server_error", "Error at cashfree's server"),
  not_found: problem(404, "invalid_request_error", null, "bad URL, please check API documentation"),
  // A transfer for which the balance is too little is accepted, and waits.
  low_balance: null,
  unknown_payee: UNKNOWN_PAYEE,
};
