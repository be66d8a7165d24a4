// Use cases: list stuck transfers, and record by hand how one of them ended, with a second person.
// The provider is asked at the request and again at the decision; who may record what depends on its answer.
// docs/rules/payouts.md#stuck-transfers
import { auditValues, lockBook, recordEvents } from "../../ledger/index.ts";
import {
  findPolicy,
  lockMerchant,
  readActor,
  requestApproval,
  type Approval,
  type Context,
  type Merchant,
  type MerchantKey,
  type Resolution,
} from "../../merchants/index.ts";
import { inTransaction, type Connection, type Queryable } from "../../platform/database/pool.ts";
import { fieldRefusal, NodalError, validationError } from "../../platform/errors.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { isOperator } from "../../platform/origin.ts";
import { readHeld } from "../booked-store.ts";
import { findKnownRails, UNKNOWN_RAIL } from "../known-rail-store.ts";
import { writePayoutsWithin } from "../batch/write-payouts.ts";
import { isAccountUnusable } from "../providers/unusable-account.ts";
import { INSTALLATION, readRailName } from "../providers/provider-account.ts";
import { staleBefore } from "../rails/bank-days.ts";
import type { PaymentReport } from "../rails/rail.ts";
import { Rails } from "../providers/rails.ts";
import { SIMULATOR } from "../rails/simulator.ts";
import {
  isClaimed,
  listResolved,
  listStuck,
  markResolved,
  type ResolvedTransfer,
  type StuckSince,
  type StuckTransfer,
} from "./stuck-store.ts";
import { findTransfer } from "../transfer-store.ts";
import { isOpen, type Transfer, type TransferIdentity } from "../transfer.ts";

const ASK_TIMEOUT_MS = 10_000;
const MAX_LISTED = 1000;
/** An outcome that is unknown for so long won't be reported any more. */
const UNKNOWN_FOR = { hours: 1 };

/** Transfers accepted before these times count as stuck: open for three working days, or with an unknown outcome for an hour. */
function stuckSince(now: Temporal.Instant): StuckSince {
  return { open: staleBefore(now), unknown: now.subtract(UNKNOWN_FOR) };
}

/** Stuck transfers of a merchant, or of all for `null`, the oldest first, at most a thousand. */
export function listStuckTransfers(db: Queryable, merchant: MerchantKey | null): Promise<StuckTransfer[]> {
  return listStuck(db, merchant, stuckSince(Temporal.Now.instant()), { limit: MAX_LISTED });
}

/** Transfers of a merchant, or of all for `null`, that were resolved by hand, the newest first, at most a thousand. */
export function listResolvedTransfers(db: Queryable, merchant: MerchantKey | null): Promise<ResolvedTransfer[]> {
  return listResolved(db, merchant, MAX_LISTED);
}

export type ResolveTransfer = Omit<Resolution, "unasked" | "operatorsOnly"> & { readonly transferId: bigint };

/**
 * Checks an outcome entered by hand: a success needs the bank's reference, and a failure has none.
 * @throws NodalError `validation_failed`
 */
export function readResolution({
  utr,
  ...said
}: Omit<ResolveTransfer, "transferId" | "utr"> & { readonly utr: string }) {
  const isPaid = said.as === "success";
  if (isPaid !== (utr !== "")) {
    const problem = isPaid ? "A success needs the bank's reference." : "A failed transfer has no bank reference.";
    throw validationError([{ field: "utr", code: isPaid ? "required" : "not_allowed", problem }]);
  }
  return { ...said, utr: utr || null };
}

type ResolveContext = Pick<Context<Merchant>, "pool" | "ids" | "merchant"> & {
  /** Sees the account that was used, which may be the installation's. */
  readonly accounts: Queryable;
};

/** The provider's answer about a stuck transfer (pending or unknown), or why it can't be asked. */
export type ProviderFinding = { readonly status: "PENDING" | "NOT_FOUND" } | { readonly unasked: string };

/**
 * Requests to record the outcome of a stuck transfer by hand. A second person has to approve it. Returns the approval's id.
 * @throws NodalError `transfer_not_found`, `transfer_not_stuck`; `approval_not_allowed` for a transfer over the installation's account
 * unless an operator requests it; `provider_contradicts`; `validation_failed` if required evidence is missing;
 * `provider_check_failed` if the provider can't be asked for now, or can't be asked and there is no evidence
 */
export async function requestResolution(
  { pool, ids, merchant, accounts }: ResolveContext,
  { transferId, ...said }: ResolveTransfer,
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<bigint> {
  const { bucket, merchantId } = merchant;
  const key = { bucket, merchantId, transferId };
  const transfer = await findTransfer(pool, key);
  if (!transfer) throw new NodalError("transfer_not_found", "This transfer does not exist: check its id.");
  const [found] = await listStuck(pool, merchant, stuckSince(now), { transferId, limit: 1 });
  if (!found) throw notStuck();
  const stuck = await withKnownRail(pool, found);
  const people = [await inTransaction(pool, readActor)];
  refuseStrangers(stuck, people);
  const word = await askProvider(accounts, now, stuck, said);
  refuseUnsupported(said, stuck, word, people);
  const unasked = "unasked" in word ? word.unasked : null;
  const resolution = { ...said, unasked, operatorsOnly: isInstallations(stuck) };
  const approvalId = await ids.next();
  await inTransaction(pool, async (connection) => {
    await lockMerchant(connection, merchant);
    const policy = await findPolicy(connection, merchant);
    const request = { bucket, merchantId, approvalId, subjectId: transferId, resolution };
    await requestApproval(connection, policy, { ...request, kind: "transfer_resolution" });
  });
  return approvalId;
}

/**
 * Asks the provider again before a resolution is approved.
 * @throws NodalError `transfer_not_stuck` if the transfer has ended since, or the provider reports its outcome; `provider_contradicts`;
 * `provider_check_failed`
 */
export async function askBeforeApproval(
  {
    pool,
    accounts,
    merchant: { bucket, merchantId },
  }: Pick<ResolveContext, "pool" | "accounts"> & { merchant: MerchantKey },
  { subjectId: transferId, resolution }: Pick<Approval, "subjectId" | "resolution">,
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<ProviderFinding> {
  const transfer = await findTransfer(pool, { bucket, merchantId, transferId });
  refuseEnded(transfer);
  return askProvider(accounts, now, await withKnownRail(pool, transfer), resolution!);
}

type ResolvableTransfer = TransferIdentity & { readonly rail: string; readonly amountPaise: bigint };

/** Asks the provider. A final status from the provider is booked automatically. */
async function askProvider(
  accounts: Queryable,
  now: Temporal.Instant,
  transfer: ResolvableTransfer,
  { as, evidence }: Pick<Resolution, "as" | "evidence">,
): Promise<ProviderFinding> {
  if (transfer.rail === SIMULATOR)
    throw new NodalError("transfer_not_stuck", "It is at the simulated bank: `nodal simulator` shows its outcome.");
  let report: PaymentReport | null;
  try {
    const connector = await new Rails(accounts, null, ASK_TIMEOUT_MS).connector(transfer.rail, transfer);
    report = await connector.status(transfer, AbortSignal.timeout(ASK_TIMEOUT_MS));
  } catch (error) {
    const { message } = error as Error;
    const isGone = await isAccountUnusable(accounts, now, transfer, error);
    if (isGone && evidence !== "") return { unasked: message };
    const remedy = isGone
      ? "To resolve without it, enter what the bank statement shows: the debit with its reference, or that there is none."
      : "Try again once it answers.";
    throw new NodalError(
      "provider_check_failed",
      `Couldn't check with the provider: ${message.replace(/\.?$/, ".")} ${remedy}`,
      { cause: error },
    );
  }
  if (report === null) return { status: "NOT_FOUND" };
  if (report.status === "PENDING") return { status: "PENDING" };
  const isSame = (report.status === "SUCCESS") === (as === "success");
  throw new NodalError(
    isSame ? "transfer_not_stuck" : "provider_contradicts",
    `The provider reports ${report.status}, which we record automatically within minutes.`,
  );
}

/** Whether a transfer used the installation's account, so that it concerns the operators too. */
export function isInstallations({ rail, bucket, merchantId }: MerchantKey & { readonly rail: string }): boolean {
  return readRailName(rail, { bucket, merchantId })?.merchantId === INSTALLATION.merchantId;
}

/** @throws NodalError `approval_not_allowed` for anybody but operators if it used the installation's account */
function refuseStrangers(transfer: MerchantKey & { readonly rail: string }, people: readonly string[]): void {
  if (!isInstallations(transfer) || people.every(isOperator)) return;
  throw new NodalError(
    "approval_not_allowed",
    "This payout used the installation's account: only an operator can record its outcome.",
  );
}

/**
 * Refuses an outcome that the provider's answer does not support. `people` are the requester and, at the decision, the approver.
 * - A success: the provider has to know the payment.
 * - A failure of a payment that the provider has or had, and any outcome if it can't be asked: needs evidence, and one of the two
 *   people has to be an operator.
 * @throws NodalError `provider_contradicts`, `validation_failed` or `approval_not_allowed`
 */
function refuseUnsupported(
  { as, evidence }: Pick<Resolution, "as" | "evidence">,
  { state }: Pick<Transfer, "state">,
  word: ProviderFinding,
  people: readonly string[],
): void {
  let why = "The provider can't be reached";
  if ("status" in word) {
    if (as === "success" && word.status === "NOT_FOUND")
      throw new NodalError(
        "provider_contradicts",
        "The provider does not know this payment, so it can't have succeeded.",
      );
    if (as === "success" || (word.status === "NOT_FOUND" && state !== "PENDING")) return;
    why =
      word.status === "PENDING"
        ? "The provider reports the payment as PENDING"
        : "The provider accepted the payment but no longer knows it";
    if (evidence === "") {
      const problem = `is required. ${why}: describe what the bank statement shows.`;
      throw fieldRefusal("validation_failed", "evidence", problem);
    }
  }
  if (people.length < 2 || people.some(isOperator)) return;
  throw new NodalError("approval_not_allowed", `${why}: only an operator can approve this.`);
}

/** The requester and the approver of a resolution, and the provider's answer right before. */
export type ResolutionDecision = { readonly people: readonly [string, string]; readonly word: ProviderFinding };

/**
 * Books a resolution, in the name of its approver. Later reports of the provider are booked after it: a late success after a failure,
 * a return after a success. Takes the book.
 * @throws NodalError `transfer_not_stuck` if it has ended since; `unavailable` for a failure while a server has claimed the transfer
 * and might send it again; as `refuseUnsupported` does
 */
export async function applyResolution(
  connection: Connection,
  now: Temporal.Instant,
  key: TransferIdentity,
  said: Resolution,
  { people, word }: ResolutionDecision,
): Promise<void> {
  const { bucket, merchantId, transferId } = key;
  const { as, utr, reason, evidence } = said;
  await lockBook(connection, bucket, merchantId);
  const found = await findTransfer(connection, key);
  refuseEnded(found);
  await refuseOtherAmount(connection, found);
  const transfer = await withKnownRail(connection, found);
  refuseStrangers(transfer, people);
  refuseUnsupported(said, transfer, word, people);
  // A process that has claimed it may be sending it now. Once it is out of the queue, nobody claims it any more.
  if (as === "failed" && (await isClaimed(connection, key)))
    throw new NodalError(
      "unavailable",
      "The provider is being asked about this transfer right now: try again in a minute.",
    );
  const status = as === "success" ? ("SUCCESS" as const) : ("FAILED" as const);
  const report = { bucket, merchantId, transferId, status, utr, reason, acknowledged: false, dueAt: null, attempts: 0 };
  await writePayoutsWithin(connection, now, null, { requests: [], reports: [report] });
  await markResolved(connection, key, as);
  const proof = "status" in word ? { providerStatus: word.status } : { providerNotAsked: word.unasked };
  const after = auditValues({ resolvedAs: as, utr, reason, ...(evidence === "" ? {} : { evidence }), ...proof });
  await recordEvents(connection, key, [{ type: "transfer.resolved", subjectId: transferId, after }]);
}

/**
 * Refuses a decision about a transfer that has ended since the request: by another request, or by a report of the provider.
 * @throws NodalError `transfer_not_stuck`
 */
function refuseEnded(transfer: Transfer | null): asserts transfer is Transfer {
  if (!transfer) throw notStuck();
  if (isOpen(transfer.state)) return;
  throw new NodalError(
    "transfer_not_stuck",
    `This transfer has ended since this was requested, as ${transfer.state}: reject the request.`,
  );
}

/**
 * Refuses to book the outcome of a transfer whose amount or state was changed with SQL: it would move another amount than the reserved one.
 * @throws NodalError `approval_not_allowed`
 */
async function refuseOtherAmount(connection: Connection, transfer: Transfer): Promise<void> {
  const { transferId, amountPaise } = transfer;
  const setAside = await readHeld(connection, transfer, transferId);
  if (setAside === amountPaise) return;
  const found = setAside === null ? "nothing" : formatRupees(setAside);
  throw new NodalError(
    "approval_not_allowed",
    `The database has ${formatRupees(amountPaise)} for this transfer, and ${found} is set aside: its row was changed. Have it put back, then try again; \`nodal verify\` lists all such rows.`,
  );
}

/**
 * The transfer with its real rail, even if its row was changed with SQL.
 * @throws NodalError `approval_not_allowed` if the rail is unknown
 */
async function withKnownRail<T extends TransferIdentity>(
  db: Queryable,
  transfer: T,
): Promise<T & { readonly rail: string }> {
  const rail = (await findKnownRails(db, transfer, [transfer.transferId])).get(transfer.transferId)?.rail ?? null;
  if (rail === null)
    throw new NodalError("approval_not_allowed", `${UNKNOWN_RAIL} Have its row put back, then try again.`);
  return { ...transfer, rail };
}

function notStuck(): NodalError {
  return new NodalError("transfer_not_stuck", "This transfer is not stuck: see `nodal transfer list --stuck`.");
}
