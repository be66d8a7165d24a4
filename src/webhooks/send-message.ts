// Signs one event by the Standard Webhooks specification (version 1, symmetric), sends it to one endpoint, and returns the result.
// secret-store.ts stores the secrets.
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { MerchantKey } from "../merchants/index.ts";
import type { Attempt } from "./attempt-store.ts";
import { messageId, type OutgoingEvent } from "./event-message.ts";
import type { ReceiverConnection } from "./exchange.ts";

const SECRET_BYTES = 32;

/** A new secret: 256 random bits. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** The headers of one attempt to send `body`: signed with every active secret, the newest first. */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  attemptedAt: Temporal.Instant,
  body: string,
): Record<string, string> {
  const moment = new Date(attemptedAt.epochMilliseconds);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(attemptedAt.epochMilliseconds / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, moment, body)).join(" "),
  };
}

/** Sends an event once, and returns the attempt to log and the pause in ms that the receiver requests. */
export async function sendMessage(
  connection: ReceiverConnection,
  secrets: readonly string[],
  merchant: MerchantKey,
  { event, message }: OutgoingEvent,
  cutOff: AbortSignal,
  id = messageId(merchant, event.eventNo),
): Promise<{ attempt: Attempt; retryAfterMs: number | null }> {
  const attemptedAt = Temporal.Now.instant();
  const body = JSON.stringify(message);
  const answer = await connection.post(signedHeaders(secrets, id, attemptedAt, body), body, cutOff);
  const attempt = {
    attemptedAt,
    eventNo: event.eventNo,
    eventType: event.type,
    durationMs: answer.durationMs,
    httpStatus: answer.httpStatus,
    succeeded: answer.error === null,
    error: answer.error ?? "",
    answer: answer.text,
  };
  return { attempt, retryAfterMs: answer.retryAfterMs };
}
