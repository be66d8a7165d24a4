// One use case: whether a franchise signs in, and with which address, password and role.
// What belongs here: what a franchise's login needs. What follows from a change is merchants/users/change-login.ts.
import { auditChange, recordEvents } from "../ledger/index.ts";
import { changeLogin, findLogin, listRoles, type Login } from "../merchants/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { hashPassword } from "../platform/password.ts";
import type { Franchise, FranchiseKey } from "./franchise.ts";
import { updateLoginOf } from "./franchise-store.ts";
import { holdFranchise } from "./hold-franchise.ts";
import { addLogin, emailTaken, unknownRole } from "./save-franchise.ts";

/** What a franchise signs in with from now on; `password` is `null` where it stays. */
export type FranchiseLoginDraft = {
  readonly email: string;
  readonly password: string | null;
  readonly roleName: string;
};

/**
 * Lets a franchise sign in, or in another way. Whoever gets another address or password is signed out.
 * @throws NodalError `franchise_not_found`, or `validation_failed` for a role that there is not, an address that somebody
 * has, or a first login without a password
 */
export async function enableLogin(pool: Pool, key: FranchiseKey, draft: FranchiseLoginDraft): Promise<void> {
  const passwordHash =
    draft.password === null ? null : await hashPassword(draft.password, `merchant ${key.merchantId}`);
  await inTransaction(pool, async (connection) => {
    const before = await holdFranchise(connection, key);
    await checkDraft(connection, before, draft);
    const { email, roleName } = draft;
    const after: Franchise = { ...before, loginEmail: email, roleName };
    await updateLoginOf(connection, after, Temporal.Now.instant());
    if (before.loginEmail === null) await addLogin(connection, after, { email, roleName }, passwordHash!);
    else {
      const changes = { email, roleName, disabled: false, ...(passwordHash === null ? {} : { passwordHash }) };
      await changeLogin(connection, await requireLogin(connection, key), changes).catch(nameField);
    }
    const change = auditChange(before, after);
    if (Object.keys(change.after ?? {}).length === 0) return;
    await recordEvents(connection, key, [{ type: "franchise.changed", subjectId: key.franchiseId, ...change }]);
  });
}

/**
 * Lets a franchise sign in no more, and signs it out. Its address stays its own, and it can be enabled again.
 * @throws NodalError `franchise_not_found`
 */
export async function disableLogin(pool: Pool, key: FranchiseKey): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const { loginEmail } = await holdFranchise(connection, key);
    if (loginEmail === null) return;
    await changeLogin(connection, await requireLogin(connection, key), { disabled: true });
  });
}

async function checkDraft(
  connection: Connection,
  franchise: Franchise,
  { password, roleName }: FranchiseLoginDraft,
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
