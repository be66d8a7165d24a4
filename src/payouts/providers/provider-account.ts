// An account that a merchant has at a payout provider: what it is, its rail's name, and the connector to it.
import { OPERATORS, type MerchantKey } from "../../merchants/index.ts";
import type { RailMode } from "../rails/rail.ts";
import { Cashfree } from "./cashfree.ts";
import { STANDALONE, type Connector, type ConnectorParts, type ProviderAccess } from "./connector.ts";
import { RazorpayX } from "./razorpayx.ts";

export const PROVIDERS = ["cashfree", "razorpayx"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** The place of an account among its owner's, the first at 1, by the ways that it carries. */
export type Priorities = Readonly<Partial<Record<RailMode, number>>>;

export type ProviderAccountKey = MerchantKey & { readonly accountId: bigint };

export type ProviderAccount = ProviderAccountKey & {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly keyId: string;
  readonly secret: string;
  readonly webhookSecret: string;
  /** The account there that money leaves from; `null` where the provider does not ask for it. */
  readonly sourceAccount: string | null;
  /** Whether the provider gives its fee and the tax on it back with a payment that is reversed. */
  readonly returnsFees: boolean;
  /** How many calls a second all processes may make together: `null` for the installation's setting, 0 for any number. */
  readonly callsPerSecond: number | null;
  /** The fund source that pays (Cashfree); `null` for the account's first. */
  readonly fundSource: string | null;
  /** The keys of Secure ID (Cashfree), which verifies accounts; both `null` for none. */
  readonly verifyKeyId: string | null;
  readonly verifySecret: string | null;
  /** The public key, PEM, that signs calls where the server's address is not listed (Cashfree). */
  readonly signingKey: string | null;
  /** What webhooks may be signed with beside the current secret (Cashfree: the oldest active one signs), one a line. */
  readonly moreWebhookSecrets: string | null;
  /** In the ids of its payments. */
  readonly tag: string;
  readonly priorities: Priorities;
  /** Another number after each change of the credentials. */
  readonly version: number;
  /** What webhooks were signed with before the credentials changed. */
  readonly olderWebhookSecret: string | null;
  readonly credentialsChangedAt: Temporal.Instant | null;
  /** Since when a server has found it out of order, and how; `null` while it works. */
  readonly failingSince: Temporal.Instant | null;
  readonly failingReason: string | null;
  readonly connectedAt: Temporal.Instant;
  /** From then on nothing new leaves over it. What it has sent is still asked about. */
  readonly disconnectedAt: Temporal.Instant | null;
};

/** What only Cashfree has; all of it may be left out. */
export type AccountOptions = Pick<
  ProviderAccount,
  "fundSource" | "verifyKeyId" | "verifySecret" | "signingKey" | "moreWebhookSecrets"
>;

export const NO_OPTIONS: AccountOptions = {
  fundSource: null,
  verifyKeyId: null,
  verifySecret: null,
  signingKey: null,
  moreWebhookSecrets: null,
};

/** An account as far as calls go. */
export type CheckedProvider = Pick<
  ProviderAccount,
  | "provider"
  | "baseUrl"
  | "keyId"
  | "secret"
  | "webhookSecret"
  | "sourceAccount"
  | "returnsFees"
  | "tag"
  | keyof AccountOptions
>;

/** Whose accounts serve live merchants that have none of their own. */
export const INSTALLATION: MerchantKey = OPERATORS;

/** What one says of an account to connect it. */
export type ConnectProvider = Partial<AccountOptions> & {
  readonly provider: string;
  /** `null` for the provider's own address. */
  readonly baseUrl: string | null;
  readonly keyId: string;
  readonly secret: string;
  readonly webhookSecret: string | null;
  readonly sourceAccount: string | null;
  /** Its places among the owner's accounts, as `readPriorities` reads them; `null` for behind them. */
  readonly modes: string | null;
};

/** The name of the rail over an account: `cashfree:1000310`, and `cashfree:default:1000310` for one of the installation. */
export function railName({
  provider,
  merchantId,
  accountId,
}: Pick<ProviderAccount, "provider" | "merchantId" | "accountId">): string {
  return `${provider}:${merchantId === INSTALLATION.merchantId ? "default:" : ""}${accountId}`;
}

/** The account that a rail's name says, of a merchant or of the installation; `null` where it says none. */
export function readRailName(name: string, { bucket, merchantId }: MerchantKey): ProviderAccountKey | null {
  const match = /^[a-z]+:(default:)?([0-9]{1,16})$/.exec(name);
  if (!match) return null;
  const owner = match[1] === undefined ? { bucket, merchantId } : INSTALLATION;
  return { ...owner, accountId: BigInt(match[2]!) };
}

/** For how long webhooks may be signed with the secret of before a change: providers try for a day. */
const OLDER_SECRET_HOURS = 24;

/** The connector to an account, or to one that is to be tried. */
export function connectorOf(
  { provider, keyId, ...account }: CheckedProvider & Partial<ProviderAccount>,
  timeoutMs: number,
  parts: ConnectorParts = STANDALONE,
): Connector {
  const { baseUrl, secret, webhookSecret, sourceAccount, returnsFees, tag, olderWebhookSecret, credentialsChangedAt } =
    account;
  const older =
    olderWebhookSecret && credentialsChangedAt
      ? { secret: olderWebhookSecret, until: credentialsChangedAt.add({ hours: OLDER_SECRET_HOURS }) }
      : null;
  const own = { baseUrl, id: keyId, secret, webhookSecret, sourceAccount, returnsFees, tag, timeoutMs };
  const { fundSource, signingKey, verifyKeyId, verifySecret, moreWebhookSecrets } = account;
  const access: ProviderAccess = {
    ...own,
    olderWebhookSecret: older,
    moreWebhookSecrets: moreWebhookSecrets?.split("\n") ?? [],
    fundSource,
    signingKey,
    verification: verifyKeyId === null || verifySecret === null ? null : { id: verifyKeyId, secret: verifySecret },
  };
  return provider === "cashfree" ? new Cashfree(access, parts) : new RazorpayX(access, parts);
}
