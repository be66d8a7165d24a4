// Hashes that belong to their row: copied to another one, or made by somebody with the database alone, they fit
// nothing. Which rows have such hashes is in their stores.
import type { Queryable } from "../../platform/database/pool.ts";
import { secretsOf, type RowPath, type Secrets } from "../../platform/secrets/index.ts";

/** What is kept of a hash at this place (`table.column`) of this row. `also`: what else of the row it vouches for. */
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
/** What follows the hash of a password, which is a text in the PHC format. */
const MARK = /\$row=([A-Za-z0-9_-]{43})$/;

/** The hash of a password as it is kept: with a mark that it is this login's. */
export function bindPassword(secrets: Secrets, row: RowPath, hash: string): string {
  return `${hash}$row=${secrets.mac(PASSWORD, [...row.map(String), hash]).toString("base64url")}`;
}

/** The hash of a password out of what is kept; `null` where it is not this login's. */
export function unboundPassword(secrets: Secrets, row: RowPath, kept: string): string | null {
  const hash = kept.replace(MARK, "");
  return hash !== kept && bindPassword(secrets, row, hash) === kept ? hash : null;
}
