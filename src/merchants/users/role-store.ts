// SQL of roles: those that every merchant starts with, and those of its own.
// What the built-in roles allow is in permission.ts, whatever is stored beside their names.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import { changedWithSql, RowProof, secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import type { MerchantKey } from "../merchant.ts";

/** Every merchant starts with these: docs/rules/franchises.md#franchise-login. */
const FIRST_ROLES = ["Franchise", "Manager", "Viewer"];

export type StoredRole = {
  readonly name: string;
  readonly permissions: readonly string[];
  /** Set where the row was changed with SQL: then nothing goes by what it says. */
  readonly isChanged?: true;
};

type RoleKey = MerchantKey & { readonly roleName: string };
type RoleRow = RoleKey & { readonly permissions: readonly string[]; readonly proof: Uint8Array | null };
const ROLES = table<RoleRow, RoleKey>("role", ["bucket", "merchantId", "roleName"], {
  bucket: "smallint",
  merchantId: "bigint",
  roleName: "text",
  permissions: "text[]",
  proof: "bytea",
});

const PROOF = new RowProof<Omit<RoleRow, "proof">>(
  "role",
  ({ bucket, merchantId, roleName }) => [bucket, merchantId, roleName],
  ({ permissions }) => [permissions],
);

/** Whether what a merchant's role allows is what the server wrote. */
export function isProvedRole(secrets: Secrets, row: RoleRow): boolean {
  return PROOF.fits(secrets, row, row.proof);
}

/**
 * Returns the role.
 * @throws NodalError `access_denied` where it was changed with SQL
 */
export function requireProvedRole(role: StoredRole): StoredRole {
  if (role.isChanged) throw changedWithSql(`The role ${role.name}`);
  return role;
}

/** Gives new merchants the roles that every merchant starts with. */
export async function insertFirstRoles(connection: Connection, merchants: readonly MerchantKey[]): Promise<void> {
  const secrets = await secretsOf(connection);
  const roles = merchants.flatMap(({ bucket, merchantId }) =>
    FIRST_ROLES.map((roleName) => ({ bucket, merchantId, roleName, permissions: [] })),
  );
  await connection.query(
    `insert into role (bucket, merchant_id, role_name, proof)
     select * from unnest($1::smallint[], $2::bigint[], $3::text[], $4::bytea[])
     returning 1`,
    [
      roles.map(({ bucket }) => bucket),
      roles.map(({ merchantId }) => merchantId),
      roles.map(({ roleName }) => roleName),
      roles.map((role) => PROOF.of(secrets, role)),
    ],
  );
}

/** Gives a new merchant the roles of another one, with what they allow. */
export async function copyRoles(connection: Connection, from: MerchantKey, to: MerchantKey): Promise<void> {
  for (const role of await listStoredRoles(connection, from)) await insertRole(connection, to, requireProvedRole(role));
}

/** The names of the merchant's roles, in alphabetical order. */
export async function listRoles(db: Queryable, merchant: MerchantKey): Promise<string[]> {
  return (await listStoredRoles(db, merchant)).map(({ name }) => name);
}

/** The merchant's roles with what is stored of them, in alphabetical order. */
export async function listStoredRoles(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<StoredRole[]> {
  const text = "select * from role where bucket = $1 and merchant_id = $2 order by role_name";
  const roles = await ROLES.select(db, text, [bucket, merchantId]);
  const secrets = await secretsOf(db);
  return roles.map((row) => {
    const role = { name: row.roleName, permissions: row.permissions };
    return isProvedRole(secrets, row) ? role : { ...role, isChanged: true };
  });
}

/** Adds a role of the merchant's own. Returns false where it has one of that name. */
export async function insertRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { name: roleName, permissions }: StoredRole,
): Promise<boolean> {
  const role = { bucket, merchantId, roleName, permissions };
  const proof = PROOF.of(await secretsOf(connection), role);
  return ROLES.insert(connection, { ...role, proof }, "on conflict do nothing");
}

/** Changes what a role allows. */
export async function updateRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { name: roleName, permissions }: StoredRole,
): Promise<void> {
  const before = await ROLES.find(connection, { bucket, merchantId, roleName }, true);
  if (!before) return;
  const proof = PROOF.renewed(await secretsOf(connection), before, before.proof, { ...before, permissions });
  await ROLES.update(connection, { bucket, merchantId, roleName, permissions, proof });
}

/** Removes a role. */
export async function deleteRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  roleName: string,
): Promise<void> {
  await ROLES.delete(connection, { bucket, merchantId, roleName });
}
