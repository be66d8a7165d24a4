// SQL of roles: what a merchant's users and franchises may be.
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { MerchantKey } from "./merchant.ts";

/** Every merchant starts with these. Source: decisions.md, "Franchises". */
const FIRST_ROLES = ["Franchise", "Manager", "Viewer"];

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
export async function listRoles(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<string[]> {
  const { rows } = await db.query<{ role_name: string }>(
    "select role_name from role where bucket = $1 and merchant_id = $2 order by role_name",
    [bucket, merchantId],
  );
  return rows.map((row) => row.role_name);
}
