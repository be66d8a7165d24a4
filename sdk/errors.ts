// What a client throws: refusals of the server, each with its code, and answers that never came.
import type { EnvelopeError, Error as PlainError, FieldError, V4Error } from "./generated/types.gen.ts";

/** The machine codes of refusals, and `unknown` for an answer that is not the server's own, such as a proxy's. */
export type ErrorCode = PlainError["code"] | "unknown";

export type Refusal = {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  /** Every member that is wrong; empty where it is not about members. */
  readonly errors: readonly FieldError[];
  /** The id of the request, as the server's log has it. */
  readonly requestId: string;
  /** How long the server asks to wait; `null` where it does not. */
  readonly retryAfterMs: number | null;
  /** The whole body, with what some refusals add, such as the id of the beneficiary that exists. */
  readonly body: unknown;
};

/** The server has refused a request: nothing was changed. Its subclasses are the kinds of refusals. */
export class NodalApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  readonly requestId: string;
  readonly retryAfterMs: number | null;
  readonly body: unknown;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = new.target.name;
    this.status = refusal.status;
    this.code = refusal.code;
    this.errors = refusal.errors;
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
    this.body = refusal.body;
  }
}

/** 400: members are wrong, or the request can't be read. */
export class InvalidRequestError extends NodalApiError {}
/** 401: the keys or the token are not good. */
export class AuthenticationError extends NodalApiError {}
/** 403: the keys are good, and this is not allowed. */
export class PermissionError extends NodalApiError {}
/** 404: there is none with this id. */
export class NotFoundError extends NodalApiError {}
/** 409: something is as it is, such as a reference that stands for another transfer. */
export class ConflictError extends NodalApiError {}
/** 422: sound, and it can't be done, such as more than the balance. */
export class UnprocessableError extends NodalApiError {}
/** 429, after all attempts. */
export class RateLimitError extends NodalApiError {}
/** 500 and above, after all attempts. */
export class ServerError extends NodalApiError {}

/**
 * No answer has come, after all attempts. Whether the request was done is not known: send it again with the same
 * `idempotencyKey` (or, for a transfer, the same `reference_id`).
 */
export class ConnectionError extends Error {
  readonly idempotencyKey: string | null;

  constructor(message: string, options: { readonly cause: unknown; readonly idempotencyKey: string | null }) {
    super(message, { cause: options.cause });
    this.name = "ConnectionError";
    this.idempotencyKey = options.idempotencyKey;
  }
}

const KINDS: Readonly<Record<number, typeof NodalApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** The error of a refusal, whichever of the APIs' forms it has. `body` is what was parsed, if it was JSON. */
export function errorOf(response: Response, body: unknown): NodalApiError {
  const { status, headers } = response;
  const seconds = Number(headers.get("retry-after") ?? NaN);
  const refusal: Refusal = {
    status,
    ...readRefusal(status, typeof body === "object" && body !== null ? body : {}),
    requestId: headers.get("x-request-id") ?? "",
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
    body,
  };
  return new (KINDS[status] ?? (status >= 500 ? ServerError : NodalApiError))(refusal);
}

/** The form of /api/v4, and those of /api/v1 to v3. */
function readRefusal(
  status: number,
  body: Partial<V4Error> | Partial<PlainError & EnvelopeError>,
): Pick<Refusal, "code" | "message" | "errors"> {
  if (typeof body.error === "object") {
    const { code, message, fields } = body.error;
    const errors = fields.map((field) => ({ field: field.path, code: field.code, message: field.message }));
    return { code: code as ErrorCode, message, errors: errors as FieldError[] };
  }
  const plain = body as Partial<PlainError & EnvelopeError>;
  const listed = plain.errlist?.map(({ keypath, code, msg }) => ({ field: keypath, code, message: msg }));
  return {
    code: plain.code ?? plain.errcode ?? "unknown",
    message: plain.error ?? plain.errmsg ?? `The server answered ${status}.`,
    errors: plain.errors ?? (listed as FieldError[] | undefined) ?? [],
  };
}
