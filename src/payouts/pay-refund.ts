// Two use cases inside others' transactions: a customer's account is kept as a beneficiary, and a refund leaves for it.
// What belongs here: what is asked of the transfers. What is owed back, and why, is the invoices' business.
import type { MerchantKey } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { refusalOf } from "./accept-refusal.ts";
import { payeeOf, refusalOfPayee, type Beneficiary } from "./beneficiary.ts";
import { findBeneficiaries } from "./beneficiary-store.ts";
import { keepBeneficiary } from "./keep-beneficiary.ts";
import type { Payee } from "./rails/rail.ts";
import { SIMULATOR } from "./rails/simulator.ts";
import { acceptTransfers } from "./transfer-store.ts";
import { chooseMode, chooseRailMode, railLimitsOf } from "./transfer.ts";

/** Nobody claims the transfer: the dispatcher of any running server takes it up. */
const NOBODY = 0n;

/** Where a customer's money goes back to, and the customer's contact details. */
export type RefundPayee = Payee & { readonly emailId: string; readonly mobile: string };

/** Answers the id of the merchant's beneficiary that has the account or handle: a new one, or one saved before. */
export async function saveRefundPayee(
  connection: Connection,
  ids: IdSource,
  { bucket, merchantId }: MerchantKey,
  payee: RefundPayee,
): Promise<bigint> {
  const beneficiary: Beneficiary = {
    ...payee,
    bucket,
    merchantId,
    beneficiaryId: await ids.next(),
    type: "Customer",
    approval: "approved",
    address: "",
    city: "",
    state: "",
    zipcode: "",
    createdAt: Temporal.Now.instant(),
  };
  return (await keepBeneficiary(connection, beneficiary)).beneficiaryId;
}

export type RefundRequest = MerchantKey & {
  readonly beneficiaryId: bigint;
  readonly amountPaise: bigint;
  /** Names this attempt, so that it can leave once at most. */
  readonly referenceId: string;
  readonly narrative: string;
};

/** The transfer that was accepted, or why there is none: for now the refund stays owed. */
export type PaidRefund =
  | { readonly transferId: bigint }
  /** `isPayeeNew` where only the payee stands in the way: it has to stay, to be approved or to cool off. */
  | { readonly refusal: NodalError; readonly isPayeeNew: boolean };

export type PayRefund = (connection: Connection, request: RefundRequest) => Promise<PaidRefund>;

/**
 * The use case under the limits of a configuration. It takes the merchant's book, so what else the caller locks comes
 * before. Throws `limit_exceeded` for more than UPI carries, and `reference_conflict` where the merchant has used the
 * reference itself.
 */
export function refundPayer(config: Config, ids: IdSource): PayRefund {
  const limits = railLimitsOf(config);
  return async (connection, request) => {
    const { bucket, merchantId, beneficiaryId, amountPaise, referenceId, narrative } = request;
    const [beneficiary] = await findBeneficiaries(connection, [{ bucket, merchantId, beneficiaryId }]);
    const payeeRefusal = refusalOfPayee(beneficiary!);
    if (payeeRefusal) return { refusal: payeeRefusal, isPayeeNew: true };
    const payee = payeeOf(beneficiary!);
    const mode = chooseMode(null, payee);
    const transfer = {
      bucket,
      merchantId,
      transferId: await ids.next(),
      kind: "transfer" as const,
      referenceId,
      beneficiaryId,
      franchiseId: null,
      payeeSince: beneficiary!.createdAt,
      payee,
      mode,
      rail: SIMULATOR,
      railMode: chooseRailMode(mode, amountPaise, limits),
      amountPaise,
      narrative,
      idempotency: null,
      origin: null,
    };
    const [accepted] = await acceptTransfers(connection, Temporal.Now.instant(), NOBODY, [transfer], [false]);
    const { outcome } = accepted!;
    if (outcome === "created" || outcome === "awaiting_approval") return { transferId: transfer.transferId };
    if (outcome !== "existing") return { refusal: refusalOf(accepted!), isPayeeNew: outcome === "cooling_off" };
    throw new NodalError(
      "reference_conflict",
      `The merchant has used the reference ${referenceId} for a transfer of its own: nothing was refunded.`,
    );
  };
}
