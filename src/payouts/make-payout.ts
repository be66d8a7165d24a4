// The maker of payouts: whatever leaves (transfer, withdrawal, commission, refund) is put together here.
// What belongs here: whether money may leave at all, for whom, over which rail and how. When, and how much, is decided
// where it is asked for; it is looked at again with the book held (batch/).
import { suspended, type IdempotencyKey, type Merchant, type MerchantKey } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import type { Origin } from "../platform/origin.ts";
import { payeeOf, refusalOfPayee, type Beneficiary } from "./beneficiary.ts";
import { railOf, requireRails } from "./rails/merchant-rail.ts";
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
export type Payer = MerchantKey & Pick<Merchant, "live" | "payoutRails" | "status">;

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
  /** Whether a second person has approved it already. */
  readonly isApproved?: boolean;
};

/** Makes every payout, under a configuration's limits. */
export class PayoutMaker {
  readonly #limits: RailLimits;

  constructor(config: Config) {
    this.#limits = railLimitsOf(config);
  }

  /**
   * Refuses where the payer's money may not leave at all.
   * @throws NodalError `access_denied` for a suspended merchant, `no_payout_provider`
   */
  refuse(payer: Payer): void {
    refuseSuspended(payer);
    requireRails(payer);
  }

  /**
   * Makes the transfer that a wish comes to.
   * @throws NodalError as `refuse` does; `beneficiary_not_approved`, `validation_failed` for a mode that the payee can't
   * be paid in, `limit_exceeded` for more than UPI carries
   */
  make(payer: Payer, wish: PayoutWish): NewTransfer {
    this.refuse(payer);
    const { to, amountPaise } = wish;
    const beneficiary = "beneficiaryId" in to ? to : null;
    const payeeRefusal = beneficiary && refusalOfPayee(beneficiary);
    if (payeeRefusal) throw payeeRefusal;
    const payee = payeeOf(to);
    const mode = chooseMode(wish.mode, payee);
    const railMode = chooseRailMode(mode, amountPaise, this.#limits);
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
      rail: railOf(payer, railMode),
      railMode,
      amountPaise,
      narrative: wish.narrative,
      idempotency: wish.idempotency ?? null,
      origin: wish.origin ?? null,
      isApproved: wish.isApproved ?? false,
    };
  }
}

/** @throws NodalError `access_denied` */
export function refuseSuspended({ status }: Pick<Merchant, "status">): void {
  if (status !== "active") throw suspended();
}
