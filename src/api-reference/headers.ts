// The headers of requests and answers, as the OpenAPI document describes them.
import type { Json } from "./name-schemas.ts";

/** docs/rules/access.md#idempotency-key */
export const IDEMPOTENCY_KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the request safe to send again: the same key with the same body gives the first answer again, with " +
    "`Idempotent-Replayed: true`, and changes nothing; with another body it is 409 `idempotency_conflict`. Kept for 30 days.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "5f1c8f0e-3b1a-4a55-9f0a-6b1f1f8f7a10",
};

const wholeNumber = { type: "integer", minimum: 0 };

/** All of them, by the names under which answers refer to them. */
export const HEADERS: Record<string, Json> = {
  RequestId: {
    description: "The id of the request, as the server's log has it. Name it when you report a problem.",
    schema: { type: "string", format: "uuid" },
  },
  RateLimitLimit: { description: "How many requests a minute are allowed.", schema: wholeNumber },
  RateLimitRemaining: { description: "How many of them are left.", schema: wholeNumber },
  RateLimitReset: { description: "In so many seconds there is room for another request.", schema: wholeNumber },
  RetryAfter: { description: "Send the same request again after so many seconds.", schema: wholeNumber },
  IdempotentReplayed: {
    description: "`true` where this answer is that of an earlier request with the same key or reference.",
    schema: { type: "string", enum: ["true"] },
  },
  WwwAuthenticate: {
    description: "`Bearer` where a token is missing or is not good any more: get another from `POST /api/token`.",
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
