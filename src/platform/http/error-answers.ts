// Errors in answers: every failure, ours or the framework's, becomes a NodalError and one body.
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { finished } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hasTimedOut, isLockTimeout, rowsLocked, isConnectionLost, unavailable } from "../database/failure.ts";
import { listed, NodalError, type ErrorCode, type RateState } from "../errors.ts";

/** Makes the JSON body of an error. Parts of the server may have different formats: see `setErrorFormat`. */
export type ErrorFormat = (error: NodalError, request: FastifyRequest, reply: FastifyReply) => object;

/** Codes whose answers ask for a bearer token. */
const ABOUT_TOKENS: ReadonlySet<ErrorCode> = new Set([
  "missing_token",
  "invalid_token",
  "expired_token",
  "token_ip_mismatch",
]);
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, string>> = { unavailable: "1" };
/** A refused body up to this length is read to its end, so that the client can read the answer. */
const DISCARDED_BODY_BYTES = 16 * 1024 * 1024;
/** How long a connection stays open after the answer while the client is still sending, so that it can read the answer. */
const LINGER_MS = 300;

/**
 * The body outside of envelopes (docs/rules/values-and-errors.md#refusals). A server error has the request's id, to
 * find it in the log.
 */
export const defaultErrorFormat: ErrorFormat = (error, request) => ({
  ...error.details,
  status: 0,
  error: error.message,
  code: error.code,
  ...(error.errors.length > 0 ? { errors: error.errors.map(listed) } : {}),
  ...(error.status >= 500 ? { request_id: request.id } : {}),
});

/**
 * Answers a request with an error. Server errors are logged with their stack and cause. `Retry-After` comes from the
 * error's rate state, or is 1 for `unavailable`.
 */
export function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, format: ErrorFormat): void {
  const error = toNodalError(thrown);
  if (error.status >= 500) {
    const route = request.routeOptions?.url ?? request.raw.url;
    request.log.error({ err: thrown, method: request.method, route, status: error.status }, "request failed");
  }
  if (error.rate) addRateHeaders(reply, error.rate);
  const retryAfter = error.rate ? Math.ceil(error.rate.resetMs / 1000) : RETRY_AFTER_SECONDS[error.code];
  if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
  if (ABOUT_TOKENS.has(error.code)) reply.header("www-authenticate", "Bearer");
  if (canKeepConnection(request)) reply.removeHeader("connection");
  else closeAfterAnswer(request.raw.socket, reply);
  const send = (): void => {
    reply
      .code(error.status)
      .type("application/json; charset=utf-8")
      .send(JSON.stringify(format(error, request, reply)));
  };
  if (mustReadFirst(request, reply)) finished(request.raw.resume(), send);
  else send();
}

/** Cuts off a client that keeps sending after its answer. Node closes by `destroySoon`. */
function closeAfterAnswer(socket: Socket, reply: FastifyReply): void {
  reply.header("connection", "close");
  socket.destroySoon = () => endSlowly(socket);
}

/**
 * Closing at once would reset a connection while the client is writing, and the answer would be lost. Further input is
 * discarded: a request in it could not be answered, so it must not run either.
 */
function endSlowly(socket: Socket, last = ""): void {
  socket.removeAllListeners("data");
  socket.on("data", () => {}).resume();
  socket.end(last);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** The error format of a path without a route. */
export function errorFormatAt(app: FastifyInstance, path: string): ErrorFormat {
  return app.errorAreas.find((area) => area.covers.test(path))?.format ?? app.errorFormat;
}

/** Adds the caller's rate limit state; `RateLimit-Reset` is in seconds. */
export function addRateHeaders(reply: FastifyReply, rate: RateState): void {
  reply.header("ratelimit-limit", rate.limit);
  reply.header("ratelimit-remaining", rate.remaining);
  reply.header("ratelimit-reset", Math.ceil(rate.resetMs / 1000));
}

/** Converts anything thrown to an error that may be shown. Unknown errors become `internal_error` without their text. */
function toNodalError(thrown: unknown): NodalError {
  if (thrown instanceof NodalError) return thrown;
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  const isFramework = typeof code === "string" && code.startsWith("FST_");
  const isAborted = code === "ECONNRESET" && statusCode === 400;
  if (isFramework || isAborted) {
    if (statusCode === 413) {
      return new NodalError("body_too_large", "The body is too large. Send a smaller one, or split it.");
    }
    if (statusCode === 415) {
      return new NodalError(
        "unsupported_media_type",
        "Send the body as JSON, with the header Content-Type: application/json.",
      );
    }
    if (code === "FST_ERR_MAX_PARAM_LENGTH") return notFound();
    if (typeof statusCode === "number" && statusCode < 500) {
      return new NodalError("malformed_request", "The request can't be read. Correct it and send it again.", {
        cause: thrown,
      });
    }
  }
  if (isConnectionLost(thrown)) return unavailable(thrown);
  if (isLockTimeout(thrown)) return rowsLocked(thrown);
  if (hasTimedOut(thrown)) {
    const message = "The request took too long and was stopped: nothing was changed. Send it again, or request less.";
    return new NodalError("unavailable", message, { cause: thrown });
  }
  return new NodalError("internal_error", "Something went wrong on the server. Try again, or report the request_id.", {
    cause: thrown,
  });
}

/** The answer for a path without a route. */
export function notFound(): NodalError {
  return new NodalError("not_found", "This path does not exist. Check the URL; /openapi.json lists all paths.");
}

/**
 * Answers errors of Node before there is a request: broken HTTP, or headers that are too large or too slow. It never
 * writes into another answer on the same connection.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // Already answered: this is more of the same broken request, which is read so that the client gets the answer.
  if (socket.writableEnded) return;
  const current = (socket as { _httpMessage?: { headersSent?: boolean } | null })._httpMessage;
  if (error.code === "ECONNRESET" || !socket.writable || current?.headersSent === true) {
    socket.destroy();
    return;
  }
  const { statusLine, code, message } = describeClientError(error);
  const body = JSON.stringify({ status: 0, error: message, code });
  const head = [
    `HTTP/1.1 ${statusLine}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    "X-Content-Type-Options: nosniff",
    "Connection: close",
  ];
  endSlowly(socket, `${head.join("\r\n")}\r\n\r\n${body}`);
}

function describeClientError(error: NodeJS.ErrnoException): { statusLine: string; code: string; message: string } {
  if (error.code === "HPE_HEADER_OVERFLOW") {
    return {
      statusLine: "431 Request Header Fields Too Large",
      code: "headers_too_large" satisfies ErrorCode,
      message: "The headers are too large. Send fewer or shorter ones.",
    };
  }
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return {
      statusLine: "408 Request Timeout",
      code: "malformed_request" satisfies ErrorCode,
      message: "The request did not arrive in time. Send it again.",
    };
  }
  return {
    statusLine: "400 Bad Request",
    code: "malformed_request" satisfies ErrorCode,
    message: "The request is not valid HTTP. Correct it and send it again.",
  };
}

/**
 * If the client asks to close the connection, as proxies do, closing it with an unread part of the body would reset it,
 * and the answer would be lost.
 */
function mustReadFirst(request: FastifyRequest, reply: FastifyReply): boolean {
  return !request.raw.complete && !reply.raw.shouldKeepAlive && canKeepConnection(request);
}

/**
 * The framework closes the connection after refusing a body, which isn't needed if the rest is known to be short. Note
 * that a request without a body is not complete either while its head is processed.
 */
function canKeepConnection(request: FastifyRequest): boolean {
  const { complete, headers } = request.raw;
  if (complete) return true;
  if (headers["transfer-encoding"] !== undefined) return false;
  return Number(headers["content-length"] ?? 0) <= DISCARDED_BODY_BYTES;
}
