// Webhook endpoints as the server describes them.
// What belongs here: the types that several pages share, and under which key they are kept.

export type Endpoint = {
  readonly endpoint_id: string;
  readonly url: string;
  readonly description: string;
  /** Types with commas between them, or `all`. */
  readonly events: string;
  readonly status: "Enabled" | "Disabled";
  readonly disabled_reason: string;
  readonly settled_up_to: string;
  readonly failing_since: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly behind: number;
  readonly waiting: number;
  readonly failed: number;
};

export type EndpointsAnswer = {
  readonly endpoints: readonly Endpoint[];
  readonly event_kinds: readonly string[];
  readonly event_types: readonly string[];
};

export type Attempt = {
  readonly attempted_at: string;
  /** The event's number, or `test`. */
  readonly seq: string;
  readonly type: string;
  readonly succeeded: boolean;
  readonly http_status: number | null;
  readonly duration_ms: number;
  readonly error: string;
  readonly answer: string;
};

export const WEBHOOKS_KEY = ["/webhooks"];
