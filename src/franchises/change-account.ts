// One use case: a franchise's commission goes to another bank account. A second person may have to agree first.
// What belongs here: what is kept, and what waits. When an account counts as agreed to is for the approvals to say.
import { auditChange, recordEvents } from "../ledger/index.ts";
import {
  findPolicy,
  findWaitingAccount,
  requestApproval,
  requireMoneyMover,
  type AccountChange,
} from "../merchants/index.ts";
import { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import type { AccountType, Franchise, FranchiseAccount, FranchiseKey } from "./franchise.ts";
import { updateAccount } from "./franchise-store.ts";
import { holdFranchise } from "./hold-franchise.ts";
import type { SaveFranchiseParts, SavePayee } from "./save-franchise.ts";

/** The kind of approval that a change waits for. */
export const ACCOUNT_CHANGE = "franchise_account_change";

/**
 * Changes the bank account that a franchise's commission goes to, or asks for the approval of it where the merchant's
 * policy says so: then the earlier account stays until somebody has approved. What is on its way to the bank stays on it.
 * Answers the id of the approval; `null` where the account is in force. The same account is asked for once.
 * @throws NodalError `franchise_not_found`, or `access_denied` for somebody who may not move money
 */
export async function changeAccount(
  { pool, ids, savePayee }: SaveFranchiseParts,
  key: FranchiseKey,
  account: FranchiseAccount,
): Promise<bigint | null> {
  const newId = await ids.next();
  return inTransaction(pool, async (connection) => {
    await requireMoneyMover(connection);
    const before = await holdFranchise(connection, key);
    const names = Object.keys(account) as (keyof FranchiseAccount)[];
    if (names.every((name) => account[name] === before.account[name])) return null;
    const policy = await findPolicy(connection, key);
    if (!policy.approvePayees) {
      await writeAccount(connection, before, account, newId, savePayee);
      return null;
    }
    const { holderName: holder, ...rest } = account;
    const bankAccount: AccountChange = { holder, ...rest };
    const { bucket, merchantId, franchiseId: subjectId } = key;
    const waiting = await findWaitingAccount(
      connection,
      { bucket, merchantId },
      ACCOUNT_CHANGE,
      subjectId,
      bankAccount,
    );
    if (waiting !== null) return waiting;
    await requestApproval(connection, policy, {
      bucket,
      merchantId,
      approvalId: newId,
      kind: ACCOUNT_CHANGE,
      subjectId,
      bankAccount,
    });
    return newId;
  });
}

/**
 * Gives a franchise the bank account that was approved.
 * @throws NodalError `franchise_not_found`, also for one that was deleted meanwhile
 */
export async function applyFranchiseAccount(
  connection: Connection,
  key: FranchiseKey,
  { accountNumber, ifsc, holder, bankName = "", accountType = "" }: AccountChange,
  savePayee: SavePayee,
): Promise<void> {
  const before = await holdFranchise(connection, key);
  const newId = await new IdSource(connection).next();
  // What waited was the account of a franchise, so its kind is one of theirs.
  const account = { holderName: holder, accountNumber, ifsc, bankName, accountType: accountType as AccountType };
  await writeAccount(connection, before, account, newId, savePayee);
}

async function writeAccount(
  connection: Connection,
  before: Franchise,
  account: FranchiseAccount,
  newBeneficiaryId: bigint,
  savePayee: SavePayee,
): Promise<void> {
  const { bucket, merchantId, franchiseId } = before;
  const { accountNumber, ifsc } = account;
  const name = account.holderName || before.name;
  const payee = { bucket, merchantId, beneficiaryId: newBeneficiaryId, name, contact: before, accountNumber, ifsc };
  const beneficiaryId = await savePayee(connection, { ...payee, isApproved: true });
  const after: Franchise = { ...before, account, beneficiaryId };
  await updateAccount(connection, after, Temporal.Now.instant());
  const change = auditChange(before, after);
  await recordEvents(connection, before, [{ type: "franchise.changed", subjectId: franchiseId, ...change }]);
}
