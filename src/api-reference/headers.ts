// The headers of requests and responses in the OpenAPI document.
import type { Json } from "./name-schemas.ts";

/** docs/rules/access.md#idempotency-key */
export const IDEMPOTENCY_KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the request safe to repeat: the same key with the same body returns the first response, with " +
    "`Idempotent-Replayed: true`, and changes nothing; another body gets 409 `idempotency_conflict`. Kept for 30 days.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "5f1c8f0e-3b1a-4a55-9f0a-6b1f1f8f7a10",
};

const wholeNumber = { type: "integer", minimum: 0 };

/** All headers, by the names that responses refer to. */
export const HEADERS: Record<string, Json> = {
  RequestId: {
    description: "The request's id in the server's log. Give it when you report a problem.",
    schema: { type: "string", format: "uuid" },
  },
  RateLimitLimit: { description: "Requests allowed a minute.", schema: wholeNumber },
  RateLimitRemaining: { description: "Requests left.", schema: wholeNumber },
  RateLimitReset: { description: "Seconds until another request is allowed.", schema: wholeNumber },
  RetryAfter: { description: "Seconds to wait before repeating the request.", schema: wholeNumber },
  IdempotentReplayed: {
    description: "`true` if this is the response to an earlier request with the same key or reference.",
    schema: { type: "string", enum: ["true"] },
  },
  WwwAuthenticate: {
    description: "`Bearer` if the token is missing or no longer valid: get one from `POST /api/token`.",
    schema: { type: "string" },
  },
};

const NAMES = {
  "x-request-id": "RequestId",
  "RateLimit-Limit": "RateLimitLimit",
  "RateLimit-Remaining": "RateLimitRemaining",
  "RateLimit-Reset": "RateLimitReset",
  "Retry-After": "RetryAfter",
  "Idempotent-Replayed": "IdempotentReplayed",
  "WWW-Authenticate": "WwwAuthenticate",
} as const;

/** The headers of an answer with this status. */
export function answerHeaders(
  status: string,
  operation: { readonly takesKey: boolean; readonly takesToken: boolean },
): Json {
  const isSuccess = status.startsWith("2");
  const has: Record<keyof typeof NAMES, boolean> = {
    "x-request-id": true,
    "RateLimit-Limit": isSuccess || status === "429",
    "RateLimit-Remaining": isSuccess || status === "429",
    "RateLimit-Reset": isSuccess || status === "429",
    "Retry-After": status === "429" || status === "503",
    "Idempotent-Replayed": isSuccess && operation.takesKey,
    "WWW-Authenticate": status === "401" && operation.takesToken,
  };
  const names = Object.entries(NAMES).filter(([name]) => has[name as keyof typeof NAMES]);
  return Object.fromEntries(names.map(([header, name]) => [header, { $ref: `#/components/headers/${name}` }]));
}
