// Client of Nodal's API.
export { NodalClient, type IterationOptions, type Paging, type V4 } from "./client.ts";
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NodalApiError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnprocessableError,
  type ErrorCode,
} from "./errors.ts";
export { verifyWebhook, type WebhookEvent } from "./webhooks.ts";
export type { ClientOptions, RequestOptions, Retry } from "./transport.ts";
export type * from "./generated/types.gen.ts";
