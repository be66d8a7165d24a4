// What your server is sent: checked, and typed.
import { Webhook } from "standardwebhooks";
import type { Webhooks } from "./generated/types.gen.ts";

/** What happened, by `type`. Types that are newer than this library come as they are: pass over what you do not know. */
export type WebhookEvent = Webhooks["body"];

/**
 * The event of a request, if its signature holds. `body` is the body byte by byte, before anything has parsed it; while a
 * secret is being changed, give both.
 * @throws WebhookVerificationError of the package `standardwebhooks` where no secret has signed it, or it is older than 5
 * minutes: answer 401, and look at nothing of it
 */
export function verifyWebhook(
  body: string | Buffer,
  headers: Readonly<Record<string, string | string[] | undefined>> | Headers,
  secrets: string | readonly string[],
): WebhookEvent {
  const given = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) if (typeof value === "string") plain[name.toLowerCase()] = value;
  const candidates = [secrets].flat();
  let failure: unknown = new Error("There is no secret to check the signature with.");
  for (const secret of candidates) {
    try {
      return new Webhook(secret).verify(body, plain) as WebhookEvent;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
