// One event to one endpoint: signed, sent, and told what came of it.
import type { MerchantKey } from "../merchants/index.ts";
import type { Attempt } from "./attempt-store.ts";
import { messageId, type Told } from "./event-message.ts";
import type { Line } from "./exchange.ts";
import { signedHeaders } from "./signature.ts";

/** Sends an event once, and answers with what to log of it, and the pause in ms that the receiver asks for. */
export async function sendMessage(
  line: Line,
  secrets: readonly string[],
  merchant: MerchantKey,
  { event, message }: Told,
  cutOff: AbortSignal,
  id = messageId(merchant, event.eventNo),
): Promise<{ attempt: Attempt; retryAfterMs: number | null }> {
  const attemptedAt = Temporal.Now.instant();
  const body = JSON.stringify(message);
  const answer = await line.post(signedHeaders(secrets, id, attemptedAt, body), body, cutOff);
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
