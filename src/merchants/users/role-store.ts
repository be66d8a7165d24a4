// SQL of roles: those that every merchant starts with, and those of its own.
// What the built-in roles allow is in permission.ts, whatever is stored beside their names.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import type { MerchantKey } from "../merchant.ts";

/** Every merchant starts with these. Source: decisions.md, "Franchises". */
const FIRST_ROLES = ["Franchise", "Manager", "Viewer"];

export type StoredRole = { readonly name: string; readonly permissions: readonly string[] };

/** Gives new merchants the roles that every merchant starts with. */
export async function insertFirstRoles(connection: Connection, merchants: readonly MerchantKey[]): Promise<void> {
  await connection.query(
    `insert into role (bucket, merchant_id, role_name)
     select bucket, merchant_id, role_name
     from unnest($1::smallint[], $2::bigint[]) as merchant (bucket, merchant_id)
     cross join unnest($3::text[]) as role_name`,
    [merchants.map(({ bucket }) => bucket), merchants.map(({ merchantId }) => merchantId), FIRST_ROLES],
  );
}

/** The names of the merchant's roles, in alphabetical order. */
export async function listRoles(db: Queryable, merchant: MerchantKey): Promise<string[]> {
  return (await listStoredRoles(db, merchant)).map(({ name }) => name);
}

/** The merchant's roles with what is stored of them, in alphabetical order. */
export async function listStoredRoles(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<StoredRole[]> {
  const { rows } = await db.query<{ role_name: string; permissions: string[] }>(
    "select role_name, permissions from role where bucket = $1 and merchant_id = $2 order by role_name",
    [bucket, merchantId],
  );
  return rows.map((row) => ({ name: row.role_name, permissions: row.permissions }));
}

/** Adds a role of the merchant's own. Answers false where it has one of that name. */
export async function insertRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { name, permissions }: StoredRole,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into role (bucket, merchant_id, role_name, permissions) values ($1, $2, $3, $4) on conflict do nothing`,
    [bucket, merchantId, name, permissions],
  );
  return rowCount === 1;
}

/** Changes what a role allows. */
export async function updateRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { name, permissions }: StoredRole,
): Promise<void> {
  await connection.query("update role set permissions = $4 where bucket = $1 and merchant_id = $2 and role_name = $3", [
    bucket,
    merchantId,
    name,
    permissions,
  ]);
}

/** Removes a role. */
export async function deleteRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  name: string,
): Promise<void> {
  await connection.query("delete from role where bucket = $1 and merchant_id = $2 and role_name = $3", [
    bucket,
    merchantId,
    name,
  ]);
}
