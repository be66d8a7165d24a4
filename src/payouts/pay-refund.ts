// Two use cases inside others' transactions: a customer's account is kept as a beneficiary, and a refund leaves for it.
// What belongs here: what is asked of the transfers. What is owed back, and why, is the invoices' business.
import { findMerchantByKey, type MerchantKey } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import type { Beneficiary } from "./beneficiary.ts";
import { findBeneficiaries } from "./beneficiary-store.ts";
import { keepBeneficiary } from "./keep-beneficiary.ts";
import { PayoutMaker } from "./make-payout.ts";
import { acceptOwnPayout } from "./own-payout.ts";
import type { ConnectedProvider } from "./rails/merchant-rail.ts";
import type { Payee } from "./rails/rail.ts";

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
export function refundPayer(config: Config, ids: IdSource, connectedProvider?: ConnectedProvider): PayRefund {
  const maker = new PayoutMaker(config, connectedProvider);
  return async (connection, request) => {
    const { bucket, merchantId, beneficiaryId, amountPaise, referenceId, narrative } = request;
    const merchant = (await findMerchantByKey(connection, request))!;
    const [beneficiary] = await findBeneficiaries(connection, [{ bucket, merchantId, beneficiaryId }]);
    const transferId = await ids.next();
    const wish = { transferId, to: beneficiary!, mode: null, amountPaise, referenceId, narrative };
    const paid = await acceptOwnPayout(connection, maker, merchant, { ...wish, kind: "transfer" });
    if (paid.how === "accepted") return { transferId };
    if (paid.how === "refused") return { refusal: paid.refusal, isPayeeNew: paid.isPayeeNew };
    throw new NodalError(
      "reference_conflict",
      `The merchant has used the reference ${referenceId} for a transfer of its own: nothing was refunded.`,
    );
  };
}
