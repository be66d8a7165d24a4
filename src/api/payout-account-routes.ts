// Routes of a live merchant's accounts at payout providers: listing, connecting and changing them, and the setting for
// provider outages. Secrets are never returned.
import { hookPath } from "../platform/providers/hook-routes.ts";
import {
  provingSecondFactor,
  requireMoneyMover,
  sessionOf,
  WHEN_DOWN,
  type ApiCaller,
  type Merchant,
} from "../merchants/index.ts";
import {
  ALL_CREDENTIALS,
  changeCredentials,
  changeName,
  connectProvider,
  CONNECTORS,
  countSecrets,
  credentialsOf,
  disconnectProvider,
  formatPriorities,
  isSealed,
  listProviders,
  namedCredentials,
  PROVIDERS,
  setAccountOptions,
  setModes,
  setWhenDown,
  testProvider,
  type Credential,
  type DeclaredCredentials,
  type OwnCredentials,
  type OwnerContext,
  type Provider,
  type ProviderAccount,
} from "../payouts/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import {
  digitsOrNumber,
  oneOf,
  optional,
  optionalText,
  rawText,
  requiredLines,
  requiredText,
  wholeNumber,
  type Field,
} from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardParts, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { FACTOR_FIELDS, readFactor } from "./session-routes.ts";
import { showTo } from "./shown.ts";

/** As for the bank account. Changes also need the permission to move money, and a second factor. */
const permission = "profile.manage";
/** Changes need the permission to move money, and a second factor. They also call the provider. */
const changes = { permission, personal: "second_factor", once: "at_most_once" } as const;
const KEY_LENGTH = 200;
const MODES_LENGTH = 100;
const LONGEST_WAIT_MINUTES = 30 * 24 * 60;
const params = { account_id: digitsOrNumber(16) };

type CredentialFields = Readonly<Record<string, Field<string | null>>>;

/** A field for each credential of any provider. */
function credentialFields(credentials: readonly Credential[], nameOf: (credential: Credential) => string) {
  const fields: Record<string, Field<string | null>> = {};
  for (const credential of credentials) {
    const { kind, maxLength } = credential;
    // Providers with the same name for different credentials share the field with the longer limit.
    const longest = Math.max(maxLength, ...namesakesOf(credential).map((each) => each.maxLength));
    fields[nameOf(credential)] = kind === "key" ? optional(requiredLines(longest)) : optionalText(longest);
  }
  return fields;
}

function namesakesOf({ name }: Credential): readonly Credential[] {
  return ALL_CREDENTIALS.filter((each) => each.name === name);
}

const nameOf = ({ name }: Credential): string => name;
const CONNECT_FIELDS: CredentialFields = credentialFields(ALL_CREDENTIALS, nameOf);
const KEY_FIELDS: CredentialFields = credentialFields(
  ALL_CREDENTIALS.filter(({ changes }) => changes === "with_keys"),
  nameOf,
);
const OPTION_FIELDS: CredentialFields = credentialFields(
  ALL_CREDENTIALS.filter(({ changes }) => changes === "alone"),
  changeName,
);

/** Adds the routes that show a merchant's accounts, check one with its provider, and connect one. */
export function registerPayoutAccountRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "GET /payout-accounts",
      summary: "List payout accounts",
      permission,
      handler: async ({ db, merchant, caller, origin }) => ({
        live: merchant.live,
        may_change: origin.mayMoveMoney && caller.session?.login.kind === "user",
        has_second_factor: caller.session?.login.hasSecondFactor ?? false,
        when_down: merchant.whenDown,
        give_up_minutes: merchant.giveUpMinutes,
        providers: PROVIDERS.map(describeProvider),
        accounts: (await listProviders({ pool: db, merchant })).map((account) =>
          describe(parts, merchant, caller, account),
        ),
      }),
    }),
    dashboardRoute(scope, {
      route: "POST /payout-accounts/:account_id/test",
      summary: "Test the credentials of a payout account",
      once: "changes_nothing",
      permission,
      params,
      handler: async ({ db, merchant, params: { account_id: id } }) => {
        const { balancePaise } = await testProvider({ pool: db, merchant }, BigInt(id));
        return { balance: balancePaise === null ? null : formatPaise(balancePaise) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /payout-accounts",
      summary: "Connect an account at a payout provider",
      ...changes,
      body: {
        provider: oneOf(PROVIDERS),
        key_id: requiredText(KEY_LENGTH),
        secret: rawText(KEY_LENGTH),
        modes: optionalText(MODES_LENGTH),
        ...CONNECT_FIELDS,
        ...FACTOR_FIELDS,
      },
      handler: async (call) => {
        const { merchant, caller, body } = call;
        const { account } = await proving(parts, call, body, (context) => {
          const { provider, key_id: keyId, secret, modes } = body;
          // Always at the provider's own address: the server never calls an address from a merchant.
          const input = { ...namedCredentials(provider, given(body)), provider, keyId, secret, modes, baseUrl: null };
          return connectProvider({ ...context, ids: parts.ids }, input);
        });
        return describe(parts, merchant, caller, account);
      },
    }),
  ];
}

/** Adds the routes that change an account, and the setting for provider outages. */
export function registerPayoutAccountChangeRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "PUT /payout-accounts/:account_id/modes",
      summary: "Change what a payout account is used for",
      ...changes,
      params,
      body: { modes: requiredText(MODES_LENGTH), ...FACTOR_FIELDS },
      handler: async (call) => {
        const { merchant, caller, body } = call;
        const change = { accountId: BigInt(call.params.account_id), modes: body.modes };
        const account = await proving(parts, call, body, (context) => setModes(context, change));
        return describe(parts, merchant, caller, account);
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /payout-accounts/:account_id/credentials",
      summary: "Replace the credentials of a payout account",
      ...changes,
      params,
      body: {
        key_id: requiredText(KEY_LENGTH),
        secret: rawText(KEY_LENGTH),
        ...KEY_FIELDS,
        ...FACTOR_FIELDS,
      },
      handler: async (call) => {
        const { merchant, caller, body } = call;
        const { key_id: keyId, secret } = body;
        const accountId = BigInt(call.params.account_id);
        const { account } = await proving(parts, call, body, async (context) => {
          const provider = await findProvider(context, accountId);
          const others = provider ? namedCredentials(provider, given(body)) : {};
          return changeCredentials(context, { ...others, accountId, keyId, secret });
        });
        return describe(parts, merchant, caller, account);
      },
    }),
    dashboardRoute(scope, {
      route: "POST /payout-accounts/:account_id/disconnect",
      summary: "Disconnect a payout account",
      ...changes,
      params,
      body: FACTOR_FIELDS,
      handler: async (call) => {
        const { merchant, caller, body } = call;
        const accountId = BigInt(call.params.account_id);
        const account = await proving(parts, call, body, (context) => disconnectProvider(context, accountId));
        return describe(parts, merchant, caller, account);
      },
    }),
    registerWhenDownRoute(scope),
  ];
}

function registerWhenDownRoute(scope: DashboardScope) {
  return dashboardRoute(scope, {
    route: "PUT /payout-accounts/when-down",
    summary: "Choose what happens to payouts while a provider is down",
    ...changes,
    body: {
      when_down: oneOf(WHEN_DOWN),
      give_up_minutes: optional(wholeNumber(1, LONGEST_WAIT_MINUTES)),
      ...FACTOR_FIELDS,
    },
    handler: async (call) => {
      const { body } = call;
      const change = { whenDown: body.when_down, giveUpMinutes: body.give_up_minutes };
      const { whenDown, giveUpMinutes } = await proving(scope.parts, call, body, (context) =>
        setWhenDown(context, change),
      );
      return { when_down: whenDown, give_up_minutes: giveUpMinutes };
    },
  });
}

/** Adds the routes that change credentials other than the keys. */
export function registerPayoutAccountOptionRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "PUT /payout-accounts/:account_id/options",
      summary: "Change the options of a payout account",
      ...changes,
      params,
      body: { ...OPTION_FIELDS, ...FACTOR_FIELDS },
      handler: async (call) => {
        const { merchant, caller, body } = call;
        const accountId = BigInt(call.params.account_id);
        const account = await proving(parts, call, body, async (context) => {
          const provider = await findProvider(context, accountId);
          return setAccountOptions(context, { ...(provider && readChanges(provider, given(body))), accountId });
        });
        return describe(parts, merchant, caller, account);
      },
    }),
  ];
}

/**
 * Runs a change for callers who may move money and show the second factor again, which is used up in the transaction of
 * the change. Others are refused before a provider is called.
 */
async function proving<T>(
  parts: DashboardParts,
  { db, merchant, caller }: Pick<MerchantCall, "db" | "merchant" | "caller">,
  body: Parameters<typeof readFactor>[0],
  change: (context: OwnerContext & { readonly merchant: Merchant }) => Promise<T>,
): Promise<T> {
  await inTransaction(db, requireMoneyMover);
  return provingSecondFactor({ ...parts, session: sessionOf(caller) }, readFactor(body), (prove) =>
    change({ pool: db, accounts: parts.pool, merchant, prove }),
  );
}

function describe(parts: DashboardParts, { timeZone }: Merchant, caller: ApiCaller, account: ProviderAccount) {
  const { provider, keyId } = account;
  const facts = {
    account_id: String(account.accountId),
    provider,
    key_id: keyId,
    base_url: account.baseUrl,
    modes: formatPriorities(account.priorities),
    state: stateOf(account),
    failing_since: formatInstant(account.failingSince, timeZone),
    failing_reason: account.failingReason ?? "",
    connected_at: formatInstant(account.connectedAt, timeZone),
    disconnected_at: formatInstant(account.disconnectedAt, timeZone),
    webhook_url: parts.publicUrl() + hookPath(provider, account),
  };
  return { ...describeCredentials(account, caller), ...facts } as CredentialFacts & typeof facts;
}

type CredentialFacts = Readonly<Record<string, string | number | boolean | null>>;

/** Credentials by the names of their fields: texts, whether there is a key, and the number of secrets. */
function describeCredentials(account: ProviderAccount, caller: ApiCaller): CredentialFacts {
  const show = showTo(caller);
  const shown: Record<string, string | number | boolean> = {};
  for (const credential of credentialsOf(account.provider)) {
    const value = account[credential.property];
    const name = changeName(credential);
    if (credential.kind === "text") shown[name] = isSealed(credential) ? show(value ?? "") : (value ?? "");
    if (credential.kind === "key") shown[name] = value !== null;
    if (credential.kind === "secrets") shown[name] = countSecrets(value);
  }
  return shown;
}

/** A provider, with the fields of its form besides key id and secret. */
function describeProvider(provider: Provider) {
  const { label, credentials } = CONNECTORS[provider];
  return {
    provider,
    label,
    credentials: credentials.map((credential) => ({
      name: credential.name,
      change_name: changeName(credential),
      label: credential.label,
      help: credential.help,
      kind: credential.kind,
      required: credential.isRequired,
      changes: credential.changes,
    })),
  };
}

async function findProvider(context: OwnerContext, accountId: bigint): Promise<Provider | undefined> {
  return (await listProviders(context)).find((account) => account.accountId === accountId)?.provider;
}

/** The fields of a body that hold credentials: their names are those of the connectors. */
function given(body: object): Readonly<Record<string, string | null | undefined>> {
  return body as Readonly<Record<string, string | null | undefined>>;
}

/** Empty secrets stay unchanged, unless their key id is removed; the word none removes one. */
function readChanges(
  provider: Provider,
  body: Readonly<Record<string, string | null | undefined>>,
): Partial<OwnCredentials> {
  const values = { ...body };
  for (const credential of ALL_CREDENTIALS) {
    const { kind, secretOf } = credential;
    const name = changeName(credential);
    if (kind === "text") continue;
    const owner = ALL_CREDENTIALS.find(({ property }) => property === secretOf);
    if (values[name] === "none" && secretOf === undefined) values[name] = null;
    else if (values[name] === null && (owner === undefined || values[changeName(owner)] !== null)) delete values[name];
  }
  const declared = new Set(credentialsOf(provider).map(({ property }) => property));
  const changes = Object.entries(namedCredentials(provider, values, changeName));
  // The fields of other providers are empty.
  return Object.fromEntries(
    changes.filter(([property, value]) => value !== null || declared.has(property as keyof DeclaredCredentials)),
  );
}

function stateOf({ disconnectedAt, failingSince }: ProviderAccount): "works" | "failing" | "disconnected" {
  if (disconnectedAt) return "disconnected";
  return failingSince ? "failing" : "works";
}
