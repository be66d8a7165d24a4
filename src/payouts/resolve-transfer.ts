// Use cases of operators: which transfers are stuck, and saying what one of them came to, with a second person.
// What belongs here: asking the provider a last time, what stands in for its word, and what follows once it is approved. docs/rules/payouts.md#stuck-transfers
import { auditValues, lockBook, recordEvents } from "../ledger/index.ts";
import {
  findPolicy,
  lockMerchant,
  requestApproval,
  type Context,
  type Merchant,
  type MerchantKey,
  type Resolution,
} from "../merchants/index.ts";
import { inTransaction, type Connection, type Queryable } from "../platform/database/pool.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { writePayoutsWithin } from "./batch/write-payouts.ts";
import { isAccountGone } from "./providers/gone-account.ts";
import { staleBefore } from "./rails/bank-days.ts";
import type { PaymentReport } from "./rails/rail.ts";
import { Rails } from "./rails/rails.ts";
import { SIMULATOR } from "./rails/simulator.ts";
import {
  listResolved,
  listStuck,
  markResolved,
  type ResolvedTransfer,
  type StuckSince,
  type StuckTransfer,
} from "./stuck-store.ts";
import { findTransfer } from "./transfer-store.ts";
import { isOpen, type TransferIdentity } from "./transfer.ts";

const ASK_TIMEOUT_MS = 10_000;
const LISTED_AT_MOST = 1000;
/** An outcome that is not known for so long does not come by itself. */
const UNKNOWN_FOR = { hours: 1 };

/** What was accepted before counts as stuck: open for three working days, or of unknown outcome for an hour. */
function stuckSince(now: Temporal.Instant): StuckSince {
  return { open: staleBefore(now), unknown: now.subtract(UNKNOWN_FOR) };
}

/** The transfers of a merchant, or of all where it is `null`, that are stuck, the oldest first, at most a thousand. */
export function listStuckTransfers(db: Queryable, merchant: MerchantKey | null): Promise<StuckTransfer[]> {
  return listStuck(db, merchant, stuckSince(Temporal.Now.instant()), { limit: LISTED_AT_MOST });
}

/** The transfers of a merchant, or of all where it is `null`, that people have resolved, the newest first, at most a thousand. */
export function listResolvedTransfers(db: Queryable, merchant: MerchantKey | null): Promise<ResolvedTransfer[]> {
  return listResolved(db, merchant, LISTED_AT_MOST);
}

export type ResolveTransfer = Omit<Resolution, "unasked"> & { readonly transferId: bigint };

/**
 * What somebody says of a stuck transfer, checked: a success has the bank's reference, and what failed has none.
 * @throws NodalError `validation_failed`
 */
export function readResolution({ utr, ...said }: Omit<Resolution, "unasked" | "utr"> & { readonly utr: string }) {
  const isPaid = said.as === "success";
  if (isPaid !== (utr !== "")) {
    const problem = isPaid ? "A success has the bank's reference." : "What failed has no bank's reference.";
    throw validationError([{ field: "utr", code: isPaid ? "required" : "not_allowed", problem }]);
  }
  return { ...said, utr: utr || null };
}

type ResolveContext = Pick<Context<Merchant>, "pool" | "ids" | "merchant"> & {
  /** Sees the account that it left over, which may be the installation's. */
  readonly accounts: Queryable;
};

/**
 * Asks for a stuck transfer to be booked as people found out that it ended. The provider is asked a last time; where it can't be
 * asked at all, evidence takes the place of its word. Then a second person has to approve. Returns the approval's id.
 * @throws NodalError `transfer_not_found`, `transfer_not_stuck`, `provider_contradicts`; `provider_check_failed` where the
 * provider could not be asked, and may be later, or there is no evidence
 */
export async function requestResolution(
  { pool, ids, merchant, accounts }: ResolveContext,
  { transferId, ...said }: ResolveTransfer,
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<bigint> {
  const { bucket, merchantId } = merchant;
  const key = { bucket, merchantId, transferId };
  const transfer = await findTransfer(pool, key);
  if (!transfer) throw new NodalError("transfer_not_found", "The merchant has no such transfer.");
  const [stuck] = await listStuck(pool, merchant, stuckSince(now), { transferId, limit: 1 });
  if (!stuck) throw notStuck();
  const resolution = { ...said, unasked: await askLastTime(accounts, now, stuck, said) };
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
 * Asks the provider; only what it leaves open, or does not know, can be resolved by people. Returns `null`, or why it can't be
 * asked at all, where there is evidence in the place of its word.
 */
async function askLastTime(
  accounts: Queryable,
  now: Temporal.Instant,
  stuck: StuckTransfer,
  { as, evidence }: Omit<ResolveTransfer, "transferId">,
): Promise<string | null> {
  if (stuck.rail === SIMULATOR)
    throw new NodalError("transfer_not_stuck", "It is the simulated bank's: `nodal simulator` says how it ends.");
  let report: PaymentReport | null;
  try {
    const connector = await new Rails(accounts, null, ASK_TIMEOUT_MS).connector(stuck.rail, stuck);
    report = await connector.status(stuck, AbortSignal.timeout(ASK_TIMEOUT_MS));
  } catch (error) {
    const { message } = error as Error;
    const isGone = await isAccountGone(accounts, now, stuck, error);
    if (isGone && evidence !== "") return message;
    const remedy = isGone
      ? "It can't be asked at all: say as evidence what the bank's own statement shows, the debit with its reference or that there is none."
      : "Try again once it answers.";
    throw new NodalError(
      "provider_check_failed",
      `The provider could not be asked: ${message.replace(/\.?$/, ".")} ${remedy} Nothing was changed.`,
      {
        cause: error,
      },
    );
  }
  if (report === null || report.status === "PENDING") return null;
  const isSame = (report.status === "SUCCESS") === (as === "success");
  throw new NodalError(
    isSame ? "transfer_not_stuck" : "provider_contradicts",
    `The provider says ${report.status}, which is booked without anybody's help within minutes. Nothing was changed.`,
  );
}

/**
 * Books what a stuck transfer came to, in the name of whoever approves. What the provider says later is booked after it: a late
 * success after a failure, a return after a success. Holds the book.
 * @throws NodalError `transfer_not_stuck` where it has ended since
 */
export async function applyResolution(
  connection: Connection,
  now: Temporal.Instant,
  key: TransferIdentity,
  { as, utr, reason, evidence, unasked }: Resolution,
): Promise<void> {
  const { bucket, merchantId, transferId } = key;
  await lockBook(connection, bucket, merchantId);
  const transfer = await findTransfer(connection, key);
  if (!transfer || !isOpen(transfer.state)) throw notStuck();
  const status = as === "success" ? ("SUCCESS" as const) : ("FAILED" as const);
  const report = { bucket, merchantId, transferId, status, utr, reason, acknowledged: false, dueAt: null, attempts: 0 };
  await writePayoutsWithin(connection, now, null, { requests: [], reports: [report] });
  await markResolved(connection, key, as);
  const proof = unasked === null ? {} : { evidence, providerNotAsked: unasked };
  const after = auditValues({ resolvedAs: as, utr, reason, ...proof });
  await recordEvents(connection, key, [{ type: "transfer.resolved", subjectId: transferId, after }]);
}

function notStuck(): NodalError {
  return new NodalError(
    "transfer_not_stuck",
    "It is not stuck: `nodal transfer list --stuck` shows those that are. Nothing was changed.",
  );
}
