// The maker of payouts: whatever leaves (transfer, withdrawal, commission, refund) is put together here. When, and how
// much, is decided where it is asked for; it is looked at again with the book held (`payoutRefusal`). Over which rails
// live merchants pay that have no account at a provider is remembered for a moment, so that a transfer costs no
// statement for it.
import {
  idempotencyConflict,
  readPayoutRails,
  suspended,
  type IdempotencyKey,
  type Merchant,
  type MerchantKey,
  type PayoutRails,
} from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatRoundRupees } from "../platform/indian-format.ts";
import { formatPaise } from "../platform/money.ts";
import type { Origin } from "../platform/origin.ts";
import { changedWithSql } from "../platform/secrets/index.ts";
import {
  beneficiaryChanged,
  isUnreadable,
  type Beneficiary,
  type BeneficiaryApproval,
} from "./beneficiaries/beneficiary.ts";
import type { Payee, RailMode } from "./rails/rail.ts";
import { SIMULATOR } from "./rails/simulator.ts";
import type { AcceptOutcome, RequestedTransfer, NewTransfer, RefusedTransfer } from "./transfer-store.ts";
import {
  chooseMode,
  chooseRailMode,
  railLimitsOf,
  type RailLimits,
  type TransferKind,
  type TransferMode,
} from "./transfer.ts";

/** Whose money leaves. */
export type Payer = MerchantKey & Pick<Merchant, "live" | "payoutRails" | "status" | "isChanged">;

/** What is to leave, and for whom: a beneficiary, or the account that the merchant itself has. */
export type PayoutRequest = {
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

/** What a request for a payout is known by, whether or not it can be made. */
type Request = Omit<PayoutRequest, "to" | "narrative"> & { readonly beneficiaryId: bigint | null };

/**
 * A request that can't be made, with its refusal. Without a reference or an Idempotency-Key no earlier transfer can stand for it.
 * @throws `error` in that case, and where it is no refusal
 */
export function refusedTransfer(
  { bucket, merchantId }: MerchantKey,
  request: Request,
  error: unknown,
): RefusedTransfer {
  const {
    transferId,
    kind,
    referenceId,
    beneficiaryId,
    amountPaise,
    mode,
    idempotency = null,
    origin = null,
  } = request;
  const isRefusal = error instanceof NodalError && error.status < 500;
  if (!isRefusal || (referenceId === null && idempotency === null)) throw error;
  const identity = { bucket, merchantId, transferId, kind, referenceId, beneficiaryId };
  return { ...identity, amountPaise, mode, idempotency, origin, refusal: error };
}

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
   * Makes the transfer that a payoutRequest comes to.
   * @throws NodalError as `refuse` does; `beneficiary_not_approved`, `validation_failed` for a mode that the payee can't
   * be paid in, `limit_exceeded` for more than UPI carries
   */
  make(payer: Payer, payoutRequest: PayoutRequest): NewTransfer {
    this.refuse(payer);
    const { to, amountPaise } = payoutRequest;
    const beneficiary = "beneficiaryId" in to ? to : null;
    const payeeRefusal = beneficiary && refusalOfBeneficiary(beneficiary);
    if (payeeRefusal) throw payeeRefusal;
    const { name, accountNumber, ifsc, upi } = to;
    const payee = { name, accountNumber, ifsc, upi };
    const mode = chooseMode(payoutRequest.mode, payee);
    const railMode = chooseRailMode(mode, amountPaise, this.#limits);
    return {
      bucket: payer.bucket,
      merchantId: payer.merchantId,
      transferId: payoutRequest.transferId,
      kind: payoutRequest.kind,
      referenceId: payoutRequest.referenceId,
      beneficiaryId: beneficiary?.beneficiaryId ?? null,
      franchiseId: payoutRequest.franchiseId ?? null,
      payeeSince: beneficiary?.createdAt ?? null,
      payee,
      mode,
      rail: railOf(payer, railMode),
      railMode,
      amountPaise,
      narrative: payoutRequest.narrative,
      idempotency: payoutRequest.idempotency ?? null,
      origin: payoutRequest.origin ?? null,
      isApproved: payoutRequest.isApproved ?? false,
    };
  }

  /** The same, with the refusal in the place of a transfer that can't be made. @throws NodalError as `refusedTransfer` does */
  ask(payer: Payer, payoutRequest: PayoutRequest): RequestedTransfer {
    try {
      return this.make(payer, payoutRequest);
    } catch (error) {
      const beneficiaryId = "beneficiaryId" in payoutRequest.to ? payoutRequest.to.beneficiaryId : null;
      return refusedTransfer(payer, { ...payoutRequest, beneficiaryId }, error);
    }
  }
}

const WHY_NOT: Readonly<Record<Exclude<BeneficiaryApproval, "approved">, string>> = {
  pending: "This beneficiary needs a second approver: try again once it is approved.",
  rejected: "This beneficiary was rejected and can't be paid: save the account again to request approval.",
  deactivated: "This beneficiary was deactivated and can't be paid: save the account again to pay it.",
};

/** The refusal `beneficiary_not_approved` for one that can't be paid yet, or never; `null` for all others. */
export function refusalOfPayee({ approval }: Pick<Beneficiary, "approval">): NodalError | null {
  if (approval === "approved") return null;
  return new NodalError("beneficiary_not_approved", `${WHY_NOT[approval]} Nothing was transferred.`);
}

/**
 * The refusal `beneficiary_not_approved` for one that can't be paid yet, or never, or was changed with SQL since it was saved;
 * `null` for all others.
 */
export function refusalOfBeneficiary(
  beneficiary: Pick<Beneficiary, "approval" | "accountNumber" | "upi">,
): NodalError | null {
  const refusal = refusalOfPayee(beneficiary);
  if (refusal || !isUnreadable(beneficiary)) return refusal;
  return beneficiaryChanged("Nothing was transferred.");
}

/** @throws NodalError `access_denied` */
export function refuseSuspended(merchant: Pick<Merchant, "status" | "isChanged">): void {
  if (merchant.status !== "active") throw suspended(merchant);
}

/** Whose money leaves, as far as the way goes. */
export type RailOwner = Pick<Merchant, "live" | "payoutRails">;

/**
 * The rail of a merchant's payout: the simulator in the sandbox; for real money that of the account that comes first for this
 * mode among the merchant's own, or among the installation's where the merchant has none.
 * docs/rules/access.md#sandbox-and-live
 * @throws NodalError `no_payout_provider`
 */
export function railOf({ live, payoutRails }: RailOwner, mode: RailMode): string {
  if (!live) return SIMULATOR;
  requireRails({ live, payoutRails });
  const rail = payoutRails?.[mode];
  if (rail === undefined) throw modeNotCarried(mode);
  return rail;
}

/** @throws NodalError `no_payout_provider` where no account could carry the merchant's real money */
export function requireRails({ live, payoutRails }: RailOwner): void {
  if (needsDefault({ live, payoutRails })) throw noPayoutProvider();
  if (live && Object.keys(payoutRails!).length === 0) throw noAccountLeft();
}

/** Whether the merchant's money leaves over the installation's account: it has none of its own. */
function needsDefault({ live, payoutRails }: RailOwner): boolean {
  return live && payoutRails === null;
}

/**
 * Why a payout may not leave over a rail; `null` where it may. The simulator carries the sandbox and nothing else, and the
 * sandbox goes nowhere else. Who holds the merchant's book sees what cannot change meanwhile: whoever suspends a merchant holds
 * it too, and live it is or is not for good.
 */
export function payoutRefusal(
  { status, live }: { readonly status: string; readonly live: boolean },
  rail: string,
): "suspended" | "changed" | "wrong_rail" | null {
  if (status === "changed") return "changed";
  if (status !== "active") return "suspended";
  return live === (rail === SIMULATOR) ? "wrong_rail" : null;
}

/** The refusal for a live merchant's money that nobody could carry. */
export function noPayoutProvider(): NodalError {
  return new NodalError(
    "no_payout_provider",
    "This live merchant has no payout provider connected: connect one on the Payout accounts page, or with `nodal provider connect`. Nothing was transferred.",
  );
}

function noAccountLeft(): NodalError {
  return new NodalError(
    "no_payout_provider",
    "This merchant's payout accounts are disconnected, or carry no mode: connect one or enable a mode on the Payout accounts page. An operator can let payouts use the installation's account with `nodal provider use-default`. Nothing was transferred.",
  );
}

function modeNotCarried(mode: RailMode): NodalError {
  return new NodalError(
    "no_payout_provider",
    `None of the connected payout accounts carries ${mode}: enable it on the Payout accounts page, or with \`nodal provider set --modes\`. Nothing was transferred.`,
  );
}

/** As long as what is known of a merchant. */
const REMEMBERED_MS = 1000;

/** Over which rails the installation pays for live merchants without an account of their own. */
export class DefaultRails {
  readonly #db: Queryable;
  #known: Promise<PayoutRails | null> | null = null;
  #knownUntilMs = 0;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The payer, with the installation's rails where it has none of its own. */
  async payerOf<T extends RailOwner>(payer: T): Promise<T> {
    return needsDefault(payer) ? { ...payer, payoutRails: await this.#read() } : payer;
  }

  #read(): Promise<PayoutRails | null> {
    if (this.#known && performance.now() < this.#knownUntilMs) return this.#known;
    const reading = readPayoutRails(this.#db);
    this.#knownUntilMs = performance.now() + REMEMBERED_MS;
    this.#known = reading;
    // A failed look-up must not be the answer for the next second.
    reading.catch(() => {
      if (this.#known === reading) this.#known = null;
    });
    return reading;
  }
}

/** The same in a transaction, which sees what is true now. */
export async function withDefaultRails<T extends RailOwner>(db: Queryable, payer: T): Promise<T> {
  return needsDefault(payer) ? { ...payer, payoutRails: await readPayoutRails(db) } : payer;
}

/** Whether real money of a live merchant can leave: an account of its own is connected, or one of the installation. */
export async function hasPayoutAccount(db: Queryable, payer: RailOwner): Promise<boolean> {
  return Object.keys((await withDefaultRails(db, payer)).payoutRails ?? {}).length > 0;
}

/** The refusal for an outcome with which a batch accepted nothing; `reference_conflict` for one that stands for something else. */
export function refusalOf({ outcome, terms, refusal }: AcceptOutcome): NodalError {
  switch (outcome) {
    case "idempotency_conflict":
      return idempotencyConflict();
    case "reference_conflict":
      return new NodalError(
        "reference_conflict",
        "This reference_id stands for a payout that was cancelled, or waits for a later day: use a new one for a new transfer.",
      );
    case "refused":
      return refusal!;
    case "suspended":
      return suspended();
    case "changed":
      return changedWithSql("The merchant's account, or its payout policy,");
    case "wrong_rail":
      return noPayoutProvider();
    case "insufficient_balance":
      return new NodalError(
        "insufficient_balance",
        "The available balance doesn't cover this amount. Add funds or send less; you can use the same reference.",
      );
    case "transfer_limit":
      return new NodalError(
        "limit_exceeded",
        `Payout limit: at most ${formatRoundRupees(terms!.limitPaise!)} each. Send less; you can use the same reference.`,
        { details: { limit: formatPaise(terms!.limitPaise!) } },
      );
    case "daily_limit": {
      const leftPaise = terms!.leftPaise!;
      const limitPaise = terms!.limitPaise!;
      const todayPaise = leftPaise > 0n ? leftPaise : 0n;
      return new NodalError(
        "limit_exceeded",
        `Daily limit reached: ${formatRoundRupees(todayPaise)} left today of ${formatRoundRupees(limitPaise)}.`,
        { details: { limit: formatPaise(limitPaise), left_today: formatPaise(todayPaise) } },
      );
    }
    case "not_verified":
      return new NodalError(
        "beneficiary_not_verified",
        "Only verified bank accounts can be paid. Verify this beneficiary's account, then pay it by bank transfer; you can use the same reference.",
      );
    case "cooling_off": {
      // The first whole second at which it is true.
      const at = terms!.payableAt!.round({ smallestUnit: "second", roundingMode: "ceil" }).toPlainDateTime();
      const time = at.toString({ smallestUnit: "second" }).replace("T", " ");
      return new NodalError(
        "limit_exceeded",
        `This beneficiary is in its cooling-off period. You can pay it from ${time}, with the same reference.`,
        { details: { payable_from: time } },
      );
    }
    case "created":
    case "awaiting_approval":
    case "existing":
    case "replayed":
      return new NodalError("reference_conflict", "This reference belongs to another transfer: use a new one.");
  }
}
