// Use cases on an existing franchise: change its contact, terms, bank account and login, or delete it.
// docs/rules/franchises.md#changing-and-deleting
import { auditChange, auditValues, recordEvents } from "../ledger/index.ts";
import {
  deleteLogin,
  releaseEmail,
  runIdempotently,
  type Answered,
  type Context,
  nowOf,
  requireMoneyMover,
  type Merchant,
  type ReadContext,
  findPolicy,
  findWaitingAccount,
  requestApproval,
  type AccountChange,
  type TransactionContext,
  type WriteContext,
  changeLogin,
  findLogin,
  listRoles,
  type Login,
} from "../merchants/index.ts";
import {
  type FranchiseContact,
  franchiseNotFound,
  type Franchise,
  type FranchiseKey,
  isPaidByItself,
  nextPayoutAfter,
  type FranchiseTerms,
  type AccountType,
  type FranchiseAccount,
} from "./franchise.ts";
import { markDeleted, writeChanges, findFranchise } from "./franchise-store.ts";
import { type Connection, inTransaction } from "../platform/database/pool.ts";
import { validationError, NodalError, type FieldError } from "../platform/errors.ts";
import { saveFranchiseAccount } from "../payouts/index.ts";
import { IdSource } from "../platform/database/ids.ts";
import { fail } from "../platform/http/field.ts";
import { hashPassword } from "../platform/password.ts";
import { addLogin, emailTaken, unknownRole } from "./save-franchise.ts";

type ChangeContext = Pick<Context, "pool" | "merchant" | "idempotency">;
export type ChangeFranchise = { readonly franchiseId: bigint; readonly changes: Partial<FranchiseContact> };

/**
 * Changes the given contact details.
 * @throws NodalError `franchise_not_found`
 */
export async function changeFranchise(
  { pool, merchant: { bucket, merchantId }, idempotency }: ChangeContext,
  { franchiseId, changes }: ChangeFranchise,
): Promise<Answered<unknown>> {
  const franchise = { bucket, merchantId, franchiseId };
  return runIdempotently(pool, franchise, idempotency, async (connection) => {
    const before = await holdFranchise(connection, franchise);
    await writeChanges(connection, franchise, Temporal.Now.instant(), changes);
    const changed = { type: "franchise.changed", subjectId: franchiseId };
    await recordEvents(connection, franchise, [{ ...changed, ...auditChange(before, { ...before, ...changes }) }]);
    return {};
  });
}

/**
 * Deletes a franchise: its login and automatic payouts end at once, and its code and login e-mail can be used again. Its history stays,
 * its invoices still earn it commission, and its balance can still be settled by hand.
 * @throws NodalError `franchise_not_found`, also if it was deleted before
 */
export async function deleteFranchise(
  { pool, merchant: { bucket, merchantId }, idempotency }: ChangeContext,
  franchiseId: bigint,
): Promise<Answered<unknown>> {
  const franchise = { bucket, merchantId, franchiseId };
  return runIdempotently(pool, franchise, idempotency, async (connection) => {
    const before = await holdFranchise(connection, franchise);
    await markDeleted(connection, franchise, Temporal.Now.instant());
    if (before.loginEmail !== null) {
      await releaseEmail(connection, before.loginEmail, franchise);
      await deleteLogin(connection, { bucket, merchantId, loginId: franchiseId });
    }
    const deleted = { type: "franchise.deleted", subjectId: franchiseId, before: auditValues(before) };
    await recordEvents(connection, franchise, [deleted]);
    return {};
  });
}

/**
 * Finds a franchise and locks it until the transaction ends.
 * @throws NodalError `franchise_not_found`, also for one that was deleted
 */
async function holdFranchise(connection: Connection, key: FranchiseKey): Promise<Franchise> {
  const franchise = await findFranchise(connection, key, true);
  if (!franchise || franchise.deletedAt !== null) throw franchiseNotFound();
  return franchise;
}

export type ChangeTerms = { readonly franchiseId: bigint; readonly terms: FranchiseTerms };

/**
 * Changes the terms of a franchise. Earned commission stays, and an invoice that has earned commission keeps its earlier terms. If
 * automatic payouts begin, the first one is on the merchant's next day.
 * @throws NodalError `franchise_not_found`, `validation_failed` for online settlement without a whole bank account, or
 * `access_denied` for a user without permission to move money
 */
export async function changeTerms(
  { pool, merchant }: ReadContext<Merchant>,
  { franchiseId, terms }: ChangeTerms,
): Promise<void> {
  const { bucket, merchantId, timeZone } = merchant;
  const key = { bucket, merchantId, franchiseId };
  await inTransaction(pool, async (connection) => {
    await requireMoneyMover(connection);
    const before = await holdFranchise(connection, key);
    const isAccountWhole = Object.values(before.account).every((text) => text !== "");
    if (terms.onlineSettlement && !before.onlineSettlement && !isAccountWhole) {
      const field = "enable_online_settlement";
      const problem = "needs the franchise's bank account: enter its holder, bank and type first.";
      throw validationError([{ field, code: "not_allowed", problem }]);
    }
    const begins = isPaidByItself(terms) && !isPaidByItself(before);
    const nextPayoutAt = begins ? nextPayoutAfter(nowOf(merchant), timeZone) : before.nextPayoutAt;
    const change = auditChange(before, { ...before, ...terms });
    if (Object.keys(change.after ?? {}).length === 0) return;
    await writeChanges(connection, key, Temporal.Now.instant(), { ...terms, nextPayoutAt });
    await recordEvents(connection, key, [{ type: "franchise.changed", subjectId: franchiseId, ...change }]);
  });
}

export const ACCOUNT_CHANGE = "franchise_account_change";

export type ChangeAccount = { readonly franchiseId: bigint; readonly account: FranchiseAccount };

/**
 * Changes the bank account for a franchise's commission, or requests approval if the merchant's policy requires it; the earlier account
 * then stays until somebody has approved. Payouts that are on their way keep their account. Returns the id of the approval; `null` if the
 * account has changed at once. Repeating a request for the same account makes no second approval.
 * @throws NodalError `franchise_not_found`, or `access_denied` for somebody who may not move money
 */
export async function changeAccount(
  { pool, ids, merchant: { bucket, merchantId } }: WriteContext,
  { franchiseId, account }: ChangeAccount,
): Promise<bigint | null> {
  const key = { bucket, merchantId, franchiseId };
  const newId = await ids.next();
  return inTransaction(pool, async (connection) => {
    await requireMoneyMover(connection);
    const before = await holdFranchise(connection, key);
    const names = Object.keys(account) as (keyof FranchiseAccount)[];
    if (names.every((name) => account[name] === before.account[name])) return null;
    const policy = await findPolicy(connection, key);
    if (!policy.approvePayees) {
      await writeAccount(connection, before, account, newId);
      return null;
    }
    const { holderName: holder, ...rest } = account;
    const bankAccount: AccountChange = { holder, ...rest };
    const waiting = await findWaitingAccount(
      connection,
      { bucket, merchantId },
      ACCOUNT_CHANGE,
      franchiseId,
      bankAccount,
    );
    if (waiting !== null) return waiting;
    await requestApproval(connection, policy, {
      bucket,
      merchantId,
      approvalId: newId,
      kind: ACCOUNT_CHANGE,
      subjectId: franchiseId,
      bankAccount,
    });
    return newId;
  });
}

type ApplyFranchiseAccount = { readonly franchiseId: bigint; readonly account: AccountChange };

/**
 * Sets the approved bank account of a franchise.
 * @throws NodalError `franchise_not_found`, also for one that was deleted meanwhile
 */
export async function applyFranchiseAccount(
  { connection, merchant: { bucket, merchantId } }: Pick<TransactionContext, "connection" | "merchant">,
  { franchiseId, account: approved }: ApplyFranchiseAccount,
): Promise<void> {
  const before = await holdFranchise(connection, { bucket, merchantId, franchiseId });
  const { accountNumber, ifsc, holder, bankName = "", accountType = "" } = approved;
  const newId = await new IdSource(connection).next();
  // The approval was for a franchise's account, so its account type is valid.
  const account = { holderName: holder, accountNumber, ifsc, bankName, accountType: accountType as AccountType };
  await writeAccount(connection, before, account, newId);
}

async function writeAccount(
  connection: Connection,
  before: Franchise,
  account: FranchiseAccount,
  newBeneficiaryId: bigint,
): Promise<void> {
  const { bucket, merchantId, franchiseId } = before;
  const { accountNumber, ifsc } = account;
  const name = account.holderName || before.name;
  const payee = { beneficiaryId: newBeneficiaryId, name, contact: before, accountNumber, ifsc, isApproved: true };
  const beneficiaryId = await saveFranchiseAccount({ connection, merchant: { bucket, merchantId } }, payee);
  const after: Franchise = { ...before, account, beneficiaryId };
  await writeChanges(connection, before, Temporal.Now.instant(), { account, beneficiaryId });
  const change = auditChange(before, after);
  await recordEvents(connection, before, [{ type: "franchise.changed", subjectId: franchiseId, ...change }]);
}

/** The new login of a franchise; a `password` of `null` stays unchanged. */
export type EnableLogin = {
  readonly franchiseId: bigint;
  readonly email: string;
  readonly password: string | null;
  readonly roleName: string;
};

/**
 * Enables or changes a franchise's login. A new address or password signs it out.
 * @throws NodalError `franchise_not_found`, or `validation_failed` for an unknown role, an address in use, or a first login without a
 * password
 */
export async function enableLogin(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  { franchiseId, ...draft }: EnableLogin,
): Promise<void> {
  const key = { bucket, merchantId, franchiseId };
  const passwordHash = draft.password === null ? null : await hashPassword(draft.password, `merchant ${merchantId}`);
  await inTransaction(pool, async (connection) => {
    const before = await holdFranchise(connection, key);
    await checkDraft(connection, before, draft);
    const { email, roleName } = draft;
    const after: Franchise = { ...before, loginEmail: email, roleName };
    await writeChanges(connection, key, Temporal.Now.instant(), { loginEmail: email, roleName });
    if (before.loginEmail === null) await addLogin(connection, after, { email, roleName }, passwordHash!);
    else {
      const changes = { email, roleName, disabled: false, ...(passwordHash === null ? {} : { passwordHash }) };
      await changeLogin(connection, await requireLogin(connection, key), changes).catch(nameField);
    }
    const change = auditChange(before, after);
    if (Object.keys(change.after ?? {}).length === 0) return;
    await recordEvents(connection, key, [{ type: "franchise.changed", subjectId: franchiseId, ...change }]);
  });
}

/**
 * Disables a franchise's login, and signs it out. It keeps its address, and can be enabled again.
 * @throws NodalError `franchise_not_found`
 */
export async function disableLogin(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  franchiseId: bigint,
): Promise<void> {
  const key = { bucket, merchantId, franchiseId };
  await inTransaction(pool, async (connection) => {
    const { loginEmail } = await holdFranchise(connection, key);
    if (loginEmail === null) return;
    await changeLogin(connection, await requireLogin(connection, key), { disabled: true });
  });
}

async function checkDraft(
  connection: Connection,
  franchise: Franchise,
  { password, roleName }: Pick<EnableLogin, "password" | "roleName">,
): Promise<void> {
  const errors: FieldError[] = [];
  const roles = await listRoles(connection, franchise);
  if (!roles.includes(roleName)) errors.push(unknownRole(roles));
  if (franchise.loginEmail === null && password === null) {
    fail(errors, "password", "required", "is required for a franchise login.");
  }
  if (errors.length > 0) throw validationError(errors);
}

/** The login of a franchise has the franchise's id. */
async function requireLogin(connection: Connection, { franchiseId: loginId, ...key }: FranchiseKey): Promise<Login> {
  return (await findLogin(connection, { ...key, loginId }, true))!;
}

/** The address is `login_email` here. */
function nameField(error: unknown): never {
  if (error instanceof NodalError && error.code === "email_taken") throw validationError([emailTaken()]);
  throw error;
}
