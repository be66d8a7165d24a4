// Use cases of operators: change a merchant's profile or settings.
import { auditChange, lockBook, recordEvents } from "../ledger/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { validationError } from "../platform/errors.ts";
import { findPolicy, findWaitingAccount, requestApproval, type PayoutPolicy } from "./approvals/index.ts";
import { NO_POLICY } from "./approvals/payout-policy.ts";
import type { Merchant, MerchantBankAccount, MerchantProfile } from "./merchant.ts";
import { updateMerchant, requireMerchant } from "./merchant-store.ts";
import { noteMerchants, type MerchantNoticeType } from "./notice-store.ts";
import { PROFILE_MEMBERS } from "./profile-members.ts";
import type { OperatorContext } from "./use-case.ts";
import { requireMoneyMover } from "./users/index.ts";

/** The changeable members: profile, limit, status, who bears fees, KYC, and the clock. Whether the money is real can't change. */
export type MerchantChanges = Partial<
  MerchantProfile & Pick<Merchant, "rateLimitPerMinute" | "status" | "feesPaidBy" | "kycStatus" | "kyc" | "clockDate">
>;

/** The changes, or a function that derives them from the merchant, which is locked meanwhile. */
export type ChangesOf = MerchantChanges | ((before: Merchant) => MerchantChanges);

/** The merchant after the change, and the approval that its new bank account waits for, if any. */
export type ChangedMerchant = { readonly merchant: Merchant; readonly approvalId: bigint | null };

/**
 * Changes the given members only, also concurrently with other changes of the same merchant. Running servers follow within seconds.
 * A new bank account waits for a second person if the merchant's policy requires it; repeating the request meanwhile returns the
 * same approval.
 * @throws NodalError `merchant_not_found`, `validation_failed` for another time zone under a daily limit, or `access_denied` for
 * another bank account by an actor who may not move money. `setsUp`: by an operator, who may give a sandbox its first account
 */
export async function changeMerchant(
  { pool, ids, merchant: { merchantId } }: OperatorContext,
  changes: ChangesOf,
  { setsUp = false }: { readonly setsUp?: boolean } = {},
): Promise<ChangedMerchant> {
  const newId = await ids.next();
  return inTransaction(pool, async (connection) => {
    const before = await requireMerchant(connection, merchantId, true);
    const wanted = { ...before, ...(typeof changes === "function" ? changes(before) : changes) };
    const isRedirected = ACCOUNT_MEMBERS.some((name) => wanted[name] !== before[name]);
    // Withdrawals go there, including those that a program requests.
    const isFirst = !before.live && before.bankAccount === "";
    if (isRedirected && !(setsUp && isFirst)) await requireMoneyMover(connection);
    // A policy changed with SQL must not prevent suspending the merchant.
    const policy =
      isRedirected || wanted.timeZone !== before.timeZone ? await findPolicy(connection, before) : NO_POLICY;
    if (wanted.timeZone !== before.timeZone) refuseOtherDay(policy);
    const waits = policy.approvePayees && isRedirected;
    const { bankAccount, ifsc, bankHolder } = before;
    const merchant = waits ? { ...wanted, bankAccount, ifsc, bankHolder } : wanted;
    // Once the book is locked, nothing is accepted or claimed without having seen the new status.
    if (merchant.status !== before.status) await lockBook(connection, before.bucket, merchantId);
    await writeChange(connection, before, merchant);
    if (!waits) return { merchant, approvalId: null };
    const account = { accountNumber: wanted.bankAccount, ifsc: wanted.ifsc, holder: wanted.bankHolder };
    const waiting = await findWaitingAccount(connection, before, "bank_account", merchantId, account);
    if (waiting !== null) return { merchant, approvalId: waiting };
    await requestApproval(connection, policy, {
      bucket: before.bucket,
      merchantId,
      approvalId: newId,
      kind: "bank_account",
      subjectId: merchantId,
      bankAccount: account,
    });
    return { merchant, approvalId: newId };
  });
}

/** Another time zone changes the day, which would give a second daily limit to use. */
function refuseOtherDay({ dailyLimitPaise }: PayoutPolicy): void {
  if (dailyLimitPaise === null) return;
  const problem =
    "defines the day of the daily limit, and can't change while that is on: switch the limit off " +
    "first, then change the time zone, and set the limit again.";
  throw validationError([{ field: "time_zone", code: "not_allowed", problem }]);
}

const ACCOUNT_MEMBERS = ["bankAccount", "ifsc", "bankHolder"] as const;

/** Sets the approved bank account of a merchant. */
export async function applyBankAccount(
  connection: Connection,
  merchantId: bigint,
  { accountNumber, ifsc, holder }: MerchantBankAccount,
): Promise<void> {
  const before = await requireMerchant(connection, merchantId, true);
  await writeChange(connection, before, { ...before, bankAccount: accountNumber, ifsc, bankHolder: holder });
}

/** Saves in a sandbox that a live merchant was opened for it. The caller has locked its row. */
export async function nameCounterpart(connection: Connection, sandbox: Merchant, live: Merchant): Promise<void> {
  await writeChange(connection, sandbox, { ...sandbox, counterpartId: live.merchantId });
}

/** The payout settings of a live merchant. */
export type PayoutSettings = Pick<Merchant, "payoutRails" | "whenDown" | "giveUpMinutes">;

/** Changes a live merchant's payout settings from now on. The caller has locked the merchant's row and book. */
export async function changePayoutSettings(
  connection: Connection,
  before: Merchant,
  changes: Partial<PayoutSettings>,
): Promise<void> {
  await writeChange(connection, before, { ...before, ...changes });
}

async function writeChange(connection: Connection, before: Merchant, after: Merchant): Promise<void> {
  const change = auditChange(before, after);
  const changed = Object.keys(change.after ?? {});
  if (changed.length === 0) return;
  await updateMerchant(connection, before, after);
  await noteMerchants(connection, [after], noticesOf(changed, after));
  await recordEvents(connection, after, [{ type: "merchant.changed", subjectId: after.merchantId, ...change }]);
}

const PROFILE_NAMES = new Set<string>(PROFILE_MEMBERS.map(({ name }) => name));

/** The installation's notices for a change of these members. */
function noticesOf(changed: readonly string[], { status }: Merchant): MerchantNoticeType[] {
  return [
    ...(changed.some((name) => PROFILE_NAMES.has(name)) ? (["profile_changed"] as const) : []),
    ...(changed.some((name) => name.startsWith("kyc")) ? (["kyc_changed"] as const) : []),
    ...(changed.includes("status") ? ([status === "suspended" ? "suspended" : "resumed"] as const) : []),
  ];
}
