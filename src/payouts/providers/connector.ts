// The interface of connectors to payout providers: a rail, with a check of the account and the provider's webhooks.
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

/** The address and credentials of an account at a provider. */
export type ProviderAccess = PlainCredentials & {
  /** The provider's address, without a slash at its end. */
  readonly baseUrl: string;
  /** Client id or key id. */
  readonly id: string;
  readonly secret: string;
  /** The secret that webhooks are signed with. */
  readonly webhookSecret: string;
  /** Further secrets that they may be signed with. */
  readonly moreWebhookSecrets: readonly string[];
  /** The previous secret, and until when it is valid; `null` once that is over. */
  readonly olderWebhookSecret: { readonly secret: string; readonly until: Temporal.Instant } | null;
  /** Whether the provider gives its fee and the tax on it back with a payment that is reversed. */
  readonly returnsFees: boolean;
  /** Keys of the product that verifies accounts, if it has separate ones. */
  readonly verification: { readonly id: string; readonly secret: string } | null;
  /** Part of the payment ids, so that they differ from those of other installations with the same account. */
  readonly tag: string;
  /** How long a call may take, in milliseconds. */
  readonly timeoutMs: number;
};

/** Stored credentials; left out or `null` if the connector declares none, or none is given. */
type PlainCredentials = Partial<Omit<OwnCredentials, "moreWebhookSecrets" | "verifyKeyId" | "verifySecret">>;

/** A connector's description of its provider, listed in `CONNECTORS`. */
export type ConnectorDefinition = {
  /** The product, as people call it. */
  readonly label: string;
  /** Its address, without a slash at its end. */
  readonly baseUrl: string;
  /** Further credentials beside key id and secret. */
  readonly credentials: readonly Credential[];
  /** Whether it gives its fee back with a payment that is reversed, unless an account's contract says otherwise. */
  readonly returnsFees: boolean;
  readonly open: (access: ProviderAccess, parts: ConnectorParts) => Connector;
};

/** A provider's report that a bank accepts no payments for some time. */
export type ProviderDowntime = {
  readonly downtimeId: string;
  /** The affected modes; empty for all. */
  readonly modes: readonly RailMode[];
  /** The start of the IFSC of the payees' bank; empty for every bank. */
  readonly bank: string;
  readonly begunAt: Temporal.Instant;
  /** When it ended, according to the provider; `null` if the provider has not said. */
  readonly endedAt: Temporal.Instant | null;
};

/** The parts that connectors to one account share, in this process and in all processes. */
export type ConnectorParts = { readonly payees: PayeeMemory; readonly pace: Pace };

/** For an account that is only tested or called once: nothing is cached, and its few calls are not rate limited. */
export const STANDALONE: ConnectorParts = { payees: NO_PAYEES, pace: UNPACED };

/** An authentic webhook. It only shows that something has changed: the provider is asked for the facts. */
export type ProviderNotice = {
  /** The payment that it is about; `null` if it is not about one of ours. */
  readonly about: PaymentReference | null;
  /** The status that it claims; `null` for none. */
  readonly claims: PaymentStatus | null;
  /** A payees' bank that stops or resumes accepting payments. */
  readonly downtime?: ProviderDowntime;
};

/** The period in which payments were requested. */
export type Period = { readonly from: Temporal.Instant; readonly to: Temporal.Instant };

export interface Connector extends Rail {
  /**
   * The statuses of payments that were requested in a period, in as few calls as the provider allows, one at a time. Payments that it does
   * not have, or has with other details, are left out.
   */
  statuses(references: readonly PaymentReference[], asked: Period, signal: AbortSignal): Promise<PaymentReport[]>;
  /**
   * Asks the provider whether these credentials work.
   * @returns the account's balance in paise, if the provider reports it
   * @throws NotSentError `unauthorized`, `address` or `unreachable`; any other error if it is unknown
   */
  check(signal: AbortSignal): Promise<{ readonly balancePaise: bigint | null }>;
  /**
   * Has the bank verify who owns an account. This deposits a rupee, so it costs money.
   * @throws UnavailableError if the provider account can't verify; RefusedError, NotSentError; any other error if the bank gave no answer
   * and may be asked again
   */
  verifyAccount(question: AccountQuestion, signal: AbortSignal): Promise<AccountCheck>;
  /** Reads a webhook; `null` if its signature is not the provider's, or it was signed too long ago. */
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

/** The secrets that a webhook may be signed with now. */
export function webhookSecretsOf(access: ProviderAccess, now: Temporal.Instant): string[] {
  const { webhookSecret, moreWebhookSecrets, olderWebhookSecret: older } = access;
  const isOver = older === null || Temporal.Instant.compare(now, older.until) >= 0;
  return [webhookSecret, ...moreWebhookSecrets, ...(isOver ? [] : [older.secret])];
}
