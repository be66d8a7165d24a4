// Use cases on a merchant's own roles: list, create, change, remove. permission.ts has the built-in ones.
import { inTransaction, type Connection, type Queryable } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import type { MerchantKey } from "../merchant.ts";
import { lockMerchant } from "../merchant-store.ts";
import { recordRole } from "./login-events.ts";
import { countByRole, findLogin } from "./login-store.ts";
import type { Manager, ManagerContext } from "./manage-users.ts";
import { BUILT_IN_ROLES, mayGrant, type MerchantPermission } from "./permission.ts";
import {
  deleteRole,
  insertRole,
  listStoredRoles,
  requireProvedRole,
  updateRole,
  type StoredRole,
} from "./role-store.ts";

/** Enough for any business, and few enough for a single list. */
const MAX_ROLES = 100;

export type Role = StoredRole & { readonly isBuiltIn: boolean; readonly logins: number };
export type RoleDraft = { readonly name: string; readonly permissions: readonly MerchantPermission[] };

/** All roles of a merchant: the built-in ones, then its own, each with its number of logins. */
export async function readRoles(db: Queryable, merchant: MerchantKey): Promise<Role[]> {
  const counts = await countByRole(db, merchant);
  const own = (await listStoredRoles(db, merchant)).filter(({ name }) => !BUILT_IN_ROLES.has(name));
  const builtIn = [...BUILT_IN_ROLES].map(([name, permissions]) => ({ name, permissions }));
  return [
    ...builtIn.map((role) => ({ ...role, isBuiltIn: true, logins: counts.get(role.name) ?? 0 })),
    ...own.map((role) => ({ ...role, isBuiltIn: false, logins: counts.get(role.name) ?? 0 })),
  ];
}

/**
 * Adds a merchant's own role.
 * @throws NodalError `role_exists`, `access_denied` for permissions beyond the manager's, `limit_exceeded` at 100 roles
 */
export async function createRole({ pool, merchant, by }: ManagerContext, role: RoleDraft): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await lockMerchant(connection, merchant);
    checkGrant(role.permissions, by);
    const stored = await listStoredRoles(connection, merchant);
    if (stored.length >= MAX_ROLES) {
      throw new NodalError("limit_exceeded", `A merchant can have at most ${MAX_ROLES} roles: remove or change one.`);
    }
    const names = [...BUILT_IN_ROLES.keys(), ...stored.map(({ name }) => name)];
    // Names that differ only in case are easily confused.
    const isTaken = names.some((name) => foldName(name) === foldName(role.name));
    if (isTaken || !(await insertRole(connection, merchant, role))) {
      throw new NodalError(
        "role_exists",
        "A role with this name already exists: choose another name, or change that role.",
      );
    }
    await recordRole(connection, merchant, "created", null, role);
  });
}

/**
 * Changes the permissions of a merchant's own role, effective from the next request of each user with it.
 * @throws NodalError `role_not_found`, `access_denied`
 */
export async function changeRole({ pool, merchant, by }: ManagerContext, role: RoleDraft): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const earlier = await lockRole(connection, merchant, role.name, by);
    checkGrant(role.permissions, by);
    await updateRole(connection, merchant, role);
    await recordRole(connection, merchant, "changed", earlier, role);
  });
}

/**
 * Removes a merchant's own role.
 * @throws NodalError `role_not_found`, `access_denied`, or `role_in_use` while a login has it
 */
export async function removeRole({ pool, merchant, by }: ManagerContext, name: string): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const earlier = await lockRole(connection, merchant, name, by);
    const logins = (await countByRole(connection, merchant)).get(name) ?? 0;
    if (logins > 0) {
      throw new NodalError("role_in_use", `${logins} logins have this role: give them another role first.`);
    }
    await deleteRole(connection, merchant, name);
    await recordRole(connection, merchant, "removed", earlier, null);
  });
}

/** Locks the merchant's roles, and finds the one to change. */
async function lockRole(connection: Connection, merchant: MerchantKey, name: string, by: Manager): Promise<StoredRole> {
  await lockMerchant(connection, merchant);
  const role = (await listStoredRoles(connection, merchant)).find((stored) => stored.name === name);
  if (BUILT_IN_ROLES.has(name)) {
    throw new NodalError("access_denied", "This role is built in and can't be changed: create your own role instead.");
  }
  if (!role) throw new NodalError("role_not_found", "This role does not exist: use a name from the list of roles.");
  if (by) requireProvedRole(role);
  checkGrant(role.permissions, by);
  const { bucket, merchantId } = merchant;
  const loginId = by?.loginId ?? null;
  const manager = loginId === null ? null : await findLogin(connection, { bucket, merchantId, loginId });
  if (manager?.roleName === name) {
    throw new NodalError("access_denied", "You can't change your own role: ask a user with another role.");
  }
  return role;
}

/**
 * Refuses to grant permissions that the manager lacks.
 * @throws NodalError `access_denied`
 */
export function checkGrant(permissions: readonly string[], by: Manager): void {
  if (!by || mayGrant(by.permissions, permissions)) return;
  const beyond = permissions.filter((name) => !mayGrant(by.permissions, [name]));
  throw new NodalError("access_denied", `You can only grant permissions you have, and you lack: ${beyond.join(", ")}.`);
}

function foldName(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
