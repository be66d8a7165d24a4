// Routes of a live merchant's accounts at payout providers: which there are, connecting and changing them, and what
// happens while a provider is down. No secret is answered.
import { requireMoneyMover, provingSecondFactor, WHEN_DOWN, type Merchant, type Session } from "../merchants/index.ts";
import {
  changeCredentials,
  connectProvider,
  disconnectProvider,
  formatPriorities,
  hookPath,
  listProviders,
  PROVIDERS,
  readSecrets,
  setAccountOptions,
  setModes,
  setWhenDown,
  testProvider,
  type AccountOptions,
  type OwnerContext,
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
} from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { dashboardRoute, type DashboardParts, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { FACTOR_FIELDS, readFactor } from "./session-routes.ts";
import { showTo } from "./shown.ts";

/** As for the bank account. Changes ask for the permission to move money too, and for a second factor. */
const permission = "profile.manage";
const KEY_LENGTH = 200;
const SOURCE_LENGTH = 35;
const MODES_LENGTH = 100;
const LONGEST_WAIT_MINUTES = 30 * 24 * 60;
const SIGNING_KEY_LENGTH = 4000;
const SECRETS_LENGTH = 2100;
/** What only Cashfree has. */
const OPTION_FIELDS = {
  fund_source: optionalText(50),
  verify_key_id: optionalText(KEY_LENGTH),
  verify_secret: optionalText(KEY_LENGTH),
  signing_key: optional(requiredLines(SIGNING_KEY_LENGTH)),
};
const params = { account_id: digitsOrNumber(16) };

/** Adds what shows a merchant's accounts, calls the provider of one, and connects one. */
export function registerPayoutAccountRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "GET /payout-accounts",
      permission,
      handler: async ({ db, merchant, session, origin }) => ({
        live: merchant.live,
        may_change: origin.mayMoveMoney && session.login.kind === "user",
        has_second_factor: session.login.hasSecondFactor,
        when_down: merchant.whenDown,
        give_up_minutes: merchant.giveUpMinutes,
        providers: [...PROVIDERS],
        accounts: (await listProviders({ pool: db, merchant })).map((account) =>
          describe(parts, merchant, session, account),
        ),
      }),
    }),
    dashboardRoute(scope, {
      route: "POST /payout-accounts/:account_id/test",
      permission,
      params,
      handler: async ({ db, merchant, params: { account_id: id } }) => {
        const { balancePaise } = await testProvider({ pool: db, merchant }, BigInt(id));
        return { balance: balancePaise === null ? null : formatPaise(balancePaise) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /payout-accounts",
      permission,
      body: {
        provider: oneOf(PROVIDERS),
        key_id: requiredText(KEY_LENGTH),
        secret: rawText(KEY_LENGTH),
        webhook_secret: optionalText(KEY_LENGTH),
        source_account: optionalText(SOURCE_LENGTH),
        modes: optionalText(MODES_LENGTH),
        ...OPTION_FIELDS,
        ...FACTOR_FIELDS,
      },
      handler: async (call) => {
        const { merchant, session, body } = call;
        const { account } = await proving(parts, call, body, (context) => {
          const { provider, key_id: keyId, secret, modes } = body;
          const given = { provider, keyId, secret, webhookSecret: body.webhook_secret, modes };
          const moreWebhookSecrets = provider === "cashfree" ? readSecrets(body.webhook_secret) : null;
          const options = { ...readOptions(body), moreWebhookSecrets };
          // At the provider's own address: the server calls no address that a merchant names.
          const input = { ...given, ...options, sourceAccount: body.source_account, baseUrl: null };
          return connectProvider({ ...context, ids: parts.ids }, input);
        });
        return describe(parts, merchant, session, account);
      },
    }),
  ];
}

/** Adds what changes an account, and what happens while a provider is down. */
export function registerPayoutAccountChangeRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "PUT /payout-accounts/:account_id/modes",
      permission,
      params,
      body: { modes: requiredText(MODES_LENGTH), ...FACTOR_FIELDS },
      handler: async (call) => {
        const { merchant, session, body } = call;
        const change = { accountId: BigInt(call.params.account_id), modes: body.modes };
        const account = await proving(parts, call, body, (context) => setModes(context, change));
        return describe(parts, merchant, session, account);
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /payout-accounts/:account_id/credentials",
      permission,
      params,
      body: {
        key_id: requiredText(KEY_LENGTH),
        secret: rawText(KEY_LENGTH),
        webhook_secret: optionalText(KEY_LENGTH),
        ...FACTOR_FIELDS,
      },
      handler: async (call) => {
        const { merchant, session, body } = call;
        const { key_id: keyId, secret, webhook_secret: webhookSecret } = body;
        const change = { accountId: BigInt(call.params.account_id), keyId, secret, webhookSecret };
        const { account } = await proving(parts, call, body, (context) => changeCredentials(context, change));
        return describe(parts, merchant, session, account);
      },
    }),
    dashboardRoute(scope, {
      route: "POST /payout-accounts/:account_id/disconnect",
      permission,
      params,
      body: FACTOR_FIELDS,
      handler: async (call) => {
        const { merchant, session, body } = call;
        const accountId = BigInt(call.params.account_id);
        const account = await proving(parts, call, body, (context) => disconnectProvider(context, accountId));
        return describe(parts, merchant, session, account);
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /payout-accounts/when-down",
      permission,
      body: {
        when_down: oneOf(WHEN_DOWN),
        give_up_minutes: optional(wholeNumber(1, LONGEST_WAIT_MINUTES)),
        ...FACTOR_FIELDS,
      },
      handler: async (call) => {
        const { body } = call;
        const changes = { whenDown: body.when_down, giveUpMinutes: body.give_up_minutes };
        const { whenDown, giveUpMinutes } = await proving(parts, call, body, (context) =>
          setWhenDown(context, changes),
        );
        return { when_down: whenDown, give_up_minutes: giveUpMinutes };
      },
    }),
  ];
}

/** Adds what changes what only Cashfree has. */
export function registerPayoutAccountOptionRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "PUT /payout-accounts/:account_id/options",
      permission,
      params,
      body: { ...OPTION_FIELDS, webhook_secrets: optionalText(SECRETS_LENGTH), ...FACTOR_FIELDS },
      handler: async (call) => {
        const { merchant, session, body } = call;
        const accountId = BigInt(call.params.account_id);
        const change = { accountId, ...readChanges(body) };
        const account = await proving(parts, call, body, (context) => setAccountOptions(context, change));
        return describe(parts, merchant, session, account);
      },
    }),
  ];
}

/**
 * Runs a change for who may move money and shows the second factor once more, which is taken in the transaction of the
 * change. Who may not is refused before a provider is called.
 */
async function proving<T>(
  parts: DashboardParts,
  { db, merchant, session }: Pick<MerchantCall, "db" | "merchant" | "session">,
  body: Parameters<typeof readFactor>[0],
  change: (context: OwnerContext & { readonly merchant: Merchant }) => Promise<T>,
): Promise<T> {
  await inTransaction(db, requireMoneyMover);
  return provingSecondFactor({ ...parts, session }, readFactor(body), (prove) =>
    change({ pool: db, accounts: parts.pool, merchant, prove }),
  );
}

function describe(parts: DashboardParts, { timeZone }: Merchant, session: Session, account: ProviderAccount) {
  const { provider, keyId } = account;
  return {
    account_id: String(account.accountId),
    provider,
    key_id: keyId,
    source_account: showTo(session)(account.sourceAccount ?? ""),
    base_url: account.baseUrl,
    fund_source: account.fundSource ?? "",
    verify_key_id: account.verifyKeyId ?? "",
    signs_calls: account.signingKey !== null,
    more_webhook_secrets: account.moreWebhookSecrets?.split("\n").length ?? 0,
    modes: formatPriorities(account.priorities),
    state: stateOf(account),
    failing_since: formatTimestamp(account.failingSince, timeZone),
    failing_reason: account.failingReason ?? "",
    connected_at: formatTimestamp(account.connectedAt, timeZone),
    disconnected_at: formatTimestamp(account.disconnectedAt, timeZone),
    webhook_url: parts.publicUrl() + hookPath(provider, account),
  };
}

type OptionValues = Readonly<Record<keyof typeof OPTION_FIELDS, string | null>>;

function readOptions({ fund_source, verify_key_id, verify_secret, signing_key }: OptionValues) {
  return {
    fundSource: fund_source,
    verifyKeyId: verify_key_id,
    verifySecret: verify_secret,
    signingKey: signing_key,
  };
}

/** Secrets that are left empty stay; the word none removes one. */
function readChanges(body: OptionValues & { readonly webhook_secrets: string | null }): Partial<AccountOptions> {
  const { fundSource, verifyKeyId, verifySecret, signingKey } = readOptions(body);
  const { webhook_secrets: secrets } = body;
  return {
    fundSource,
    verifyKeyId,
    ...(verifyKeyId === null ? { verifySecret: null } : verifySecret === null ? {} : { verifySecret }),
    ...(signingKey === null ? {} : { signingKey: signingKey === "none" ? null : signingKey }),
    ...(secrets === null ? {} : { moreWebhookSecrets: secrets === "none" ? null : readSecrets(secrets) }),
  };
}

function stateOf({ disconnectedAt, failingSince }: ProviderAccount): "works" | "failing" | "disconnected" {
  if (disconnectedAt) return "disconnected";
  return failingSince ? "failing" : "works";
}
