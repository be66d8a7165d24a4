// Hashes bound to their row: copied to another one, or created with database access alone, they are invalid. The stores say which
// rows have such hashes.
import type { Queryable } from "../../platform/database/pool.ts";
import { secretsOf, type RowPath, type Secrets } from "../../platform/secrets/index.ts";

/** The stored form of a hash at this place (`table.column`) of this row. `also`: other values of the row that it covers. */
export function bindHash(
  secrets: Secrets,
  place: string,
  row: RowPath,
  hash: Buffer,
  also: readonly string[] = [],
): Buffer {
  return secrets.mac(place, [...row.map(String), hash, ...also]);
}

/** The same with the secrets of a connection's database. */
export async function boundHash(
  db: Queryable,
  place: string,
  row: RowPath,
  hash: Buffer,
  also: readonly string[] = [],
): Promise<Buffer> {
  return bindHash(await secretsOf(db), place, row, hash, also);
}

const PASSWORD = "login.password_hash";
/** Separates the hash of a password, a text in the PHC format, from its mark. */
const MARK = /\$row=([A-Za-z0-9_-]{43})$/;

/** The stored form of a password's hash: with a mark that binds it to this login. */
export function bindPassword(secrets: Secrets, row: RowPath, hash: string): string {
  return `${hash}$row=${secrets.mac(PASSWORD, [...row.map(String), hash]).toString("base64url")}`;
}

/** The hash of a password from its stored form; `null` if it is not this login's. */
export function unboundPassword(secrets: Secrets, row: RowPath, kept: string): string | null {
  const hash = kept.replace(MARK, "");
  return hash !== kept && bindPassword(secrets, row, hash) === kept ? hash : null;
}
