// One use case: what a franchise is owed leaves as a transfer to its beneficiary.
// What belongs here: how much leaves. That it leaves at most once follows from the merchant's book being held: what an
// earlier transfer carries to the bank, or has carried there, is not due any more.
import type { PayCommission } from "../franchises/index.ts";
import { lockBook, readCommissionBalances } from "../ledger/index.ts";
import { findMerchantByKey } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import { findBeneficiaries } from "./beneficiary-store.ts";
import { readUnderWay } from "./commission-store.ts";
import { PayoutMaker } from "./make-payout.ts";
import { acceptOwnPayout } from "./own-payout.ts";
import type { ConnectedProvider } from "./rails/merchant-rail.ts";

/** The use case under the limits of a configuration, and under the merchant's policy as any transfer. */
export function commissionPayer(config: Config, connectedProvider?: ConnectedProvider): PayCommission {
  const maker = new PayoutMaker(config, connectedProvider);
  return async (connection, payee) => {
    const { bucket, merchantId, franchiseId, beneficiaryId, transferId } = payee;
    await lockBook(connection, bucket, merchantId);
    // One after the other: a connection takes one statement at a time.
    const balances = await readCommissionBalances(connection, bucket, merchantId, [franchiseId]);
    const duePaise = balances.get(franchiseId)!.payablePaise - (await readUnderWay(connection, payee));
    if (duePaise <= 0n) return { outcome: "nothing_due", duePaise };
    if (payee.expectedPaise !== null && payee.expectedPaise !== duePaise)
      return { outcome: "amount_changed", duePaise };
    const merchant = (await findMerchantByKey(connection, payee))!;
    const [beneficiary] = await findBeneficiaries(connection, [{ bucket, merchantId, beneficiaryId }]);
    const paid = await acceptOwnPayout(connection, maker, merchant, {
      transferId,
      kind: "commission",
      to: beneficiary!,
      mode: "banktransfer",
      amountPaise: duePaise,
      referenceId: null,
      narrative: `Commission ${payee.code}`,
      franchiseId,
    });
    if (paid.how !== "refused") return { outcome: "accepted", transferId, amountPaise: duePaise };
    const { refusal } = paid;
    if (refusal.code === "insufficient_balance") return { outcome: refusal.code, duePaise };
    return { outcome: "refused", duePaise, refusal };
  };
}
