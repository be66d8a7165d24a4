// Checks the details of a provider account before the provider is called.
import { createPublicKey } from "node:crypto";
import { validationError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { newTag } from "./payment-id.ts";
import {
  NO_OPTIONS,
  PROVIDERS,
  type AccountOptions,
  type CheckedProvider,
  type ConnectProvider,
  type Provider,
} from "./provider-account.ts";

const BASE_URLS: Record<Provider, string> = {
  cashfree: "https://api.cashfree.com",
  razorpayx: "https://api.razorpay.com",
};

/** A key or secret as a provider writes it. */
const KEY = /^[\x21-\x7e]{1,200}$/;
const KEY_PROBLEM = "must be 1 to 200 letters, digits and signs, as given by the provider.";
/** As many keys as Cashfree lets an account have. */
const MAX_WEBHOOK_SECRETS = 10;
const OPTION_FIELDS: Readonly<Record<keyof AccountOptions, string>> = {
  fundSource: "fund_source",
  verifyKeyId: "verify_key_id",
  verifySecret: "verify_secret",
  signingKey: "signing_key",
  moreWebhookSecrets: "webhook_secret",
};

/**
 * Checks an account that is to be connected, and fills in what is the same for all accounts of the provider.
 * @throws NodalError `validation_failed` with each field that can't be right
 */
export function checkProvider(given: ConnectProvider): CheckedProvider {
  const errors: FieldError[] = [];
  const provider = PROVIDERS.find((each) => each === given.provider);
  if (!provider) fail(errors, "provider", "invalid", `must be one of ${PROVIDERS.join(", ")}.`);
  for (const [field, value] of [
    ["key_id", given.keyId],
    ["secret", given.secret],
  ] as const)
    if (!KEY.test(value)) fail(errors, field, "invalid", KEY_PROBLEM);
  const baseUrl = given.baseUrl ?? BASE_URLS[provider ?? "cashfree"];
  if (!isUsable(baseUrl))
    fail(errors, "base_url", "invalid", "must be an https:// address without a path; http:// only on this machine.");
  if (provider === "razorpayx") {
    if (!given.webhookSecret)
      fail(errors, "webhook_secret", "required", "is required: the secret of the webhook at RazorpayX.");
    if (!/^[A-Za-z0-9]{5,35}$/.test(given.sourceAccount ?? ""))
      fail(errors, "source_account", "required", "is required: the number of the RazorpayX account to pay from.");
  }
  const options = { ...NO_OPTIONS, ...pickOptions(given) };
  checkOptions(provider, options, errors);
  if (errors.length > 0) throw validationError(errors);
  const isCashfree = provider === "cashfree";
  return {
    provider: provider!,
    baseUrl: baseUrl.replace(/\/$/, ""),
    keyId: given.keyId,
    secret: given.secret,
    // Cashfree signs with the client's secret.
    webhookSecret: isCashfree ? given.secret : given.webhookSecret!,
    sourceAccount: isCashfree ? null : given.sourceAccount,
    ...options,
    // RazorpayX says so on its page about billing; of Cashfree nothing is known.
    returnsFees: !isCashfree,
    tag: newTag(),
  };
}

/** Adds to `errors` what can't be right of what only Cashfree has. */
export function checkOptions(provider: Provider | undefined, options: AccountOptions, errors: FieldError[]): void {
  const { fundSource, verifyKeyId, verifySecret, signingKey, moreWebhookSecrets } = options;
  if (provider === "razorpayx") {
    for (const [name, value] of Object.entries(options) as [keyof AccountOptions, string | null][])
      if (value !== null && name !== "moreWebhookSecrets")
        fail(errors, OPTION_FIELDS[name], "not_allowed", "is for Cashfree only: leave it out for RazorpayX.");
    return;
  }
  if (fundSource !== null && !/^[A-Za-z0-9_-]{1,50}$/.test(fundSource))
    fail(errors, "fund_source", "invalid", "must be the fund source's id as shown by Cashfree, such as CASHFREE_1.");
  for (const [field, value] of [
    ["verify_key_id", verifyKeyId],
    ["verify_secret", verifySecret],
  ] as const)
    if (value !== null && !KEY.test(value)) fail(errors, field, "invalid", KEY_PROBLEM);
  if ((verifyKeyId === null) !== (verifySecret === null)) {
    const missing = verifyKeyId === null ? "verify_key_id" : "verify_secret";
    fail(errors, missing, "required", "is required: Secure ID needs a key id and a secret.");
  }
  if (signingKey !== null) checkSigningKey(signingKey, errors);
  const secrets = moreWebhookSecrets?.split("\n") ?? [];
  if (secrets.length > MAX_WEBHOOK_SECRETS || !secrets.every((secret) => KEY.test(secret)))
    fail(
      errors,
      "webhook_secret",
      "invalid",
      `must be up to ${MAX_WEBHOOK_SECRETS} secrets of active keys, separated by commas.`,
    );
}

function checkSigningKey(pem: string, errors: FieldError[]): void {
  const problem = "must be Cashfree's public key for signing calls (PEM, with its BEGIN and END lines).";
  if (/PRIVATE KEY/.test(pem)) return fail(errors, "signing_key", "invalid", `${problem} This is a private key.`);
  try {
    if (createPublicKey(pem).asymmetricKeyType === "rsa") return;
  } catch {
    // Said below.
  }
  fail(errors, "signing_key", "invalid", problem);
}

/** Secrets as people write them, with commas or white space between, one a line; `null` for none. */
export function readSecrets(text: string | null): string | null {
  const secrets = (text ?? "").split(/[\s,]+/).filter((secret) => secret !== "");
  return secrets.length === 0 ? null : secrets.join("\n");
}

function pickOptions(given: Partial<AccountOptions>): Partial<AccountOptions> {
  const names = Object.keys(OPTION_FIELDS) as (keyof AccountOptions)[];
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

function isUsable(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.href !== `${url.origin}/`) return false;
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (isHere && url.protocol === "http:");
}
