// SQL of roles: those that every merchant starts with, and those of its own.
// What the built-in roles allow is in permission.ts, whatever is stored beside their names.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import type { MerchantKey } from "../merchant.ts";

/** Every merchant starts with these: docs/rules/franchises.md#franchise-login. */
const FIRST_ROLES = ["Franchise", "Manager", "Viewer"];

export type StoredRole = { readonly name: string; readonly permissions: readonly string[] };

type RoleRow = MerchantKey & { readonly roleName: string; readonly permissions: readonly string[] };
const ROLES = table<RoleRow, Omit<RoleRow, "permissions">>("role", ["bucket", "merchantId", "roleName"], {
  bucket: "smallint",
  merchantId: "bigint",
  roleName: "text",
  permissions: "text[]",
});

/** Gives new merchants the roles that every merchant starts with. */
export async function insertFirstRoles(connection: Connection, merchants: readonly MerchantKey[]): Promise<void> {
  await connection.query(
    `insert into role (bucket, merchant_id, role_name)
     select bucket, merchant_id, role_name
     from unnest($1::smallint[], $2::bigint[]) as merchant (bucket, merchant_id)
     cross join unnest($3::text[]) as role_name
     returning 1`,
    [merchants.map(({ bucket }) => bucket), merchants.map(({ merchantId }) => merchantId), FIRST_ROLES],
  );
}

/** Gives a new merchant the roles of another one, with what they allow. */
export async function copyRoles(connection: Connection, from: MerchantKey, to: MerchantKey): Promise<void> {
  for (const role of await listStoredRoles(connection, from)) await insertRole(connection, to, role);
}

/** The names of the merchant's roles, in alphabetical order. */
export async function listRoles(db: Queryable, merchant: MerchantKey): Promise<string[]> {
  return (await listStoredRoles(db, merchant)).map(({ name }) => name);
}

/** The merchant's roles with what is stored of them, in alphabetical order. */
export async function listStoredRoles(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<StoredRole[]> {
  const text = "select * from role where bucket = $1 and merchant_id = $2 order by role_name";
  const roles = await ROLES.select(db, text, [bucket, merchantId]);
  return roles.map(({ roleName: name, permissions }) => ({ name, permissions }));
}

/** Adds a role of the merchant's own. Returns false where it has one of that name. */
export function insertRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { name: roleName, permissions }: StoredRole,
): Promise<boolean> {
  return ROLES.insert(connection, { bucket, merchantId, roleName, permissions }, "on conflict do nothing");
}

/** Changes what a role allows. */
export async function updateRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { name: roleName, permissions }: StoredRole,
): Promise<void> {
  await ROLES.update(connection, { bucket, merchantId, roleName, permissions });
}

/** Removes a role. */
export async function deleteRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  roleName: string,
): Promise<void> {
  await ROLES.delete(connection, { bucket, merchantId, roleName });
}
