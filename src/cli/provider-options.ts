// Options of `nodal provider` for what only Cashfree has: fund source, keys of Secure ID, signed calls, webhook secrets.
import { readFile } from "node:fs/promises";
import { readSecrets, type AccountOptions } from "../payouts/index.ts";
import { validationError } from "../platform/errors.ts";
import { ifSent, oneOf, requiredText } from "../platform/http/fields.ts";
import { option, orWord } from "./command.ts";

export const CASHFREE_OPTIONS = {
  fundSource: option("<id>", "fund source to pay from (Cashfree); or none", ifSent(orWord("none", requiredText(50)))),
  verifyKeyId: option(
    "<id>",
    "client id of Secure ID, for account verification (Cashfree); or none",
    ifSent(orWord("none", requiredText(200))),
  ),
  signingKey: option(
    "<file>",
    "public key (PEM) that signs calls if this server's address is not allow-listed (Cashfree); or none",
    ifSent(orWord("none", requiredText(1000))),
  ),
};

export const WEBHOOK_SECRETS = option(
  "<env|none>",
  "also accept webhooks signed with the secrets in PROVIDER_WEBHOOK_SECRET (Cashfree)",
  ifSent(oneOf(["env", "none"])),
);

type Given = {
  readonly fundSource: string | null | undefined;
  readonly verifyKeyId: string | null | undefined;
  readonly signingKey: string | null | undefined;
  readonly webhookSecrets: "env" | "none" | undefined;
};

/**
 * What is given of an account's options, with the secrets from the environment.
 * @throws NodalError `validation_failed` for a file that can't be read
 */
export async function readAccountOptions(given: Given): Promise<Partial<AccountOptions>> {
  const { fundSource, verifyKeyId, signingKey, webhookSecrets } = given;
  const { PROVIDER_VERIFY_SECRET: verifySecret = null, PROVIDER_WEBHOOK_SECRET: secrets = null } = process.env;
  return {
    ...(fundSource === undefined ? {} : { fundSource }),
    ...(verifyKeyId === undefined ? {} : { verifyKeyId, verifySecret: verifyKeyId === null ? null : verifySecret }),
    ...(signingKey === undefined ? {} : { signingKey: signingKey === null ? null : await readKey(signingKey) }),
    ...(webhookSecrets === undefined
      ? {}
      : { moreWebhookSecrets: webhookSecrets === "none" ? null : readSecrets(secrets) }),
  };
}

async function readKey(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const problem = `can't be read from ${path}: ${(error as Error).message}. Nothing was changed.`;
    throw validationError([{ field: "signing_key", code: "invalid", problem }]);
  }
}
