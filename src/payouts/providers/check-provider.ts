// Checks the details of a provider account before the provider is called.
import { validationError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { ALL_CREDENTIALS, askersOf, CONNECTORS, credentialsOf, PROVIDERS, type Provider } from "./connectors.ts";
import {
  checkDeclared,
  NO_CREDENTIALS,
  problemOfKey,
  readSecrets,
  type Credential,
  type DeclaredCredentials,
} from "./credentials.ts";
import { newTag } from "./payment-id.ts";
import { ownCredentialsOf, type CheckedProvider, type ConnectProvider } from "./provider-account.ts";

/**
 * Checks a new account, and fills in the provider's defaults.
 * @throws NodalError `validation_failed` with each invalid field
 */
export function checkProvider(given: ConnectProvider): CheckedProvider {
  const errors: FieldError[] = [];
  const provider = PROVIDERS.find((each) => each === given.provider);
  if (!provider) fail(errors, "provider", "invalid", `must be one of ${PROVIDERS.join(", ")}.`);
  for (const [field, value] of [
    ["key_id", given.keyId],
    ["secret", given.secret],
  ] as const) {
    const problem = problemOfKey(value);
    if (problem !== null) fail(errors, field, "invalid", problem);
  }
  const baseUrl = given.baseUrl ?? (provider && CONNECTORS[provider].baseUrl);
  if (baseUrl !== undefined && !isUsable(baseUrl))
    fail(errors, "base_url", "invalid", "must be an https:// address without a path; http:// only on this machine.");
  const credentials = { ...NO_CREDENTIALS, webhookSecret: null, ...pickCredentials(given) };
  if (provider) checkCredentials(provider, credentials, errors);
  if (errors.length > 0) throw validationError(errors);
  return {
    provider: provider!,
    baseUrl: baseUrl!.replace(/\/$/, ""),
    keyId: given.keyId,
    secret: given.secret,
    webhookSecret: credentials.webhookSecret ?? given.secret,
    ...ownCredentialsOf(credentials),
    returnsFees: CONNECTORS[provider!].returnsFees,
    tag: newTag(),
  };
}

/** Adds the errors of an account's credentials to `errors`, including credentials that its provider does not use. */
export function checkCredentials(provider: Provider, values: DeclaredCredentials, errors: FieldError[]): void {
  const declared = credentialsOf(provider);
  const foreign = ALL_CREDENTIALS.filter(({ property }) => !declared.some((each) => each.property === property));
  for (const { property, name } of foreign) {
    if (values[property] === null) continue;
    const problem = `is for ${askersOf(property)} only: leave it out for ${CONNECTORS[provider].label}.`;
    fail(errors, name, "not_allowed", problem);
  }
  checkDeclared(declared, values, errors);
}

/**
 * Converts values by their names at this provider to credentials by property. A name that only other providers use keeps their property,
 * so that `checkCredentials` refuses it. Several secrets may be separated by commas or white space.
 */
export function namedCredentials(
  provider: Provider,
  values: Readonly<Record<string, string | null | undefined>>,
  nameOf: (credential: Credential) => string = ({ name }) => name,
): Partial<DeclaredCredentials> {
  const found = new Map<string, string | null>();
  const taken = new Set<string>();
  for (const credential of [...credentialsOf(provider), ...ALL_CREDENTIALS]) {
    const name = nameOf(credential);
    const value = values[name];
    if (value === undefined || taken.has(name)) continue;
    taken.add(name);
    found.set(credential.property, credential.kind === "secrets" ? readSecrets(value) : value);
  }
  return Object.fromEntries(found);
}

function pickCredentials(given: Partial<DeclaredCredentials>): Partial<DeclaredCredentials> {
  const properties = ALL_CREDENTIALS.map(({ property }) => property).filter(
    (property) => given[property] !== undefined,
  );
  return Object.fromEntries(properties.map((property) => [property, given[property]]));
}

function isUsable(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.href !== `${url.origin}/`) return false;
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (isHere && url.protocol === "http:");
}
