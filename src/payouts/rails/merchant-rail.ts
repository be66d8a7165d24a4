// Over which rail a merchant's money leaves.
// What belongs here: the one rule, and looking once more whether money may leave so.
import type { Merchant, MerchantKey } from "../../merchants/index.ts";
import { NodalError } from "../../platform/errors.ts";
import { SIMULATOR } from "./simulator.ts";

/** The rail of the payout provider that is connected for a live merchant, and has passed its check; `null` for none. */
export type ConnectedProvider = (merchant: MerchantKey) => string | null;

/** This release has no connector to a provider. */
export const noProvider: ConnectedProvider = () => null;

/**
 * The rail of a merchant: the simulator in the sandbox, the connected provider's for real money.
 * @throws NodalError `no_payout_provider`
 */
export function railOf(merchant: MerchantKey & Pick<Merchant, "live">, connectedProvider: ConnectedProvider): string {
  if (!merchant.live) return SIMULATOR;
  const rail = connectedProvider(merchant);
  if (rail === null) throw noPayoutProvider();
  return rail;
}

/**
 * Why a payout may not leave over a rail; `null` where it may. The simulator carries the sandbox and nothing else, and the
 * sandbox goes nowhere else. Who holds the merchant's book sees what cannot change meanwhile: whoever suspends a merchant,
 * or takes it live, holds it too.
 */
export function payoutRefusal(
  { status, live }: { readonly status: string; readonly live: boolean },
  rail: string,
): "suspended" | "wrong_rail" | null {
  if (status !== "active") return "suspended";
  return live === (rail === SIMULATOR) ? "wrong_rail" : null;
}

/** The refusal for a live merchant's money that nobody could carry. */
export function noPayoutProvider(): NodalError {
  return new NodalError(
    "no_payout_provider",
    "No payout provider is connected for this live merchant: ask the operator of this service. Nothing was transferred.",
  );
}
