// An account that a merchant has at a payout provider: what it is, its rail's name, and the connector to it.
import { OPERATORS, type MerchantKey } from "../../merchants/index.ts";
import { changedWithSql } from "../../platform/secrets/index.ts";
import type { RailMode } from "../rails/rail.ts";
import { STANDALONE, type Connector, type ConnectorParts } from "./connector.ts";
import { CONNECTORS, type Provider } from "./connectors.ts";
import { CREDENTIAL_COLUMNS, type DeclaredCredentials, type OwnCredentials } from "./credentials.ts";

/** The place of an account among its owner's, the first at 1, by the ways that it carries. */
export type Priorities = Readonly<Partial<Record<RailMode, number>>>;

export type ProviderAccountKey = MerchantKey & { readonly accountId: bigint };

export type ProviderAccount = ProviderAccountKey &
  OwnCredentials & {
    readonly provider: Provider;
    readonly baseUrl: string;
    readonly keyId: string;
    readonly secret: string;
    readonly webhookSecret: string;
    /** Whether the provider gives its fee and the tax on it back with a payment that is reversed. */
    readonly returnsFees: boolean;
    /** How many calls a second all processes may make together: `null` for the installation's setting, 0 for any number. */
    readonly callsPerSecond: number | null;
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
    /** Set where the row was changed with SQL: then nothing is sent over it. */
    readonly isChanged?: true;
  };

/** An account as far as calls go. */
export type CheckedProvider = OwnCredentials &
  Pick<ProviderAccount, "provider" | "baseUrl" | "keyId" | "secret" | "webhookSecret" | "returnsFees" | "tag">;

/** Whose accounts serve live merchants that have none of their own. */
export const INSTALLATION: MerchantKey = OPERATORS;

/** What one says of an account to connect it: the credentials that its provider declares, and no others. */
export type ConnectProvider = Partial<DeclaredCredentials> & {
  readonly provider: string;
  /** `null` for the provider's own address. */
  readonly baseUrl: string | null;
  readonly keyId: string;
  readonly secret: string;
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

/**
 * The connector to an account, or to one that is to be tried.
 * @throws NodalError `access_denied` for an account that SQL has changed
 */
export function connectorOf(
  account: CheckedProvider & Partial<ProviderAccount>,
  timeoutMs: number,
  parts: ConnectorParts = STANDALONE,
): Connector {
  if (account.isChanged) throw changedWithSql(`The payout account ${account.accountId}`);
  const { provider, baseUrl, keyId, secret, webhookSecret, returnsFees, tag } = account;
  const { olderWebhookSecret, credentialsChangedAt } = account;
  const older =
    olderWebhookSecret && credentialsChangedAt
      ? { secret: olderWebhookSecret, until: credentialsChangedAt.add({ hours: OLDER_SECRET_HOURS }) }
      : null;
  const { verifyKeyId, verifySecret, moreWebhookSecrets, ...own } = ownCredentialsOf(account);
  const access = {
    ...own,
    baseUrl,
    id: keyId,
    secret,
    webhookSecret,
    returnsFees,
    tag,
    timeoutMs,
    olderWebhookSecret: older,
    moreWebhookSecrets: moreWebhookSecrets?.split("\n") ?? [],
    verification: verifyKeyId === null || verifySecret === null ? null : { id: verifyKeyId, secret: verifySecret },
  };
  return CONNECTORS[provider].open(access, parts);
}

/** What only some providers ask for, of an account. */
export function ownCredentialsOf(account: OwnCredentials): OwnCredentials {
  const properties = Object.keys(CREDENTIAL_COLUMNS) as (keyof OwnCredentials)[];
  return Object.fromEntries(properties.map((property) => [property, account[property]])) as OwnCredentials;
}
