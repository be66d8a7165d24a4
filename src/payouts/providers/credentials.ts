// Credentials that connectors declare beside key id and secret. The dashboard's form, the command's options and all checks
// follow from the declarations.
import type { FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";

/**
 * The columns of `provider_account` (schema/18_providers.sql) for credentials that only some providers need. The connector that
 * declares a column defines its meaning.
 */
export const CREDENTIAL_COLUMNS = {
  sourceAccount: "text sealed",
  fundSource: "text",
  verifyKeyId: "text",
  verifySecret: "text sealed",
  signingKey: "text sealed",
  moreWebhookSecrets: "text sealed",
} as const;

/** Credentials that only some providers need; `null` if this one doesn't, or if left out. */
export type OwnCredentials = { readonly [Property in keyof typeof CREDENTIAL_COLUMNS]: string | null };

/** All credentials that a connector may declare. A provider without a `webhookSecret` signs webhooks with the secret of the keys. */
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

/** A credential that a provider needs. */
export type Credential = {
  readonly property: CredentialProperty;
  /** Its name in the API, in refusals, and as the command's option. */
  readonly name: string;
  readonly label: string;
  /** Its description: a sentence without a full stop. */
  readonly help: string;
  /** `text` is shown. A `secret`, several `secrets` (one a line), or a public `key` in PEM are not. */
  readonly kind: "text" | "secret" | "secrets" | "key";
  readonly isRequired: boolean;
  readonly maxLength: number;
  /** It changes with key id and secret, alone, or never, because that would be another account. */
  readonly changes: "with_keys" | "alone" | "never";
  /** Whether accounts that differ in it are different accounts at the provider. */
  readonly isIdentity?: true;
  /** Whether a new value is tested with a call before it is saved. */
  readonly isTried?: true;
  /** The key id that this secret belongs to: an account has both or neither. */
  readonly secretOf?: CredentialProperty;
  /** The error of a value, worded to follow the field's name; `null` for none. */
  readonly problemOf: (value: string) => string | null;
};

/** A key or secret as a provider writes it. */
const KEY = /^[\x21-\x7e]{1,200}$/;

/** The error of a key id or a secret; `null` for none. */
export function problemOfKey(value: string): string | null {
  return KEY.test(value) ? null : "must be 1 to 200 letters, digits and signs, as given by the provider.";
}

/** Normalizes secrets, separated by commas or white space, to one per line; `null` for none. */
export function readSecrets(text: string | null): string | null {
  const secrets = (text ?? "").split(/[\s,]+/).filter((secret) => secret !== "");
  return secrets.length === 0 ? null : secrets.join("\n");
}

/** Counts the secrets in a text with one per line. */
export function countSecrets(text: string | null): number {
  return text?.split("\n").length ?? 0;
}

/** Whether a credential is kept encrypted. */
export function isSealed({ property }: Credential): boolean {
  return property === "webhookSecret" || CREDENTIAL_COLUMNS[property].endsWith(" sealed");
}

/** The name of the field that changes a credential alone; several secrets have another name there. */
export function changeName({ name, kind }: Credential): string {
  return kind === "secrets" ? `${name}s` : name;
}

/** The separately changeable credentials for the audit log, without secrets and keys. */
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

/** Adds the errors of a provider's declared credentials to `errors`. */
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

/** The key id of a secret, or the secret of a key id. */
function partnerOf({ property, secretOf }: Credential, declared: readonly Credential[]): Credential | undefined {
  return declared.find((other) => other.property === secretOf || other.secretOf === property);
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text;
}
