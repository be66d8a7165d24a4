// One use case: what a franchise is owed leaves as a transfer to its beneficiary.
// What belongs here: how much leaves. That it leaves at most once follows from the merchant's book being held: what an
// earlier transfer carries to the bank, or has carried there, is not due any more.
import type { PayCommission } from "../franchises/index.ts";
import { lockBook, readCommissionBalances } from "../ledger/index.ts";
import type { Config } from "../platform/config.ts";
import { refusalOf } from "./accept-refusal.ts";
import { payeeOf, refusalOfPayee } from "./beneficiary.ts";
import { findBeneficiaries } from "./beneficiary-store.ts";
import { readUnderWay } from "./commission-store.ts";
import { SIMULATOR } from "./rails/simulator.ts";
import { acceptTransfers } from "./transfer-store.ts";
import { chooseRailMode, railLimitsOf } from "./transfer.ts";

/** Nobody claims the transfer: the dispatcher of any running server takes it up. */
const NOBODY = 0n;

/** The use case under the limits of a configuration, and under the merchant's policy as any transfer. */
export function commissionPayer(config: Config): PayCommission {
  const limits = railLimitsOf(config);
  return async (connection, payee) => {
    const { bucket, merchantId, franchiseId, beneficiaryId, transferId } = payee;
    await lockBook(connection, bucket, merchantId);
    // One after the other: a connection takes one statement at a time.
    const balances = await readCommissionBalances(connection, bucket, merchantId, [franchiseId]);
    const duePaise = balances.get(franchiseId)!.payablePaise - (await readUnderWay(connection, payee));
    if (duePaise <= 0n) return { outcome: "nothing_due", duePaise };
    if (payee.expectedPaise !== null && payee.expectedPaise !== duePaise)
      return { outcome: "amount_changed", duePaise };
    const [beneficiary] = await findBeneficiaries(connection, [{ bucket, merchantId, beneficiaryId }]);
    const payeeRefusal = refusalOfPayee(beneficiary!);
    if (payeeRefusal) return { outcome: "refused", duePaise, refusal: payeeRefusal };
    const transfer = {
      bucket,
      merchantId,
      transferId,
      kind: "commission" as const,
      referenceId: null,
      beneficiaryId,
      franchiseId,
      payeeSince: beneficiary!.createdAt,
      payee: payeeOf(beneficiary!),
      mode: "banktransfer" as const,
      rail: SIMULATOR,
      railMode: chooseRailMode("banktransfer", duePaise, limits),
      amountPaise: duePaise,
      narrative: `Commission ${payee.code}`,
      idempotency: null,
      origin: null,
    };
    const [accepted] = await acceptTransfers(connection, Temporal.Now.instant(), NOBODY, [transfer], [false]);
    const { outcome } = accepted!;
    if (outcome === "created" || outcome === "awaiting_approval") {
      return { outcome: "accepted", transferId, amountPaise: duePaise };
    }
    if (outcome === "insufficient_balance") return { outcome, duePaise };
    return { outcome: "refused", duePaise, refusal: refusalOf(accepted!) };
  };
}
