// An account at a payout provider, its rail's name, and the connector to it.
import { OPERATORS, type MerchantKey } from "../../merchants/index.ts";
import { changedWithSql } from "../../platform/secrets/index.ts";
import type { RailMode } from "../rails/rail.ts";
import { STANDALONE, type Connector, type ConnectorParts } from "./connector.ts";
import { CONNECTORS, type Provider } from "./connectors.ts";
import { CREDENTIAL_COLUMNS, type DeclaredCredentials, type OwnCredentials } from "./credentials.ts";

/** The place of an account among its owner's by mode, starting at 1. */
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
    /** Part of the ids of its payments. */
    readonly tag: string;
    readonly priorities: Priorities;
    /** Changes with the credentials. */
    readonly version: number;
    /** The webhook secret before the credentials changed. */
    readonly olderWebhookSecret: string | null;
    readonly credentialsChangedAt: Temporal.Instant | null;
    /** When a server first found it out of order; `null` while it works. */
    readonly failingSince: Temporal.Instant | null;
    readonly failingReason: string | null;
    readonly connectedAt: Temporal.Instant;
    /** From then on no payments are sent over it. Earlier ones are still asked about. */
    readonly disconnectedAt: Temporal.Instant | null;
    /** Set if the row was changed with SQL: nothing is sent over it then. */
    readonly isChanged?: true;
  };

/** The parts of an account that calls need. */
export type CheckedProvider = OwnCredentials &
  Pick<ProviderAccount, "provider" | "baseUrl" | "keyId" | "secret" | "webhookSecret" | "returnsFees" | "tag">;

/** The owner of the accounts for live merchants without one. */
export const INSTALLATION: MerchantKey = OPERATORS;

/** The details to connect an account: only the credentials that its provider declares. */
export type ConnectProvider = Partial<DeclaredCredentials> & {
  readonly provider: string;
  /** `null` for the provider's own address. */
  readonly baseUrl: string | null;
  readonly keyId: string;
  readonly secret: string;
  /** Its places among the owner's accounts, for `readPriorities`; `null` for after them. */
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

/** The account of a rail's name, of a merchant or of the installation; `null` if the name has none. */
export function readRailName(name: string, { bucket, merchantId }: MerchantKey): ProviderAccountKey | null {
  const match = /^[a-z]+:(default:)?([0-9]{1,16})$/.exec(name);
  if (!match) return null;
  const owner = match[1] === undefined ? { bucket, merchantId } : INSTALLATION;
  return { ...owner, accountId: BigInt(match[2]!) };
}

/** How long webhooks may be signed with the previous secret: providers retry for a day. */
const OLDER_SECRET_HOURS = 24;

/**
 * The connector to an account, or to one that is to be tested.
 * @throws NodalError `access_denied` for an account that was changed with SQL
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

/** An account's credentials that only some providers need. */
export function ownCredentialsOf(account: OwnCredentials): OwnCredentials {
  const properties = Object.keys(CREDENTIAL_COLUMNS) as (keyof OwnCredentials)[];
  return Object.fromEntries(properties.map((property) => [property, account[property]])) as OwnCredentials;
}
