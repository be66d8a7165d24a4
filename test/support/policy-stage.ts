// A merchant with a policy at the database, for tests of limits and approvals: requesting payouts, and reading them. No assertions.
import { settledToday } from "./days.ts";
import {
  acceptTransfers,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  PROCESS_ID,
  type LedgerDatabase,
} from "./ledger.ts";
import { COMMISSION_CHECKS } from "../../src/franchises/index.ts";
import { readBalances } from "../../src/ledger/index.ts";
import {
  changePayoutPolicy,
  type ApprovalKey,
  type Merchant,
  type PayoutPolicy,
  type PolicyChanges,
} from "../../src/merchants/index.ts";
import { actingAs } from "../../src/platform/database/tenant.ts";
import type { Pool } from "../../src/platform/database/pool.ts";
import type { Actor } from "../../src/platform/origin.ts";
import { findTransfer, type AcceptOutcome, type NewTransfer } from "../../src/payouts/transfer-store.ts";
import { verify } from "../../src/payouts/verify/verify.ts";

export const FUNDS_PAISE = 100_000n;

type RequestedPayout = Partial<NewTransfer> & { readonly amountPaise: bigint };
type RequestOutcome = AcceptOutcome & { readonly transfer: NewTransfer };

export class PolicyStage {
  readonly db: LedgerDatabase;
  merchant!: Merchant;

  private constructor(db: LedgerDatabase) {
    this.db = db;
  }

  static async open(): Promise<PolicyStage> {
    return new PolicyStage(await openLedgerDatabase());
  }

  /** The use cases' context. */
  get parts() {
    return { pool: this.db.server, ids: this.db.ids };
  }

  get context() {
    return { ...this.parts, merchant: this.merchant };
  }

  /** Continues with a new merchant that has funds and no policy. */
  async renew(): Promise<void> {
    [this.merchant] = (await makeMerchants(this.db, 1, FUNDS_PAISE)) as [Merchant];
  }

  as(actor: Actor): Pool {
    return actingAs(this.db.server, actor);
  }

  async set(changes: PolicyChanges): Promise<{ policy: PayoutPolicy; approvalId: bigint | null }> {
    if (changes.dailyLimitPaise) await settledToday();
    return changePayoutPolicy(this.context, changes);
  }

  async payoutRequest(fields: RequestedPayout): Promise<NewTransfer> {
    const transferId = await this.db.ids.next();
    return { ...newTransfer(this.merchant, transferId, fields.amountPaise, `r-${transferId}`), ...fields };
  }

  accept(transfers: readonly NewTransfer[], at = Temporal.Now.instant()): Promise<readonly AcceptOutcome[]> {
    const claims = transfers.map(() => true);
    return acceptTransfers(this.db.server, at, PROCESS_ID, transfers, claims);
  }

  async ask(fields: RequestedPayout): Promise<RequestOutcome> {
    const transfer = await this.payoutRequest(fields);
    const [outcome] = await this.accept([transfer]);
    return { ...outcome!, transfer };
  }

  /** A transfer requested under a policy that lets it wait. */
  async waiting(amountPaise = 5000n): Promise<NewTransfer> {
    const { outcome, transfer } = await this.ask({ amountPaise });
    if (outcome !== "awaiting_approval") throw new Error(`it does not wait: ${outcome}`);
    return transfer;
  }

  keyOf(approvalId: bigint): ApprovalKey {
    return { bucket: this.merchant.bucket, merchantId: this.merchant.merchantId, approvalId };
  }

  async stateOf(transfer: NewTransfer): Promise<string> {
    return (await findTransfer(this.db.server, transfer))!.state;
  }

  /** How many rows of the merchant there are: `journal where subject_id = 1`. */
  async count(rows: string): Promise<number> {
    const found = await this.db.owner.query<{ count: bigint }>(
      `select count(*) as count from ${rows} and merchant_id = ${this.merchant.merchantId}`,
    );
    return Number(found.rows[0]!.count);
  }

  async availablePaise(): Promise<bigint> {
    return (await readBalances(this.db.server, this.merchant.bucket, this.merchant.merchantId)).availablePaise;
  }

  /** The findings of `verify` for all merchants. */
  async findViolations(): Promise<readonly unknown[]> {
    return (await verify(this.db.owner, null, COMMISSION_CHECKS)).violations;
  }
}

/** The error code with which refused work ended. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "done",
    (error: { code?: string }) => error.code ?? error,
  );
}
