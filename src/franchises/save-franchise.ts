// Use case: saves a franchise with its accounts, its beneficiary and its login.
import { auditValues, recordEvents } from "../ledger/index.ts";
import {
  insertLogin,
  isEmailTaken,
  listRoles,
  nowOf,
  requireMoneyMover,
  runIdempotently,
  takeEmail,
  type Answered,
  type Context,
  type Merchant,
  type MerchantKey,
} from "../merchants/index.ts";
import { saveFranchiseAccount } from "../payouts/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import { hashPassword } from "../platform/password.ts";
import { openCommission } from "./commission-hold-store.ts";
import {
  nextPayoutAfter,
  type Franchise,
  type FranchiseAccount,
  type FranchiseTerms,
  type FranchiseContact,
} from "./franchise.ts";
import { insertFranchise } from "./franchise-store.ts";

export type FranchiseLogin = { readonly email: string; readonly password: string; readonly roleName: string };

/** A franchise to save. */
export type FranchiseDraft = {
  readonly code: string;
  readonly contact: FranchiseContact;
  readonly terms: FranchiseTerms;
  readonly account: FranchiseAccount;
  readonly login: FranchiseLogin | null;
};

/**
 * Adds the errors of a login that depend on the merchant's roles and other logins:
 * docs/rules/franchises.md#franchise-login.
 */
export async function checkLogin(
  db: Queryable,
  merchant: MerchantKey,
  login: { readonly email: string | null; readonly roleName: string | null },
  errors: FieldError[],
): Promise<void> {
  if (login.roleName) {
    const roles = await listRoles(db, merchant);
    if (!roles.includes(login.roleName)) errors.push(unknownRole(roles));
  }
  // For a valid request, the address is checked when it is saved, where a repeated request finds its own. A request that is refused
  // anyway gets all errors at once.
  if (errors.length > 0 && login.email && (await isEmailTaken(db, login.email, merchant))) errors.push(emailTaken());
}

/**
 * Saves a franchise and returns its id.
 * @throws NodalError `franchise_code_exists`, `validation_failed` for a login e-mail of another login, or
 * `access_denied` for somebody who may not move money: a franchise has terms and an account from the beginning
 */
export async function saveFranchise(
  { pool, ids, merchant, idempotency }: Context<Merchant>,
  draft: FranchiseDraft,
): Promise<Answered<{ franchiseId: string }>> {
  const { merchantId } = merchant;
  const franchiseId = await ids.next();
  const newBeneficiaryId = await ids.next();
  const passwordHash = draft.login && (await hashPassword(draft.login.password, `merchant ${merchantId}`));
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    await requireMoneyMover(connection);
    const franchise = newFranchise(merchant, franchiseId, draft, await savePayeeOf(connection));
    if (!(await insertFranchise(connection, franchise))) {
      throw new NodalError(
        "franchise_code_exists",
        "A franchise with this franchise_code already exists: use another code, or update that franchise.",
      );
    }
    if (draft.login) await addLogin(connection, franchise, draft.login, passwordHash!);
    await openCommission(connection, franchise);
    const created = { type: "franchise.created", subjectId: franchiseId, after: auditValues(franchise) };
    await recordEvents(connection, merchant, [created]);
    return { franchiseId: String(franchiseId) };
  });

  async function savePayeeOf(connection: Connection): Promise<bigint | null> {
    const { holderName, accountNumber, ifsc } = draft.account;
    if (accountNumber === "") return null;
    const name = holderName || draft.contact.name;
    const account = { name, contact: draft.contact, accountNumber, ifsc, isApproved: false };
    return saveFranchiseAccount({ connection, merchant }, { beneficiaryId: newBeneficiaryId, ...account });
  }
}

/**
 * Adds the login of a franchise, which has the franchise's id. Somebody else chose its password, so it has to be changed at the first
 * sign-in.
 * @throws NodalError `validation_failed` for an address that another login of the merchant has
 */
export async function addLogin(
  connection: Connection,
  { bucket, merchantId, franchiseId, contactPersonName }: Franchise,
  { email, roleName }: Pick<FranchiseLogin, "email" | "roleName">,
  passwordHash: string,
): Promise<void> {
  const login = { bucket, merchantId, loginId: franchiseId, kind: "franchise" as const, email, roleName };
  if (!(await takeEmail(connection, email, login))) throw validationError([emailTaken()]);
  await insertLogin(connection, { ...login, name: contactPersonName, passwordHash, mustChangePassword: true });
}

function newFranchise(
  merchant: Merchant,
  franchiseId: bigint,
  draft: FranchiseDraft,
  beneficiaryId: bigint | null,
): Franchise {
  const { bucket, merchantId, timeZone } = merchant;
  return {
    bucket,
    merchantId,
    franchiseId,
    code: draft.code,
    ...draft.contact,
    ...draft.terms,
    account: draft.account,
    beneficiaryId,
    loginEmail: draft.login?.email ?? null,
    roleName: draft.login?.roleName ?? null,
    nextPayoutAt: nextPayoutAfter(nowOf(merchant), timeZone),
    createdAt: Temporal.Now.instant(),
    deletedAt: null,
  };
}

/** The error for a role that the merchant does not have. */
export function unknownRole(roles: readonly string[]): FieldError {
  const problem = `must be one of the merchant's roles: ${roles.join(", ")}.`;
  return { field: "role_name", code: "not_allowed", problem };
}

/** The error for an address that another login of the merchant has. */
export function emailTaken(): FieldError {
  return {
    field: "login_email",
    code: "not_allowed",
    problem: "is already another user's: use another address.",
  };
}
