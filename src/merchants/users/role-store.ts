// SQL of roles: the built-in ones, and a merchant's own. permission.ts has the permissions of built-in roles; their rows are
// ignored.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import { changedWithSql, RowProof, secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import type { MerchantKey } from "../merchant.ts";

/** Every merchant starts with these: docs/rules/franchises.md#franchise-login. */
const FIRST_ROLES = ["Franchise", "Manager", "Viewer"];

export type StoredRole = {
  readonly name: string;
  readonly permissions: readonly string[];
  /** Set if the row was changed with SQL: then nothing relies on it. */
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

/** Whether a role's permissions are as the server wrote them. */
export function isProvedRole(secrets: Secrets, row: RoleRow): boolean {
  return PROOF.fits(secrets, row, row.proof);
}

/**
 * Returns the role unchanged.
 * @throws NodalError `access_denied` if it was changed with SQL
 */
export function requireProvedRole(role: StoredRole): StoredRole {
  if (role.isChanged) throw changedWithSql(`The role ${role.name}`);
  return role;
}

/** Inserts the initial roles of new merchants. */
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

/** Copies the roles of another merchant, with their permissions, to a new one. */
export async function copyRoles(connection: Connection, from: MerchantKey, to: MerchantKey): Promise<void> {
  for (const role of await listStoredRoles(connection, from)) await insertRole(connection, to, requireProvedRole(role));
}

/** The names of the merchant's roles, in alphabetical order. */
export async function listRoles(db: Queryable, merchant: MerchantKey): Promise<string[]> {
  return (await listStoredRoles(db, merchant)).map(({ name }) => name);
}

/** The merchant's roles as stored, in alphabetical order. */
export async function listStoredRoles(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<StoredRole[]> {
  const text = "select * from role where bucket = $1 and merchant_id = $2 order by role_name";
  const roles = await ROLES.select(db, text, [bucket, merchantId]);
  const secrets = await secretsOf(db);
  return roles.map((row) => {
    const role = { name: row.roleName, permissions: row.permissions };
    return isProvedRole(secrets, row) ? role : { ...role, isChanged: true };
  });
}

/** Adds a merchant's own role. Returns false if the name exists. */
export async function insertRole(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { name: roleName, permissions }: StoredRole,
): Promise<boolean> {
  const role = { bucket, merchantId, roleName, permissions };
  const proof = PROOF.of(await secretsOf(connection), role);
  return ROLES.insert(connection, { ...role, proof }, "on conflict do nothing");
}

/** Changes the permissions of a role. */
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
