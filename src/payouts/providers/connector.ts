// What every connector to a payout provider is: a rail, with a check of the account and the provider's webhooks.
import type { ArrivedWebhook } from "../../platform/providers/webhook.ts";
import type {
  AccountCheck,
  AccountQuestion,
  PaymentInstruction,
  PaymentReference,
  PaymentReport,
  PaymentStatus,
  Rail,
  RailMode,
} from "../rails/rail.ts";
import { RefusedError } from "../../platform/providers/errors.ts";
import { UNPACED, type Pace } from "../../platform/providers/call-turn.ts";
import type { Credential, OwnCredentials } from "./credentials.ts";
import { NO_PAYEES, type PayeeMemory } from "./provider-payee-store.ts";
import { formatRupees } from "../../platform/indian-format.ts";

/** How one reaches an account at a provider. */
export type ProviderAccess = PlainCredentials & {
  /** Of the provider, without a slash at its end. */
  readonly baseUrl: string;
  /** Client id or key id. */
  readonly id: string;
  readonly secret: string;
  /** What webhooks are signed with. */
  readonly webhookSecret: string;
  /** What they may be signed with beside it. */
  readonly moreWebhookSecrets: readonly string[];
  /** What they were signed with before, and until when it counts; `null` where that is over. */
  readonly olderWebhookSecret: { readonly secret: string; readonly until: Temporal.Instant } | null;
  /** Whether the provider gives its fee and the tax on it back with a payment that is reversed. */
  readonly returnsFees: boolean;
  /** Keys of the product that verifies accounts, where that has its own. */
  readonly verification: { readonly id: string; readonly secret: string } | null;
  /** In the ids of payments, so that they are those of this account here and of no other installation. */
  readonly tag: string;
  /** How long a call may take, in milliseconds. */
  readonly timeoutMs: number;
};

/** Credentials as they are kept; left out or `null` where the connector declares none, or none is given. */
type PlainCredentials = Partial<Omit<OwnCredentials, "moreWebhookSecrets" | "verifyKeyId" | "verifySecret">>;

/** What a connector says of its provider. The list of them is `CONNECTORS`. */
export type ConnectorDefinition = {
  /** The product, as people call it. */
  readonly label: string;
  /** Where it is called, without a slash at its end. */
  readonly baseUrl: string;
  /** What an account needs beside key id and secret. */
  readonly credentials: readonly Credential[];
  /** Whether it gives its fee back with a payment that is reversed, unless an account's contract says otherwise. */
  readonly returnsFees: boolean;
  readonly open: (access: ProviderAccess, parts: ConnectorParts) => Connector;
};

/** What a provider tells of a bank that takes no payments for some time. */
export type ProviderDowntime = {
  readonly downtimeId: string;
  /** The ways of sending that it is about; none for all. */
  readonly modes: readonly RailMode[];
  /** What the IFSC of the payees' bank begins with; empty for every bank. */
  readonly bank: string;
  readonly begunAt: Temporal.Instant;
  /** When it is over, as far as the provider says; `null` while it does not. */
  readonly endedAt: Temporal.Instant | null;
};

/** What connectors to one account share, in this process and over all of them. */
export type ConnectorParts = { readonly payees: PayeeMemory; readonly pace: Pace };

/** For an account that is only tried, or asked once: nothing is remembered, and its few calls are not counted. */
export const STANDALONE: ConnectorParts = { payees: NO_PAYEES, pace: UNPACED };

/** A webhook that is authentic. It says that something has changed, and is not believed beyond that: the provider is asked. */
export type ProviderNotice = {
  /** The payment of ours that it is about; `null` where it is about something else. */
  readonly about: PaymentReference | null;
  /** The status that it claims; `null` for none. */
  readonly claims: PaymentStatus | null;
  /** A bank of payees that takes no payments, or takes them again. */
  readonly downtime?: ProviderDowntime;
};

/** From when to when payments were asked for. */
export type Period = { readonly from: Temporal.Instant; readonly to: Temporal.Instant };

export interface Connector extends Rail {
  /**
   * How payments stand that were asked for in a time, in as few calls as the provider allows, one call after the other. Those
   * that it does not have, or has as another payment, are left out.
   */
  statuses(references: readonly PaymentReference[], asked: Period, signal: AbortSignal): Promise<PaymentReport[]>;
  /**
   * Asks the provider whether these credentials work.
   * @returns what the account has left, in paise, where the provider says so
   * @throws NotSentError `unauthorized`, `address` or `unreachable`; any other error where it is not known
   */
  check(signal: AbortSignal): Promise<{ readonly balancePaise: bigint | null }>;
  /**
   * Has the bank asked whose an account is. It pays a rupee in, so that it costs money.
   * @throws UnavailableError where the account can't ask; RefusedError, NotSentError; any other error where the bank gave no answer: it may be asked again
   */
  verifyAccount(question: AccountQuestion, signal: AbortSignal): Promise<AccountCheck>;
  /** Reads a webhook; `null` where its signature is not the provider's, or it was signed too long ago. */
  readWebhook(webhook: ArrivedWebhook, now: Temporal.Instant): ProviderNotice | null;
}

/** A payment that no provider can make, so no earlier call can have made one under its id either. */
export class NeverPayableError extends RefusedError {
  constructor(message: string) {
    super(message);
    this.name = "NeverPayableError";
  }
}

/** A payment that this account can't make, but another may. No call was made, and none can have been made before. */
export class AccountUnfitError extends NeverPayableError {
  constructor(message: string) {
    super(message);
    this.name = "AccountUnfitError";
  }
}

/** The smallest payment that providers make, in paise: docs/rules/rails.md#providers */
const LEAST_PAISE = 100n;

/** @throws NeverPayableError for a payment that is too small for every provider */
export function requireMinimum({ amountPaise }: Pick<PaymentInstruction, "amountPaise">): void {
  if (amountPaise < LEAST_PAISE)
    throw new NeverPayableError(`The smallest amount that payout providers pay is ${formatRupees(LEAST_PAISE)}.`);
}

/** What a webhook may be signed with now. */
export function webhookSecretsOf(access: ProviderAccess, now: Temporal.Instant): string[] {
  const { webhookSecret, moreWebhookSecrets, olderWebhookSecret: older } = access;
  const isOver = older === null || Temporal.Instant.compare(now, older.until) >= 0;
  return [webhookSecret, ...moreWebhookSecrets, ...(isOver ? [] : [older.secret])];
}
