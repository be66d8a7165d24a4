// What every connector keeps of payments: their ids, whom the provider knows, and the report on what it says of one.
import { LRUCache } from "lru-cache";
import type { PaymentReference, PaymentReport, PaymentStatus, ProviderFee } from "../rails/rail.ts";
import type { ProviderAccess } from "./connector.ts";
import { NO_PAYEES, type PayeeMemory } from "./provider-payee-store.ts";
import { payeeId, paymentId, readPaymentId, type PaidTo } from "./payment-id.ts";

const PAYEES_REMEMBERED = 10_000;
const UTR_MAX_LENGTH = 30;
const REASON_MAX_LENGTH = 200;

/** What a provider says of a payment. */
export type ReportDetails = {
  /** The id that it answers about. */
  readonly id: string;
  /** In its own words. */
  readonly status: string;
  /** `undefined` where it says none. */
  readonly amountPaise: bigint | null | undefined;
  readonly utr: string;
  /** Why it did not go through, for one that did not. */
  readonly reason: string;
  /** What it waits for at the provider, for one that is pending; `null` for nothing that the provider names. */
  readonly waitsFor?: string | null;
  /** Whether that is balance. */
  readonly isShort?: boolean;
  /** Whether the payee's bank has confirmed a success. */
  readonly acknowledged: boolean;
  /** What it took for the payment; `null` where it says none. */
  readonly fee: ProviderFee | null;
};

/** What a provider says is not about the payment that it was asked about. */
class OtherPaymentError extends Error {}

/** The reports on payments, one after the other, without those of which the provider has another, or none. */
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
  /** What payees are called there, by our own name for each: those in use, of what the memory has. */
  readonly #payees = new LRUCache<string, string>({ max: PAYEES_REMEMBERED });
  readonly #memory: PayeeMemory;

  /** @param statuses what the provider's own words come to */
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

  /** The payment that an id names; `null` where it is none of this account. */
  find(id: unknown): PaymentReference | null {
    return readPaymentId(this.#tag, id);
  }

  /** What a word of the provider's comes to; `null` for one that is not known. */
  statusOf(word: string): PaymentStatus | null {
    return this.#statuses.get(word) ?? null;
  }

  /** What the payee is called there: as it is remembered, or as `make` has it made, whom our own name is given. */
  async payee(instruction: PaidTo, make: (ownId: string) => Promise<string>): Promise<string> {
    const ownId = payeeId(instruction);
    const known = this.#payees.get(ownId);
    if (known !== undefined) return known;
    const remembered = await this.#memory.find(instruction);
    const id = remembered ?? (await make(ownId));
    // What could not be kept is made again after a restart: equal ones are the same there.
    if (remembered === null) await this.#memory.keep(instruction, id).catch(() => {});
    this.#payees.set(ownId, id);
    return id;
  }

  /** Has a payee made again, whom the provider no longer knows under the id that is remembered. */
  async forgetPayee(instruction: PaidTo): Promise<void> {
    const ownId = payeeId(instruction);
    const id = this.#payees.get(ownId);
    this.#payees.delete(ownId);
    if (id !== undefined) await this.#memory.forget(instruction, id);
  }

  /** The report on a payment. Throws where the provider speaks of another one, or in words that are not known. */
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

/** Why a payment did not go through, or what it waits for. */
function reasonOf(status: PaymentStatus, { reason, waitsFor = null }: ReportDetails): string | null {
  if (status === "SUCCESS") return null;
  return (status === "PENDING" ? waitsFor : reason)?.slice(0, REASON_MAX_LENGTH) ?? null;
}
