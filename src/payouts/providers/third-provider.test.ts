// A provider is defined by its connector's declaration: one that is added to the list is never treated as another.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { listFiles, REPOSITORY } from "../../../test/support/files.ts";
import { checkProvider, namedCredentials } from "./check-provider.ts";
import { STANDALONE, type Connector, type ConnectorDefinition, type ProviderAccess } from "./connector.ts";
import { CONNECTORS, credentialsOf, PROVIDERS, type Provider } from "./connectors.ts";
import { problemOfKey } from "./credentials.ts";
import { connectorOf, railName, readRailName, type ConnectProvider } from "./provider-account.ts";

const THIRD = "third" as Provider;
const opened: ProviderAccess[] = [];

const DEFINITION: ConnectorDefinition = {
  label: "Third Bank",
  baseUrl: "https://api.third.example",
  credentials: [
    {
      property: "sourceAccount",
      name: "corporate_account",
      label: "Corporate account",
      help: "Number of the account to pay from",
      kind: "text",
      isRequired: true,
      maxLength: 20,
      changes: "never",
      isIdentity: true,
      problemOf: (value) => (/^[0-9]{5,20}$/.test(value) ? null : "must be 5 to 20 digits."),
    },
    {
      property: "verifySecret",
      name: "pin",
      label: "PIN",
      help: "PIN of the account",
      kind: "secret",
      isRequired: false,
      maxLength: 200,
      changes: "alone",
      problemOf: problemOfKey,
    },
  ],
  returnsFees: false,
  open(access) {
    opened.push(access);
    return { name: THIRD } as Connector;
  },
};

/** Lists the provider until the test ends. */
function add(): void {
  (PROVIDERS as unknown as string[]).push(THIRD);
  (CONNECTORS as Record<string, ConnectorDefinition>)[THIRD] = DEFINITION;
}

afterEach(() => {
  const place = PROVIDERS.indexOf(THIRD);
  if (place !== -1) (PROVIDERS as unknown as string[]).splice(place, 1);
  delete (CONNECTORS as Record<string, ConnectorDefinition>)[THIRD];
  opened.length = 0;
});

const GIVEN: ConnectProvider = {
  provider: THIRD,
  baseUrl: null,
  keyId: "key",
  secret: "a-secret",
  modes: null,
  sourceAccount: "1234567",
};

function fieldsOf(given: ConnectProvider): string[] {
  try {
    checkProvider(given);
    return [];
  } catch (error) {
    return (error as { errors: { field: string; code: string }[] }).errors.map(({ field, code }) => `${field} ${code}`);
  }
}

test("a provider that is listed without a connector does not compile", () => {
  // @ts-expect-error: the third is missing
  const incomplete: Readonly<Record<Provider | "third", ConnectorDefinition>> = CONNECTORS;
  expect(Object.keys(incomplete)).toEqual([...PROVIDERS]);
});

test("an account of a third provider has that provider's address, terms and connector", () => {
  add();
  const account = checkProvider(GIVEN);
  expect(account).toMatchObject({
    provider: THIRD,
    baseUrl: "https://api.third.example",
    // It declares no webhook secret, so the keys' secret signs webhooks.
    webhookSecret: "a-secret",
    sourceAccount: "1234567",
    returnsFees: false,
  });
  expect(connectorOf(account, 1000, STANDALONE).name).toBe(THIRD);
  expect(opened).toMatchObject([{ id: "key", baseUrl: "https://api.third.example", sourceAccount: "1234567" }]);
  const owner = { bucket: 1, merchantId: 7n };
  expect(readRailName(railName({ provider: THIRD, ...owner, accountId: 9n }), owner)).toEqual({
    ...owner,
    accountId: 9n,
  });
});

test("it asks for what it declares, and for nothing that another does", () => {
  add();
  expect(fieldsOf(GIVEN)).toEqual([]);
  expect(fieldsOf({ ...GIVEN, sourceAccount: null })).toEqual(["corporate_account required"]);
  expect(fieldsOf({ ...GIVEN, sourceAccount: "no number" })).toEqual(["corporate_account invalid"]);
  expect(fieldsOf({ ...GIVEN, webhookSecret: "whsec" })).toEqual(["webhook_secret not_allowed"]);
  expect(fieldsOf({ ...GIVEN, fundSource: "ONE", signingKey: "pem" })).toEqual([
    "fund_source not_allowed",
    "signing_key not_allowed",
  ]);
  const named = namedCredentials(THIRD, { corporate_account: "1234567", pin: "1234", fund_source: "ONE" });
  expect(named).toEqual({ sourceAccount: "1234567", verifySecret: "1234", fundSource: "ONE" });
});

test("each known provider refuses what only others ask for", () => {
  const cashfree = { ...GIVEN, provider: "cashfree" };
  expect(fieldsOf(cashfree)).toEqual(["source_account not_allowed"]);
  const razorpayx = { ...GIVEN, provider: "razorpayx", webhookSecret: "whsec" };
  expect(fieldsOf(razorpayx)).toEqual([]);
  expect(fieldsOf({ ...razorpayx, moreWebhookSecrets: "older" })).toEqual(["webhook_secret not_allowed"]);
});

test.each(PROVIDERS)("an account of %s is reached over its own connector", (provider) => {
  const required = credentialsOf(provider).filter(({ isRequired }) => isRequired);
  const credentials = Object.fromEntries(required.map(({ property }) => [property, "1234567"]));
  const account = checkProvider({ ...GIVEN, provider, sourceAccount: null, ...credentials });
  expect(connectorOf(account, 1000).name).toBe(provider);
});

test("the database takes the providers that are listed", () => {
  const sql = readFileSync(join(REPOSITORY, "schema/18_providers.sql"), "utf8");
  const [, listed] = /provider text not null check \(provider in \(([^)]*)\)\)/.exec(sql)!;
  expect(listed!.split(", ").map((word) => word.slice(1, -1))).toEqual([...PROVIDERS]);
});

test("no code asks which provider it is", () => {
  const compared = new RegExp(`[!=]== "(${PROVIDERS.join("|")})"|case "(${PROVIDERS.join("|")})"`);
  // A statement in the layout of a provider's file is no account at it.
  const isLayout = (path: string): boolean => path.includes("/reconciliation/reading/");
  const files = ["src", "web/src"].flatMap((folder) => [
    ...listFiles(join(REPOSITORY, folder), ".ts"),
    ...listFiles(join(REPOSITORY, folder), ".tsx"),
  ]);
  const asking = files.filter(
    (path) => !path.endsWith(".test.ts") && !isLayout(path) && compared.test(readFileSync(path, "utf8")),
  );
  expect(asking).toEqual([]);
});
