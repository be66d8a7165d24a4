// SMS and WhatsApp over a plain HTTP interface that a connector to a provider implements.
// docs/notifications.md describes it.
import type { Message, MessageChannel, SendResult } from "./channel.ts";
import type { ChannelName } from "./notification.ts";

const TIMEOUT_MS = 10_000;
const MAX_REASON_LENGTH = 300;
/** Temporary refusals: too slow, too early, too many. */
const PASSING = [408, 425, 429];

/** Sends messages to one address as JSON. A connector accepts with 2xx and refuses permanently with 4xx. */
export function httpChannel(name: ChannelName, url: string): MessageChannel {
  const closing = new AbortController();
  const send = async (message: Message): Promise<SendResult> => {
    try {
      const answer = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/json", "idempotency-key": message.messageId },
        body: JSON.stringify(toJson(name, message)),
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      if (!answer.ok) return judgeRefusal(answer.status, await readReason(answer));
      await answer.body?.cancel();
      return { outcome: "accepted" };
    } catch (error) {
      return { outcome: "delayed", reason: describe(error) };
    }
  };
  return { name, send, close: () => closing.abort() };
}

function toJson(channel: ChannelName, message: Message) {
  return {
    channel,
    to: message.recipient,
    text: message.body,
    merchant_id: String(message.merchantId),
    notification_id: String(message.notificationId),
    kind: message.kind,
  };
}

function judgeRefusal(status: number, reason: string): SendResult {
  if (status >= 400 && status < 500 && !PASSING.includes(status)) {
    return { outcome: "refused", reason, isDeadAddress: false };
  }
  return { outcome: "delayed", reason };
}

/** The status with the beginning of the answer. The rest of a long answer is not read. */
async function readReason(answer: Response): Promise<string> {
  let text = "";
  if (answer.body) {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= MAX_REASON_LENGTH) break;
    }
  }
  const said = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return `${answer.status} ${said}`.trim().slice(0, MAX_REASON_LENGTH);
}

/** `fetch` only says that it failed; the cause has the reason. */
function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
