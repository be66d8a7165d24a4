// What providers ask for beside a key id and a secret, as each connector declares it. The dashboard's form, the command's
// options and all checks follow from the declarations.
import type { FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";

/**
 * The columns of `provider_account` (schema/18_providers.sql) for credentials that only some providers ask for. What a column
 * means is up to the connector that declares it.
 */
export const CREDENTIAL_COLUMNS = {
  sourceAccount: "text sealed",
  fundSource: "text",
  verifyKeyId: "text",
  verifySecret: "text sealed",
  signingKey: "text sealed",
  moreWebhookSecrets: "text sealed",
} as const;

/** Credentials that only some providers ask for; `null` for those that this one does not, or that were left out. */
export type OwnCredentials = { readonly [Property in keyof typeof CREDENTIAL_COLUMNS]: string | null };

/** All that a connector may declare. A provider without a `webhookSecret` signs webhooks with the secret of the keys. */
export type DeclaredCredentials = OwnCredentials & { readonly webhookSecret: string | null };
export type CredentialProperty = keyof DeclaredCredentials;

export const NO_CREDENTIALS: OwnCredentials = {
  sourceAccount: null,
  fundSource: null,
  verifyKeyId: null,
  verifySecret: null,
  signingKey: null,
  moreWebhookSecrets: null,
};

/** One of the things that a provider asks for. */
export type Credential = {
  readonly property: CredentialProperty;
  /** In the API, in refusals, and as the command's option. */
  readonly name: string;
  readonly label: string;
  /** What it is, as a sentence without a full stop. */
  readonly help: string;
  /** `text` is shown. A `secret`, several `secrets` (one a line), or a public `key` in PEM are not. */
  readonly kind: "text" | "secret" | "secrets" | "key";
  readonly isRequired: boolean;
  readonly maxLength: number;
  /** It changes with key id and secret, by itself, or never: then it is another account. */
  readonly changes: "with_keys" | "alone" | "never";
  /** Whether accounts that differ in it are two accounts at the provider. */
  readonly isIdentity?: true;
  /** Whether the provider is called with a new one before it is kept. */
  readonly isTried?: true;
  /** The key id whose secret it is: an account has both or neither. */
  readonly secretOf?: CredentialProperty;
  /** What is wrong with a value, to follow the field's name; `null` for nothing. */
  readonly problemOf: (value: string) => string | null;
};

/** A key or secret as a provider writes it. */
const KEY = /^[\x21-\x7e]{1,200}$/;

/** What is wrong with a key id or a secret; `null` for nothing. */
export function problemOfKey(value: string): string | null {
  return KEY.test(value) ? null : "must be 1 to 200 letters, digits and signs, as given by the provider.";
}

/** Secrets as people write them, with commas or white space between, one a line; `null` for none. */
export function readSecrets(text: string | null): string | null {
  const secrets = (text ?? "").split(/[\s,]+/).filter((secret) => secret !== "");
  return secrets.length === 0 ? null : secrets.join("\n");
}

/** How many secrets a text of one a line has. */
export function countSecrets(text: string | null): number {
  return text?.split("\n").length ?? 0;
}

/** Whether a credential is kept encrypted. */
export function isSealed({ property }: Credential): boolean {
  return property === "webhookSecret" || CREDENTIAL_COLUMNS[property].endsWith(" sealed");
}

/** The name of the field that changes a credential by itself: several secrets are called so. */
export function changeName({ name, kind }: Credential): string {
  return kind === "secrets" ? `${name}s` : name;
}

/** What the audit log may see of credentials that change by themselves: no secret, and no key. */
export function auditCredentials(
  declared: readonly Credential[],
  values: OwnCredentials,
): Record<string, string | number | boolean | null> {
  const shown: Record<string, string | number | boolean | null> = {};
  for (const { property, kind, changes } of declared) {
    if (property === "webhookSecret" || changes !== "alone") continue;
    if (kind === "text") shown[property] = values[property];
    if (kind === "key") shown[property] = values[property] !== null;
    if (kind === "secrets") shown[property] = countSecrets(values[property]);
  }
  return shown;
}

/** Adds to `errors` what is wrong with the values of the credentials that a provider declares. */
export function checkDeclared(
  declared: readonly Credential[],
  values: DeclaredCredentials,
  errors: FieldError[],
): void {
  for (const credential of declared) {
    const { name, help, isRequired, problemOf } = credential;
    const value = values[credential.property];
    const partner = partnerOf(credential, declared);
    if (value !== null && value !== "") {
      const problem = problemOf(value);
      if (problem !== null) fail(errors, name, "invalid", problem);
    } else if (isRequired) fail(errors, name, "required", `is required: ${lowerFirst(help)}.`);
    else if (partner && values[partner.property] !== null)
      fail(errors, name, "required", `is required: ${partner.label} and ${lowerFirst(credential.label)} go together.`);
  }
}

/** The other one of a key id and its secret. */
function partnerOf({ property, secretOf }: Credential, declared: readonly Credential[]): Credential | undefined {
  return declared.find((other) => other.property === secretOf || other.secretOf === property);
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text;
}
