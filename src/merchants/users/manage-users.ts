// Use cases on other people's logins: create, change, reset a password, remove a second factor. The command line can do everything;
// all others are limited to their own permissions.
import type { IdSource } from "../../platform/database/ids.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { NodalError, validationError } from "../../platform/errors.ts";
import { hashPassword } from "../../platform/password.ts";
import type { MerchantKey } from "../merchant.ts";
import { lockMerchant } from "../merchant-store.ts";
import type { Context, ReadContext } from "../use-case.ts";
import { auditValues } from "../../ledger/index.ts";
import { changeLogin, signOut, type LoginChanges } from "./change-login.ts";
import { auditedLogin, recordLogin } from "./login-events.ts";
import { findLogin, insertLogin, listLogins, removeTotp, updatePassword } from "./login-store.ts";
import { emailTaken, lastOwner, loginChanged, userNotFound, type Login, type LoginKey } from "./login.ts";
import { makePassword } from "./password-rule.ts";
import { BUILT_IN_ROLES, mayGrant, OWNER, permissionsOf, type Permission } from "./permission.ts";
import { replaceRecoveryCodes } from "./recovery-store.ts";
import { listStoredRoles, requireProvedRole, type StoredRole } from "./role-store.ts";
import { takeEmail } from "./sign-in-store.ts";

/** The manager of users, roles and keys: a person, a program with an access key, or `null` for the command line. */
export type Manager = {
  /** `null` for a program. */
  readonly loginId: bigint | null;
  readonly permissions: ReadonlySet<Permission>;
  /** A program's key, which can't create a key with wider terms. `null` for people, and for operators' programs. */
  readonly key?: { readonly expiresAt: Temporal.Instant | null; readonly addresses: readonly string[] } | null;
} | null;

/** A call by a manager of the users and roles of a merchant, or of the operators. */
export type ManagerContext = ReadContext & { readonly by: Manager };

/** Enough for any business, including former staff, and few enough for a single list. */
const MAX_USERS = 1000;

/** The kind of login: a merchant's user, or an operator. */
export type ManagedKind = "user" | "operator";

export type ManagedUser = { readonly kind: ManagedKind; readonly loginId: bigint };

export type UserDraft = Pick<Login, "kind" | "email" | "name" | "roleName">;
/** A user and its password, which can't be read again. */
export type CreatedUser = { readonly loginId: bigint; readonly password: string };
export type UserChanges = Omit<LoginChanges, "passwordHash">;

/** A login ready to insert, with a password that has to be changed at the first sign-in. */
export type PreparedUser = UserDraft & CreatedUser & { readonly passwordHash: string };

/**
 * Generates id and password of a new login, before the transaction that inserts it.
 * @param whose the requester, for fair queueing: see `hashPassword`
 */
export async function prepareUser(ids: IdSource, draft: UserDraft, whose: string): Promise<PreparedUser> {
  const password = makePassword();
  return { ...draft, password, loginId: await ids.next(), passwordHash: await hashPassword(password, whose) };
}

/**
 * Inserts a prepared login.
 * @param isAlone whether its address signs in without naming the merchant: see `takeEmail`
 * @throws NodalError `email_taken`
 */
export async function insertUser(
  connection: Connection,
  owner: MerchantKey,
  user: PreparedUser,
  isAlone: boolean,
): Promise<void> {
  const { bucket, merchantId } = owner;
  const { password: _, ...login } = user;
  const inserted = { ...login, bucket, merchantId, mustChangePassword: true };
  if (!(await takeEmail(connection, user.email, inserted, isAlone))) throw emailTaken();
  await insertLogin(connection, inserted);
  const after = auditValues(auditedLogin({ ...user, disabledAt: null }));
  await recordLogin(connection, inserted, "created", { after });
}

/**
 * Creates a user of a merchant, or an operator.
 * @throws NodalError `email_taken`, `access_denied` for a role beyond the manager's own, `validation_failed` for an unknown role,
 * `limit_exceeded` at 1000 users
 */
export async function createUser(
  { pool, ids, merchant: owner, by }: ManagerContext & Pick<Context, "ids">,
  draft: UserDraft,
): Promise<CreatedUser> {
  const user = await prepareUser(ids, draft, `merchant ${owner.merchantId}`);
  await inTransaction(pool, async (connection) => {
    await lockMerchant(connection, owner);
    if (draft.kind === "user") await checkRole(connection, owner, draft.roleName, by);
    if ((await listLogins(connection, owner, draft.kind)).length >= MAX_USERS) {
      throw new NodalError(
        "limit_exceeded",
        `A merchant can have at most ${MAX_USERS} logins: enable a disabled one instead.`,
      );
    }
    // A user created by a command signs in by its address alone; one created by a merchant does not, because that would reveal
    // other merchants' logins.
    await insertUser(connection, owner, user, by === null);
  });
  return { loginId: user.loginId, password: user.password };
}

/**
 * Changes name, address or role of a user, or whether it may sign in. A new role applies from the next request on; a user who is
 * disabled, or gets another address, is signed out.
 * @throws NodalError `user_not_found`, `access_denied`, `email_taken`, `last_owner`, `validation_failed` for an unknown role
 */
export async function changeUser(
  { pool, merchant, by }: ManagerContext,
  { kind, loginId, changes }: ManagedUser & { readonly changes: UserChanges },
): Promise<Login> {
  return inTransaction(pool, async (connection) => {
    const earlier = await lockUser(connection, keyOf(merchant, { kind, loginId }), by);
    const isOwn = by?.loginId === loginId;
    const { email = earlier.email, roleName = earlier.roleName } = changes;
    if (isOwn && (roleName !== earlier.roleName || changes.disabled)) {
      throw new NodalError("access_denied", "You can't change your own role or access: ask another user.");
    }
    if (isOwn && email !== earlier.email) {
      throw new NodalError("access_denied", "Change your own e-mail in your security settings.");
    }
    if (roleName !== earlier.roleName) await checkRole(connection, merchant, roleName, by);
    const staysOwner = roleName === OWNER && !changes.disabled;
    if (isActiveOwner(earlier) && !staysOwner) await requireAnotherOwner(connection, earlier);
    return changeLogin(connection, earlier, changes);
  });
}

/**
 * Resets a user's password, to be changed at the next sign-in, and signs the user out everywhere. Returns the password, which can't
 * be read again.
 * @throws NodalError `user_not_found`, `access_denied`
 */
export async function resetUserPassword({ pool, merchant, by }: ManagerContext, managed: ManagedUser): Promise<string> {
  const user = keyOf(merchant, managed);
  const password = makePassword();
  const passwordHash = await hashPassword(password, `merchant ${user.merchantId}`);
  await inTransaction(pool, async (connection) => {
    await lockUser(connection, user, by);
    await updatePassword(connection, user, passwordHash, true);
    await signOut(connection, user);
    await recordLogin(connection, user, "password_reset");
  });
  return password;
}

/**
 * Removes a user's second factor, after a lost phone, and signs the user out everywhere.
 * @throws NodalError `user_not_found`, `access_denied`
 */
export async function resetSecondFactor({ pool, merchant, by }: ManagerContext, managed: ManagedUser): Promise<void> {
  const user = keyOf(merchant, managed);
  await inTransaction(pool, async (connection) => {
    await lockUser(connection, user, by);
    await removeTotp(connection, user);
    await replaceRecoveryCodes(connection, user, []);
    await signOut(connection, user);
    await recordLogin(connection, user, "second_factor_reset");
  });
}

function keyOf({ bucket, merchantId }: MerchantKey, { kind, loginId }: ManagedUser): LoginKey & ManagedUser {
  return { bucket, merchantId, loginId, kind };
}

/** Finds and locks the user, and refuses an actor with fewer permissions. Changes of one merchant's users take turns. */
async function lockUser(connection: Connection, user: LoginKey & ManagedUser, by: Manager): Promise<Login> {
  await lockMerchant(connection, user);
  const login = await findLogin(connection, user, true);
  if (login?.kind !== user.kind) throw userNotFound();
  if (by && login.isChanged) throw loginChanged();
  if (by && !mayGrant(by.permissions, permissionsOf(login.kind, login.roleName, await ownRole(connection, login)))) {
    throw new NodalError("access_denied", "This user has permissions that you lack: ask a user who has them.");
  }
  return login;
}

async function checkRole(connection: Connection, owner: MerchantKey, roleName: string, by: Manager): Promise<void> {
  const own = await listStoredRoles(connection, owner);
  const names = [...new Set([...BUILT_IN_ROLES.keys(), ...own.map(({ name }) => name)])].filter(
    (name) => name !== "Franchise",
  );
  if (!names.includes(roleName)) {
    const problem = `must be one of the merchant's roles: ${names.join(", ")}.`;
    throw validationError([{ field: "role", code: "not_allowed", problem }]);
  }
  if (by && !mayGrant(by.permissions, permissionsOf("user", roleName, allowedBy(own, roleName)))) {
    throw new NodalError("access_denied", "This role has permissions that you lack: ask a user who has them.");
  }
}

async function ownRole(connection: Connection, { roleName, ...login }: Login): Promise<readonly string[]> {
  return allowedBy(await listStoredRoles(connection, login), roleName);
}

/** The permissions of the merchant's own role. @throws NodalError `access_denied` if it was changed with SQL */
function allowedBy(roles: readonly StoredRole[], roleName: string): readonly string[] {
  const role = BUILT_IN_ROLES.has(roleName) ? undefined : roles.find(({ name }) => name === roleName);
  return role ? requireProvedRole(role).permissions : [];
}

export function isActiveOwner({ kind, roleName, disabledAt }: Login): boolean {
  return kind === "user" && roleName === OWNER && disabledAt === null;
}

async function requireAnotherOwner(connection: Connection, owner: Login): Promise<void> {
  const users = await listLogins(connection, owner, "user");
  if (!users.some((user) => user.loginId !== owner.loginId && isActiveOwner(user))) throw lastOwner();
}
