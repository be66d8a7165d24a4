// The details that Cashfree needs to connect an account. Sources: docs/providers/cashfree.md
import { createPublicKey } from "node:crypto";
import { Cashfree } from "./cashfree.ts";
import type { ConnectorDefinition } from "./connector.ts";
import { problemOfKey, type Credential } from "./credentials.ts";

const FUND_SOURCE = /^[A-Za-z0-9_-]{1,50}$/;
/** The most keys that Cashfree allows for an account. */
const MAX_WEBHOOK_SECRETS = 10;

const CREDENTIALS: readonly Credential[] = [
  {
    property: "fundSource",
    name: "fund_source",
    label: "Fund source",
    help: "Fund source to pay from, such as CASHFREE_1, if not the account's default",
    kind: "text",
    isRequired: false,
    maxLength: 50,
    changes: "alone",
    isIdentity: true,
    isTried: true,
    problemOf: (value) =>
      FUND_SOURCE.test(value) ? null : "must be the fund source's id as shown by Cashfree, such as CASHFREE_1.",
  },
  {
    property: "verifyKeyId",
    name: "verify_key_id",
    label: "Secure ID client ID",
    help: "Client ID of Cashfree Secure ID, which verifies bank accounts",
    kind: "text",
    isRequired: false,
    maxLength: 200,
    changes: "alone",
    problemOf: problemOfKey,
  },
  {
    property: "verifySecret",
    name: "verify_secret",
    label: "Secure ID secret",
    help: "Secret of the Secure ID client; required when the client ID changes",
    kind: "secret",
    isRequired: false,
    maxLength: 200,
    changes: "alone",
    secretOf: "verifyKeyId",
    problemOf: problemOfKey,
  },
  {
    property: "signingKey",
    name: "signing_key",
    label: "Public key for signed calls",
    help: "Public key from Two-Factor Authentication at Cashfree; only if you can't allow this server's address there",
    kind: "key",
    isRequired: false,
    maxLength: 4000,
    changes: "alone",
    isTried: true,
    problemOf: problemOfSigningKey,
  },
  {
    property: "moreWebhookSecrets",
    name: "webhook_secret",
    label: "Other active client secrets",
    help: "Older client secrets that Cashfree may sign webhooks with, separated by commas",
    kind: "secrets",
    isRequired: false,
    maxLength: 2100,
    changes: "alone",
    problemOf(value) {
      const secrets = value.split("\n");
      const isFine = secrets.length <= MAX_WEBHOOK_SECRETS && secrets.every((secret) => problemOfKey(secret) === null);
      return isFine ? null : `must be up to ${MAX_WEBHOOK_SECRETS} secrets of active keys, separated by commas.`;
    },
  },
];

function problemOfSigningKey(pem: string): string | null {
  const problem = "must be Cashfree's public key for signing calls (PEM, with its BEGIN and END lines).";
  if (/PRIVATE KEY/.test(pem)) return `${problem} This is a private key.`;
  try {
    if (createPublicKey(pem).asymmetricKeyType === "rsa") return null;
  } catch {
    // The text is not a key.
  }
  return problem;
}

export const CASHFREE: ConnectorDefinition = {
  label: "Cashfree Payouts",
  baseUrl: "https://api.cashfree.com",
  credentials: CREDENTIALS,
  // Its documentation doesn't say.
  returnsFees: false,
  open: (access, parts) => new Cashfree(access, parts),
};
