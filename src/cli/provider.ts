// `nodal provider`: a merchant's or the installation's accounts at payout providers, which send real money.
import { hookPath } from "../platform/providers/hook-routes.ts";
import { requireMerchant, WHEN_DOWN, type Merchant } from "../merchants/index.ts";
import {
  changeCredentials,
  changeName,
  connectProvider,
  countSecrets,
  credentialsOf,
  disconnectProvider,
  formatPriorities,
  listProviders,
  PROVIDERS,
  setAccountOptions,
  setModes,
  setTerms,
  setWhenDown,
  testProvider,
  useInstallationAccount,
  type OwnCredentials,
  type ProviderAccount,
} from "../payouts/index.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { ifSent, oneOf, optionalText, requiredText, wholeNumber } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import {
  flag,
  group,
  id,
  ifGiven,
  installationCommand,
  MERCHANT,
  merchantCommand,
  option,
  orWord,
  type Addable,
  type GivenOptions,
  type Options,
  type Values,
} from "./command.ts";
import { publicUrlOf, type Installation } from "./on-database.ts";
import {
  CHANGE_NAMES,
  CHANGE_OPTIONS,
  CONNECT_OPTIONS,
  namingVariables,
  readChanged,
  readConnected,
  readKeySecrets,
  readSecret,
  SECRETS_HELP,
  type GivenCredentials,
} from "./provider-options.ts";
import { listAnswer, paragraphs, recordAnswer, type Answer, type Entries } from "./output.ts";

const ACCOUNT = id("an account's id, which `nodal provider list` shows");
const MODES = "modes it carries and their position, such as IMPS=1,NEFT=2; all, after the others; or none";
const LONGEST_WAIT_MINUTES = 30 * 24 * 60;
const MAX_CALLS_PER_SECOND = 10_000;

/** The owner of the accounts; `null` is the installation. */
type Scope = Installation & { readonly merchant: Merchant | null };
type Owned = typeof OWNER & Options;
const OWNER = {
  merchant: ifGiven(MERCHANT),
  default: flag("the installation's account, for live merchants without their own", ["merchant"]),
};

/** A command about the accounts of a merchant, or of the installation. */
function ownerCommand<O extends Options>(said: {
  readonly description: string;
  readonly notes?: () => string;
  readonly example?: string;
  readonly options: O;
  readonly check?: (given: GivenOptions, errors: FieldError[]) => void;
  readonly run: (scope: Scope, options: Values<O>, name: string) => Promise<Answer>;
}): Addable {
  return {
    addTo: (parent, name) =>
      installationCommand<Owned & O>({
        ...said,
        options: { ...OWNER, ...said.options },
        example: `nodal provider ${name} --merchant 1000001 ${said.example ?? ""}`.trimEnd(),
        check(given, errors) {
          if (given.merchant === undefined && given.default === undefined)
            fail(errors, "merchant", "required", "Give --merchant <id> or --default.");
          said.check?.(given, errors);
        },
        async run(installation, values) {
          const given = values as Values<Owned>;
          const merchant = given.merchant === null ? null : await requireMerchant(installation.pool, given.merchant);
          return said.run({ ...installation, merchant }, values, name);
        },
      }).addTo(parent, name),
  };
}

const connect = ownerCommand({
  description: "connect a provider account, after the existing ones; its credentials are checked first",
  example: "--provider cashfree --key-id CF1234",
  notes: () => `${SECRETS_HELP}.`,
  options: {
    provider: option("<name>", PROVIDERS.join(" or "), oneOf(PROVIDERS)),
    keyId: option("<id>", "client id or key id from the provider", requiredText(200)),
    baseUrl: option("<url>", "base URL, if not the provider's own, such as a stand-in's", optionalText(200)),
    modes: option("<places>", MODES, optionalText(100)),
    ...CONNECT_OPTIONS,
  },
  async run({ pool, ids, merchant, config }, { provider, keyId, baseUrl, modes, ...given }) {
    const credentials = await readConnected(provider, given as GivenCredentials);
    const input = { provider, keyId, secret: readSecret(), baseUrl, modes, ...credentials };
    const { account, balancePaise } = await namingVariables(() => connectProvider({ pool, ids, merchant }, input));
    const record = { ...describe(account, merchant), ...balance(balancePaise) };
    return recordAnswer(record, `Set the provider's webhook URL to ${publicUrlOf(config)}${record.webhook_path}`);
  },
});

const set = ownerCommand({
  description: "change an account's modes, credentials, or what happens while the provider is down",
  example: "--account 1000310 --modes IMPS=1,NEFT=2",
  notes: () =>
    paragraphs(
      "--when-down and --give-up-after belong to the merchant: they apply to all its accounts, with or without --account.",
      `--key-id replaces the account's credentials once the provider accepts them. ${SECRETS_HELP}.`,
    ),
  options: {
    account: ifGiven(ACCOUNT),
    modes: option("<places>", MODES, ifSent(requiredText(100))),
    keyId: option("<id>", "client id or key id of the new credentials", ifSent(requiredText(200))),
    reversalFees: option(
      "<returned|kept>",
      "whether the provider returns its fee and tax when a payment is reversed",
      ifSent(oneOf(["returned", "kept"])),
    ),
    callsPerSecond: option(
      "<n>",
      "calls per second to the account, over all processes; 0 for no limit, default for PROVIDER_CALLS_PER_SECOND",
      ifSent(orWord("default", wholeNumber(0, MAX_CALLS_PER_SECOND))),
    ),
    ...CHANGE_OPTIONS,
    whenDown: option(
      `<${WHEN_DOWN.join("|")}>`,
      "for unsent transfers of the merchant, over any account: wait in order, use the merchant's next account, or fail at once",
      ifSent(oneOf(WHEN_DOWN)),
    ),
    giveUpAfter: option(
      "<minutes>",
      "fail transfers of the merchant that waited this long; or never",
      ifSent(orWord("never", wholeNumber(1, LONGEST_WAIT_MINUTES))),
    ),
  },
  check(given, errors) {
    const ofAccount = ["modes", "keyId", "reversalFees", "callsPerSecond", ...CHANGE_NAMES].some(
      (name) => given[name] !== undefined,
    );
    const ofMerchant = given.whenDown !== undefined || given.giveUpAfter !== undefined;
    if (!ofAccount && !ofMerchant)
      fail(errors, "modes", "required", "Nothing to change: see `nodal provider set --help`.");
    if (ofAccount && given.account === undefined)
      fail(errors, "account", "required", "Give the account: --account <id>.");
    if (ofMerchant && given.merchant === undefined)
      fail(
        errors,
        "whenDown",
        "not_allowed",
        "What happens while a provider is down is set per merchant: add --merchant.",
      );
  },
  async run(scope, { account: accountId, modes, keyId, whenDown, giveUpAfter, ...given }) {
    const { merchant } = scope;
    const { reversalFees, callsPerSecond } = given;
    const isShown = (account: ProviderAccount): boolean => accountId === null || account.accountId === accountId;
    if (accountId !== null) {
      const { provider } = requireUsable((await listProviders(scope)).find(isShown));
      const options = await readChanged(provider, given as GivenCredentials);
      const secret = readSecret();
      await namingVariables(async () => {
        if (keyId !== undefined)
          await changeCredentials(scope, { ...readKeySecrets(provider), accountId, keyId, secret });
        if (Object.keys(options).length > 0) await setAccountOptions(scope, { accountId, ...options });
      });
    }
    if (accountId !== null && modes !== undefined) await setModes(scope, { accountId, modes });
    const terms = {
      ...(reversalFees === undefined ? {} : { returnsFees: reversalFees === "returned" }),
      ...(callsPerSecond === undefined ? {} : { callsPerSecond }),
    };
    if (accountId !== null && Object.keys(terms).length > 0) await setTerms(scope, { accountId, ...terms });
    const changes = {
      ...(whenDown === undefined ? {} : { whenDown }),
      ...(giveUpAfter === undefined ? {} : { giveUpMinutes: giveUpAfter }),
    };
    const changed =
      merchant && Object.keys(changes).length > 0 ? await setWhenDown({ ...scope, merchant }, changes) : merchant;
    return listAnswer(
      (await listProviders(scope)).filter(isShown).map((account) => describe(account, changed)),
      "No accounts: connect one with `nodal provider connect`.",
    );
  },
});

/** @throws NodalError `validation_failed` for an account that doesn't exist or is disconnected */
function requireUsable(account: ProviderAccount | undefined): ProviderAccount {
  if (account?.disconnectedAt === null) return account;
  const problem = account
    ? "This account is disconnected: connect it again with `nodal provider connect`. Nothing was changed."
    : "No such account: see `nodal provider list`. Nothing was changed.";
  throw validationError([{ field: "account", code: "invalid", problem }]);
}

const list = ownerCommand({
  description: "list accounts, newest first, and whether each works",
  options: {},
  async run({ pool, merchant }) {
    const accounts = await listProviders({ pool, merchant });
    return listAnswer(
      accounts.map((account) => describe(account, merchant)),
      "No accounts: connect one with `nodal provider connect`.",
    );
  },
});

const test = ownerCommand({
  description: "call the provider to test the account's credentials",
  example: "--account 1000310",
  options: { account: ACCOUNT },
  async run({ pool, merchant }, { account: accountId }) {
    const { account, balancePaise } = await testProvider({ pool, merchant }, accountId);
    return recordAnswer({ ...describe(account, merchant), ...balance(balancePaise) });
  },
});

const disconnect = ownerCommand({
  description: "stop using an account; refused while it has transfers in progress",
  example: "--account 1000310",
  options: { account: ACCOUNT },
  run: async ({ pool, merchant }, { account }) =>
    recordAnswer(describe(await disconnectProvider({ pool, merchant }, account), merchant)),
});

const useDefault = merchantCommand({
  description: "let a merchant without an account of its own pay over the installation's account",
  notes: () => "Its balance is then paid from money that merchants share: move the merchant's money there first.",
  options: {},
  run: async ({ pool, ids, merchant }) => {
    const { merchantId, name } = await useInstallationAccount({ pool, ids, merchant });
    return recordAnswer({
      merchant_id: String(merchantId),
      merchant_name: name,
      pays_over: "the installation's account",
    });
  },
});

export const providerCommands = group("accounts at payout providers, which send real money", {
  connect,
  set,
  list,
  test,
  disconnect,
  "use-default": useDefault,
});

function describe(account: ProviderAccount, merchant: Merchant | null): Entries {
  const { provider, keyId, baseUrl, connectedAt, disconnectedAt, failingSince } = account;
  const timeZone = merchant?.timeZone ?? "UTC";
  const at = (time: Temporal.Instant | null) => formatTimestamp(time, timeZone);
  return {
    account_id: String(account.accountId),
    provider,
    key_id: keyId,
    ...describeCredentials(account),
    base_url: baseUrl,
    modes: formatPriorities(account.priorities),
    reversal_fees: account.returnsFees ? "returned" : "kept",
    calls_per_second: account.callsPerSecond === null ? "default" : String(account.callsPerSecond),
    state: disconnectedAt ? "disconnected" : failingSince ? "failing" : "works",
    failing_since: at(failingSince),
    failing_reason: account.failingReason,
    connected_at: at(connectedAt),
    disconnected_at: at(disconnectedAt),
    webhook_path: hookPath(provider, account),
    ...(merchant && {
      when_down: merchant.whenDown,
      give_up_after: merchant.giveUpMinutes === null ? "never" : String(merchant.giveUpMinutes),
    }),
  };
}

/** The balance, if the provider reports it. */
function balance(paise: bigint | null): Entries {
  return paise === null ? {} : { balance: formatPaise(paise) };
}

/** Credentials that can be changed separately, without secrets. */
function describeCredentials(account: ProviderAccount): Entries {
  const changing = credentialsOf(account.provider).filter(({ changes }) => changes === "alone");
  return Object.fromEntries(
    changing.flatMap((credential) => {
      const value = account[credential.property as keyof OwnCredentials];
      const name = changeName(credential);
      if (credential.kind === "text") return [[name, value]];
      if (credential.kind === "key") return [[name, value === null ? "no" : "yes"]];
      return credential.kind === "secrets" ? [[name, String(countSecrets(value))]] : [];
    }),
  );
}
