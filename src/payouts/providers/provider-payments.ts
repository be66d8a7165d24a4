// Shared by all connectors: payment ids, the payees that the provider knows, and the reports on its answers.
import { LRUCache } from "lru-cache";
import type { PaymentReference, PaymentReport, PaymentStatus, ProviderFee } from "../rails/rail.ts";
import type { ProviderAccess } from "./connector.ts";
import { NO_PAYEES, type PayeeMemory } from "./provider-payee-store.ts";
import { payeeId, paymentId, readPaymentId, type PaidTo } from "./payment-id.ts";

const PAYEES_REMEMBERED = 10_000;
const UTR_MAX_LENGTH = 30;
const REASON_MAX_LENGTH = 200;

/** A provider's answer about a payment. */
export type ReportDetails = {
  /** The payment id in the answer. */
  readonly id: string;
  /** In the provider's own words. */
  readonly status: string;
  /** `undefined` if not given. */
  readonly amountPaise: bigint | null | undefined;
  readonly utr: string;
  /** Why it failed, if it did. */
  readonly reason: string;
  /** What a pending payment waits for at the provider; `null` if the provider doesn't say. */
  readonly waitsFor?: string | null;
  /** Whether it waits for balance. */
  readonly isShort?: boolean;
  /** Whether the payee's bank has confirmed a success. */
  readonly acknowledged: boolean;
  /** The provider's fee; `null` if not given. */
  readonly fee: ProviderFee | null;
};

/** The provider's answer is about another payment. */
class OtherPaymentError extends Error {}

/** The reports on payments, one at a time, without payments that the provider doesn't have or has with other details. */
export async function reportsOn<T>(
  items: readonly T[],
  report: (item: T) => PaymentReport | null | Promise<PaymentReport | null>,
): Promise<PaymentReport[]> {
  const reports: PaymentReport[] = [];
  for (const item of items) {
    try {
      const found = await report(item);
      if (found) reports.push(found);
    } catch (error) {
      if (!(error instanceof OtherPaymentError)) throw error;
    }
  }
  return reports;
}

export class ProviderPayments {
  readonly #provider: string;
  readonly #tag: string;
  readonly #returnsFees: boolean;
  readonly #statuses: ReadonlyMap<string, PaymentStatus>;
  /** A cache of the provider's ids of payees, by our ids. */
  readonly #payees = new LRUCache<string, string>({ max: PAYEES_REMEMBERED });
  readonly #memory: PayeeMemory;

  /** @param statuses the meanings of the provider's own statuses */
  constructor(
    provider: string,
    { tag, returnsFees }: Pick<ProviderAccess, "tag" | "returnsFees">,
    statuses: Readonly<Record<string, PaymentStatus>>,
    memory: PayeeMemory = NO_PAYEES,
  ) {
    this.#memory = memory;
    this.#provider = provider;
    this.#tag = tag;
    this.#returnsFees = returnsFees;
    this.#statuses = new Map(Object.entries(statuses));
  }

  idOf(reference: PaymentReference): string {
    return paymentId(this.#tag, reference);
  }

  /** The payment with this id; `null` if it is not one of this account. */
  find(id: unknown): PaymentReference | null {
    return readPaymentId(this.#tag, id);
  }

  /** The meaning of a provider's status; `null` for an unknown one. */
  statusOf(word: string): PaymentStatus | null {
    return this.#statuses.get(word) ?? null;
  }

  /** The payee's id at the provider: the stored one, or a new one from `make`, which gets our id. */
  async payee(instruction: PaidTo, make: (ownId: string) => Promise<string>): Promise<string> {
    const ownId = payeeId(instruction);
    const known = this.#payees.get(ownId);
    if (known !== undefined) return known;
    const remembered = await this.#memory.find(instruction);
    const id = remembered ?? (await make(ownId));
    // If it can't be stored, it is created again after a restart; the provider then returns the same payee.
    if (remembered === null) await this.#memory.keep(instruction, id).catch(() => {});
    this.#payees.set(ownId, id);
    return id;
  }

  /** Forgets a payee's id that the provider no longer knows, so that it is created again. */
  async forgetPayee(instruction: PaidTo): Promise<void> {
    const ownId = payeeId(instruction);
    const id = this.#payees.get(ownId);
    this.#payees.delete(ownId);
    if (id !== undefined) await this.#memory.forget(instruction, id);
  }

  /** The report on a payment. Throws if the answer is about another payment, or has an unknown status. */
  report(reference: PaymentReference, said: ReportDetails): PaymentReport {
    const { transferId, bucket, merchantId, amountPaise } = reference;
    const status = this.statusOf(said.status);
    if (said.id !== this.idOf(reference))
      throw new OtherPaymentError(`${this.#provider} answered about another payment.`);
    if (amountPaise !== undefined && said.amountPaise !== undefined && said.amountPaise !== amountPaise)
      throw new OtherPaymentError(`${this.#provider} has a payment of another amount under this id.`);
    if (status === null) throw new Error(`${this.#provider} answered with an unknown status: ${said.status}`);
    return {
      transferId,
      bucket,
      merchantId,
      status,
      utr: said.utr.slice(0, UTR_MAX_LENGTH) || null,
      reason: reasonOf(status, said),
      acknowledged: status === "SUCCESS" && said.acknowledged,
      ...(status === "PENDING" && said.isShort ? { isShort: true } : {}),
      ...(said.fee && (status === "SUCCESS" || status === "REVERSED") ? { fee: said.fee } : {}),
      ...(status === "REVERSED" && this.#returnsFees ? { returnsFee: true } : {}),
    };
  }
}

/** Why a payment failed, or what it waits for. */
function reasonOf(status: PaymentStatus, { reason, waitsFor = null }: ReportDetails): string | null {
  if (status === "SUCCESS") return null;
  return (status === "PENDING" ? waitsFor : reason)?.slice(0, REASON_MAX_LENGTH) ?? null;
}
