// Builds every outgoing payment: transfers, withdrawals, commission and refunds. Callers decide when and how much;
// `payoutRefusal` checks again while the book is held. The installation's rails for live merchants without a provider
// account are cached briefly, so that a transfer needs no statement for them.
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

/** The merchant that pays. */
export type Payer = MerchantKey & Pick<Merchant, "live" | "payoutRails" | "status" | "isChanged">;

/** A payment to a beneficiary, or to the merchant's own account. */
export type PayoutRequest = {
  readonly transferId: bigint;
  readonly kind: TransferKind;
  readonly to: Beneficiary | Payee;
  /** `null` means bank transfer, or UPI if the payee has only a handle. */
  readonly mode: TransferMode | null;
  readonly amountPaise: bigint;
  readonly referenceId: string | null;
  readonly narrative: string;
  /** The franchise, for a payout of commission. */
  readonly franchiseId?: bigint;
  readonly idempotency?: IdempotencyKey | null;
  /** Who requested it and from where; left out for the transaction's actor. */
  readonly origin?: Origin;
  /** Whether a second person has approved it already. */
  readonly isApproved?: boolean;
};

/** The parts of a request that identify it, even if it can't be made. */
type Request = Omit<PayoutRequest, "to" | "narrative"> & { readonly beneficiaryId: bigint | null };

/**
 * A request that can't be made, with its refusal. An earlier transfer may still answer it, by reference or Idempotency-Key.
 * @throws `error` if the request has neither, or if the error is not a refusal
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
   * Refuses a payer whose payouts are blocked.
   * @throws NodalError `access_denied` for a suspended merchant, `no_payout_provider`
   */
  refuse(payer: Payer): void {
    refuseSuspended(payer);
    requireRails(payer);
  }

  /**
   * Makes the transfer for a request.
   * @throws NodalError as `refuse` does; `beneficiary_not_approved`, `validation_failed` for a mode that the payee can't
   * be paid in, `limit_exceeded` above the UPI limit
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

  /** The same, but returns a `RefusedTransfer` if it can't be made. @throws NodalError as `refusedTransfer` does */
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

/** The refusal `beneficiary_not_approved` for a payee that can't be paid yet, or ever; otherwise `null`. */
export function refusalOfPayee({ approval }: Pick<Beneficiary, "approval">): NodalError | null {
  if (approval === "approved") return null;
  return new NodalError("beneficiary_not_approved", `${WHY_NOT[approval]} Nothing was transferred.`);
}

/**
 * The refusal `beneficiary_not_approved` for one that can't be paid yet, or ever, or was changed with SQL since it was saved;
 * otherwise `null`.
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

/** What decides the rail of a merchant's payouts. */
export type RailOwner = Pick<Merchant, "live" | "payoutRails">;

/**
 * The rail of a merchant's payout: the simulator in the sandbox; for real money the first account for this mode among the
 * merchant's own, or among the installation's if the merchant has none.
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

/** @throws NodalError `no_payout_provider` if no account can pay for a live merchant */
export function requireRails({ live, payoutRails }: RailOwner): void {
  if (needsDefault({ live, payoutRails })) throw noPayoutProvider();
  if (live && Object.keys(payoutRails!).length === 0) throw noAccountLeft();
}

/** Whether the merchant pays over the installation's accounts, because it has none of its own. */
function needsDefault({ live, payoutRails }: RailOwner): boolean {
  return live && payoutRails === null;
}

/**
 * Why a payout may not leave over a rail; `null` if it may. Sandbox payouts use the simulator, and only they do. The answer can't
 * change while the caller holds the merchant's book: suspending needs the book too, and a merchant never leaves live mode.
 */
export function payoutRefusal(
  { status, live }: { readonly status: string; readonly live: boolean },
  rail: string,
): "suspended" | "changed" | "wrong_rail" | null {
  if (status === "changed") return "changed";
  if (status !== "active") return "suspended";
  return live === (rail === SIMULATOR) ? "wrong_rail" : null;
}

/** The refusal for a live merchant without a payout account. */
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

/** The same as the cache of merchants. */
const REMEMBERED_MS = 1000;

/** The installation's rails, for live merchants without a provider account. */
export class DefaultRails {
  readonly #db: Queryable;
  #known: Promise<PayoutRails | null> | null = null;
  #knownUntilMs = 0;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The payer, with the installation's rails if it has none. */
  async payerOf<T extends RailOwner>(payer: T): Promise<T> {
    return needsDefault(payer) ? { ...payer, payoutRails: await this.#read() } : payer;
  }

  #read(): Promise<PayoutRails | null> {
    if (this.#known && performance.now() < this.#knownUntilMs) return this.#known;
    const reading = readPayoutRails(this.#db);
    this.#knownUntilMs = performance.now() + REMEMBERED_MS;
    this.#known = reading;
    // Don't cache a failed look-up.
    reading.catch(() => {
      if (this.#known === reading) this.#known = null;
    });
    return reading;
  }
}

/** The same in a transaction, without the cache. */
export async function withDefaultRails<T extends RailOwner>(db: Queryable, payer: T): Promise<T> {
  return needsDefault(payer) ? { ...payer, payoutRails: await readPayoutRails(db) } : payer;
}

/** Whether a live merchant can pay out: it or the installation has a connected account. */
export async function hasPayoutAccount(db: Queryable, payer: RailOwner): Promise<boolean> {
  return Object.keys((await withDefaultRails(db, payer)).payoutRails ?? {}).length > 0;
}

/** The refusal for an outcome of a batch that accepted nothing; `reference_conflict` if the reference belongs to another payout. */
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
