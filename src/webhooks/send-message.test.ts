// Standard Webhooks signatures, computed here with Node's own HMAC.
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { newSecret, signedHeaders } from "./send-message.ts";

test("a secret is 256 random bits in the form of Standard Webhooks", () => {
  const secret = newSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSecret()).not.toBe(secret);
});

test.each(["", '{"name":"नमस्ते 🙏"}', "x".repeat(100_000)])(
  "a body is signed with every secret, newest first",
  (body) => {
    const secrets = [newSecret(), newSecret()];
    const headers = signedHeaders(secrets, "evt_1", Temporal.Instant.fromEpochMilliseconds(1_700_000_000_999), body);
    const signatures = secrets.map((secret) => {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      return `v1,${createHmac("sha256", key).update(`evt_1.1700000000.${body}`).digest("base64")}`;
    });
    expect(headers).toEqual({
      "webhook-id": "evt_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": signatures.join(" "),
    });
  },
);
