// The maker of payouts: whatever leaves (transfer, withdrawal, commission, refund) is put together here.
// What belongs here: whether money may leave at all, for whom, over which rail and how. When, and how much, is decided
// where it is asked for; it is looked at again with the book held (batch/).
import { suspended, type IdempotencyKey, type Merchant, type MerchantKey } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import type { Origin } from "../platform/origin.ts";
import { payeeOf, refusalOfPayee, type Beneficiary } from "./beneficiary.ts";
import { noProvider, railOf, type ConnectedProvider } from "./rails/merchant-rail.ts";
import type { Payee } from "./rails/rail.ts";
import type { NewTransfer } from "./transfer-store.ts";
import {
  chooseMode,
  chooseRailMode,
  railLimitsOf,
  type RailLimits,
  type TransferKind,
  type TransferMode,
} from "./transfer.ts";

/** Whose money leaves. */
export type Payer = MerchantKey & Pick<Merchant, "live" | "status">;

/** What is to leave, and for whom: a beneficiary, or the account that the merchant itself has. */
export type PayoutWish = {
  readonly transferId: bigint;
  readonly kind: TransferKind;
  readonly to: Beneficiary | Payee;
  /** `null` for a bank account, or for UPI where the payee has only a handle. */
  readonly mode: TransferMode | null;
  readonly amountPaise: bigint;
  readonly referenceId: string | null;
  readonly narrative: string;
  /** Whose commission it pays out, if it does. */
  readonly franchiseId?: bigint;
  readonly idempotency?: IdempotencyKey | null;
  /** Who asks for it and from where; nothing for whoever acts in the transaction. */
  readonly origin?: Origin;
};

/** Makes every payout, under a configuration's limits and over the providers that are connected. */
export class PayoutMaker {
  readonly #limits: RailLimits;
  readonly #connectedProvider: ConnectedProvider;

  constructor(config: Config, connectedProvider: ConnectedProvider = noProvider) {
    this.#limits = railLimitsOf(config);
    this.#connectedProvider = connectedProvider;
  }

  /**
   * The rail over which the payer's money may leave.
   * @throws NodalError `access_denied` for a suspended merchant, `no_payout_provider`
   */
  railFor(payer: Payer): string {
    refuseSuspended(payer);
    return railOf(payer, this.#connectedProvider);
  }

  /**
   * Makes the transfer that a wish comes to.
   * @throws NodalError as `railFor` does; `beneficiary_not_approved`, `validation_failed` for a mode that the payee can't
   * be paid in, `limit_exceeded` for more than UPI carries
   */
  make(payer: Payer, wish: PayoutWish): NewTransfer {
    const rail = this.railFor(payer);
    const { to, amountPaise } = wish;
    const beneficiary = "beneficiaryId" in to ? to : null;
    const payeeRefusal = beneficiary && refusalOfPayee(beneficiary);
    if (payeeRefusal) throw payeeRefusal;
    const payee = payeeOf(to);
    const mode = chooseMode(wish.mode, payee);
    return {
      bucket: payer.bucket,
      merchantId: payer.merchantId,
      transferId: wish.transferId,
      kind: wish.kind,
      referenceId: wish.referenceId,
      beneficiaryId: beneficiary?.beneficiaryId ?? null,
      franchiseId: wish.franchiseId ?? null,
      payeeSince: beneficiary?.createdAt ?? null,
      payee,
      mode,
      rail,
      railMode: chooseRailMode(mode, amountPaise, this.#limits),
      amountPaise,
      narrative: wish.narrative,
      idempotency: wish.idempotency ?? null,
      origin: wish.origin ?? null,
    };
  }
}

/** @throws NodalError `access_denied` */
export function refuseSuspended({ status }: Pick<Merchant, "status">): void {
  if (status !== "active") throw suspended();
}
