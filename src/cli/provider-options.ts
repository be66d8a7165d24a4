// Options of `nodal provider` for credentials besides key id and secret, as declared by the connectors. Secrets come
// from the environment, since others on the machine can read a command line.
import { readFile } from "node:fs/promises";
import {
  ALL_CREDENTIALS,
  askersOf,
  changeName,
  credentialsOf,
  namedCredentials,
  type Credential,
  type DeclaredCredentials,
  type Provider,
} from "../payouts/index.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { ifSent, oneOf, requiredText } from "../platform/http/fields.ts";
import { option, orWord, type OptionOf } from "./command.ts";

type CredentialOptions = Readonly<Record<string, OptionOf<string | null | undefined>>>;
/** The given options: a text, `null` for the word none, `undefined` if missing. */
export type GivenCredentials = Readonly<Record<string, string | null | undefined>>;

/** A path may be longer than the file's content. */
const PATH_LENGTH = 1000;

/** The options that connect an account. */
export const CONNECT_OPTIONS: CredentialOptions = optionsOf(ALL_CREDENTIALS.filter(({ kind }) => kind !== "secrets"));

/** The options that change one. */
export const CHANGE_OPTIONS: CredentialOptions = optionsOf(
  ALL_CREDENTIALS.filter(({ changes }) => changes === "alone"),
);

/** The names of the options that change an account, in commander's form. */
export const CHANGE_NAMES: readonly string[] = Object.keys(CHANGE_OPTIONS);

/** The variable with the keys' secret. */
const SECRET = "PROVIDER_SECRET";

/** The help about secrets, with the environment variable of each. */
export const SECRETS_HELP = [
  `Secrets are read from the environment, since others on the machine can read a command line: ${SECRET}, secret of the keys`,
  ...ALL_CREDENTIALS.filter(({ kind }) => kind === "secret" || kind === "secrets").map(
    (credential) => `${variableOf(credential)}, ${describe(credential)}`,
  ),
].join("; ");

function optionsOf(credentials: readonly Credential[]): CredentialOptions {
  const options: Record<string, OptionOf<string | null | undefined>> = {};
  for (const credential of credentials) {
    const { kind, isRequired, maxLength } = credential;
    const name = optionName(credential);
    const help = describe(credential);
    if (kind === "secrets")
      options[name] = option(
        "<env|none>",
        `${help}: those in ${variableOf(credential)}`,
        ifSent(oneOf(["env", "none"])),
      );
    if (kind === "text" && isRequired) options[name] = option("<value>", help, ifSent(requiredText(maxLength)));
    if ((kind === "text" && !isRequired) || kind === "key") {
      const [value, length] = kind === "key" ? ["<file>", PATH_LENGTH] : ["<value>", maxLength];
      options[name] = option(value, `${help}; or none`, ifSent(orWord("none", requiredText(length))));
    }
  }
  return options;
}

/** The help of a credential, with the providers that need it. */
function describe({ help, property }: Credential): string {
  return `${help[0]!.toLowerCase()}${help.slice(1)} (${askersOf(property)})`;
}

/** The variable for a secret: `PROVIDER_WEBHOOK_SECRET`, `PROVIDER_VERIFY_SECRET`. */
function variableOf({ name }: Credential): string {
  return `PROVIDER_${name.toUpperCase()}`;
}

function optionName(credential: Credential): string {
  return changeName(credential).replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The credentials of an account to connect: options, files and the environment.
 * @throws NodalError `validation_failed` for a file that can't be read
 */
export async function readConnected(
  provider: Provider,
  given: GivenCredentials,
): Promise<Partial<DeclaredCredentials>> {
  const values = await readValues(given, ({ name }) => name);
  for (const credential of credentialsOf(provider))
    if (isFromEnvironment(credential) && hasOwner(credential, given))
      values[credential.name] = fromEnvironment(credential);
  return namedCredentials(provider, values);
}

/**
 * The changed credentials of an account: options, files, and their secrets. Missing ones are left out.
 * @throws NodalError `validation_failed` for a file that can't be read
 */
export async function readChanged(provider: Provider, given: GivenCredentials): Promise<Partial<DeclaredCredentials>> {
  const values = await readValues(given, changeName);
  for (const credential of ALL_CREDENTIALS.filter(isFromEnvironment)) {
    const { kind, secretOf } = credential;
    const owner = ALL_CREDENTIALS.find(({ property }) => property === secretOf);
    const chosen = given[optionName(kind === "secrets" ? credential : (owner ?? credential))];
    if (chosen === undefined) continue;
    values[changeName(credential)] = chosen === null || chosen === "none" ? null : fromEnvironment(credential);
  }
  return namedCredentials(provider, values, changeName);
}

/** The secret of the keys, from the environment; empty if it is not set. */
export function readSecret(): string {
  return process.env[SECRET] ?? "";
}

/**
 * Runs a function with secrets, and renames fields in its errors to their environment variables.
 * @throws as `run`
 */
export async function namingVariables<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof NodalError) || error.code !== "validation_failed") throw error;
    const secrets = ALL_CREDENTIALS.filter(isFromEnvironment);
    const variables = new Map([["secret", SECRET], ...secrets.map((each) => [each.name, variableOf(each)] as const)]);
    throw validationError(
      error.errors.map((each) => ({
        ...each,
        field: variables.get(each.field) ?? each.field,
        problem: each.problem.replace("Check key_id and secret.", `Check --key-id and ${SECRET}.`),
      })),
    );
  }
}

/** The secrets for new keys. */
export function readKeySecrets(provider: Provider): Partial<DeclaredCredentials> {
  const changed = credentialsOf(provider).filter(({ changes, kind }) => changes === "with_keys" && kind === "secret");
  return Object.fromEntries(changed.map((credential) => [credential.property, fromEnvironment(credential)]));
}

function isFromEnvironment({ kind }: Credential): boolean {
  return kind === "secret" || kind === "secrets";
}

/** Does a secret belong to a given key id, or to none? */
function hasOwner({ secretOf }: Credential, given: GivenCredentials): boolean {
  const owner = ALL_CREDENTIALS.find(({ property }) => property === secretOf);
  return owner === undefined || Boolean(given[optionName(owner)]);
}

function fromEnvironment(credential: Credential): string | null {
  return process.env[variableOf(credential)] ?? null;
}

/** The values of options, by the names from `nameOf`. */
async function readValues(
  given: GivenCredentials,
  nameOf: (credential: Credential) => string,
): Promise<Record<string, string | null>> {
  const values: Record<string, string | null> = {};
  for (const credential of ALL_CREDENTIALS) {
    const value = given[optionName(credential)];
    if (value === undefined || isFromEnvironment(credential)) continue;
    const isFile = credential.kind === "key" && value !== null;
    values[nameOf(credential)] = isFile ? await readKey(value, credential.name) : value;
  }
  return values;
}

async function readKey(path: string, field: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const problem = `can't be read from ${path}: ${(error as Error).message}. Nothing was changed.`;
    throw validationError([{ field, code: "invalid", problem }]);
  }
}
