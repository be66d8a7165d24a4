// One use case: what a franchise is owed leaves as a transfer to its beneficiary.
// What belongs here: how much leaves. That it leaves at most once follows from the merchant's book being held: what an
// earlier transfer carries to the bank, or has carried there, is not due any more.
import type { PayCommission } from "../franchises/index.ts";
import { lockBook, readBalances, readCommissionBalances } from "../ledger/index.ts";
import type { Config } from "../platform/config.ts";
import { payeeOf } from "./beneficiary.ts";
import { findBeneficiaries } from "./beneficiary-store.ts";
import { insertCommissionTransfer, readUnderWay } from "./commission-store.ts";
import { SIMULATOR } from "./rails/simulator.ts";
import { chooseRailMode, railLimitsOf } from "./transfer.ts";

/** The use case under the limits of a configuration. The dispatcher of any running server takes the transfer up. */
export function commissionPayer(config: Config): PayCommission {
  const limits = railLimitsOf(config);
  return async (connection, payee) => {
    const { bucket, merchantId, franchiseId, beneficiaryId, transferId } = payee;
    await lockBook(connection, bucket, merchantId);
    // One after the other: a connection takes one statement at a time.
    const balances = await readCommissionBalances(connection, bucket, merchantId, [franchiseId]);
    const duePaise = balances.get(franchiseId)!.payablePaise - (await readUnderWay(connection, payee));
    if (duePaise <= 0n) return { outcome: "nothing_due", duePaise };
    const { availablePaise } = await readBalances(connection, bucket, merchantId);
    if (availablePaise < duePaise) return { outcome: "insufficient_balance", duePaise };
    const [beneficiary] = await findBeneficiaries(connection, [{ bucket, merchantId, beneficiaryId }]);
    await insertCommissionTransfer(connection, Temporal.Now.instant(), {
      bucket,
      merchantId,
      transferId,
      franchiseId,
      beneficiaryId,
      payee: payeeOf(beneficiary!),
      rail: SIMULATOR,
      railMode: chooseRailMode("banktransfer", duePaise, limits),
      amountPaise: duePaise,
      narrative: `Commission ${payee.code}`,
    });
    return { outcome: "accepted", transferId, amountPaise: duePaise };
  };
}
