// Signatures of webhooks, by the Standard Webhooks specification (version 1, symmetric).
// What belongs here: the form of secrets, and signing with them. Where secrets are kept is in secret-store.ts.
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new secret: 256 random bits. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** The headers of one attempt to send `body`: signed with every secret that is in force, the newest first. */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  attemptedAt: Temporal.Instant,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(attemptedAt.epochMilliseconds / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
