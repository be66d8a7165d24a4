// An account that a merchant has at a payout provider: what it is, its rail's name, and the connector to it.
import { OPERATORS, type MerchantKey } from "../../merchants/index.ts";
import { validationError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import type { RailMode } from "../rails/rail.ts";
import { Cashfree } from "./cashfree.ts";
import type { Connector, ProviderAccess } from "./connector.ts";
import { newTag } from "./payment-id.ts";
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

/** An account as far as calls go. */
export type CheckedProvider = Pick<
  ProviderAccount,
  "provider" | "baseUrl" | "keyId" | "secret" | "webhookSecret" | "sourceAccount" | "returnsFees" | "tag"
>;

/** Whose accounts serve live merchants that have none of their own. */
export const INSTALLATION: MerchantKey = OPERATORS;

/** What one says of an account to connect it. */
export type ConnectProvider = {
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

const BASE_URLS: Record<Provider, string> = {
  cashfree: "https://api.cashfree.com",
  razorpayx: "https://api.razorpay.com",
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
): Connector {
  const { baseUrl, secret, webhookSecret, sourceAccount, returnsFees, tag, olderWebhookSecret, credentialsChangedAt } =
    account;
  const older =
    olderWebhookSecret && credentialsChangedAt
      ? { secret: olderWebhookSecret, until: credentialsChangedAt.add({ hours: OLDER_SECRET_HOURS }) }
      : null;
  const own = { baseUrl, id: keyId, secret, webhookSecret, sourceAccount, returnsFees, tag, timeoutMs };
  const access: ProviderAccess = { ...own, olderWebhookSecret: older };
  return provider === "cashfree" ? new Cashfree(access) : new RazorpayX(access);
}

/**
 * Checks what was said of an account, and fills in what the provider says for all.
 * @throws NodalError `validation_failed` with each field that can't be right
 */
export function checkProvider(given: ConnectProvider): CheckedProvider {
  const errors: FieldError[] = [];
  const provider = PROVIDERS.find((each) => each === given.provider);
  if (!provider) fail(errors, "provider", "invalid", `is one of ${PROVIDERS.join(", ")}.`);
  for (const [field, value] of [
    ["key_id", given.keyId],
    ["secret", given.secret],
  ] as const) {
    if (!/^[\x21-\x7e]{1,200}$/.test(value))
      fail(errors, field, "invalid", `is 1 to 200 letters, digits and signs, as the provider gave it.`);
  }
  const baseUrl = given.baseUrl ?? BASE_URLS[provider ?? "cashfree"];
  if (!isUsable(baseUrl))
    fail(errors, "base_url", "invalid", "is an https:// address without a path; http:// on this machine only.");
  if (provider === "razorpayx") {
    if (!given.webhookSecret)
      fail(errors, "webhook_secret", "required", "is needed: the one that you gave the webhook at RazorpayX.");
    if (!/^[A-Za-z0-9]{5,35}$/.test(given.sourceAccount ?? ""))
      fail(errors, "source_account", "required", "is needed: the number of the RazorpayX account that pays.");
  }
  if (errors.length > 0) throw validationError(errors);
  const isCashfree = provider === "cashfree";
  return {
    provider: provider!,
    baseUrl: baseUrl.replace(/\/$/, ""),
    keyId: given.keyId,
    secret: given.secret,
    // Cashfree signs with the client's secret.
    webhookSecret: isCashfree ? given.secret : given.webhookSecret!,
    sourceAccount: isCashfree ? null : given.sourceAccount,
    // RazorpayX says so on its page about billing; of Cashfree nothing is known.
    returnsFees: !isCashfree,
    tag: newTag(),
  };
}

function isUsable(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.href !== `${url.origin}/`) return false;
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (isHere && url.protocol === "http:");
}
