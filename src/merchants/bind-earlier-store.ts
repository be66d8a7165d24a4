// SQL that ties the hashes of earlier releases to their rows, once, when a database is brought to this one.
// What belongs here: those that can be tied without the secret. Sessions and links by mail just end.
import type { Connection } from "../platform/database/pool.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { bindKeyHash } from "./access-key.ts";
import { readInstallationSecret } from "./merchant-store.ts";
import { bindHash, bindPassword } from "./users/bound-hash.ts";
import { RECOVERY_CODE_PLACE } from "./users/recovery-store.ts";

/** What earlier releases stored: 32 bytes, where ours have one more ahead of them. */
const EARLIER_BYTES = 32;

/** Binds the hashes of access keys, passwords and recovery codes that are bound to no row, as the database's owner. */
export async function bindEarlierHashes(connection: Connection): Promise<void> {
  await bindAccessKeys(connection);
  await bindLogins(connection);
}

async function bindAccessKeys(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ access_key_id: string; secret_hash: Buffer }>(
    "select access_key_id, secret_hash from access_key where octet_length(secret_hash) = $1",
    [EARLIER_BYTES],
  );
  if (rows.length === 0) return;
  const installationSecret = await readInstallationSecret(connection);
  await connection.query(
    `update access_key set secret_hash = bound.secret_hash
     from unnest($1::text[], $2::bytea[]) as bound (access_key_id, secret_hash)
     where access_key.access_key_id = bound.access_key_id and octet_length(access_key.secret_hash) = $3`,
    [
      rows.map((row) => row.access_key_id),
      rows.map((row) => bindKeyHash(installationSecret, row.access_key_id, row.secret_hash)),
      EARLIER_BYTES,
    ],
  );
}

type LoginRow = { bucket: number; merchant_id: bigint; login_id: bigint };
const keysOf = (rows: readonly LoginRow[]) => [
  rows.map((row) => row.bucket),
  rows.map((row) => row.merchant_id),
  rows.map((row) => row.login_id),
];

async function bindLogins(connection: Connection): Promise<void> {
  const secrets = await secretsOf(connection);
  const logins = await connection.query<LoginRow & { password_hash: string }>(
    "select bucket, merchant_id, login_id, password_hash from login where strpos(password_hash, '$row=') = 0",
  );
  await connection.query(
    `update login set password_hash = bound.password_hash
     from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[])
       as bound (bucket, merchant_id, login_id, password_hash)
     where login.bucket = bound.bucket and login.merchant_id = bound.merchant_id and login.login_id = bound.login_id`,
    [
      ...keysOf(logins.rows),
      logins.rows.map((row) => bindPassword(secrets, [row.bucket, row.merchant_id, row.login_id], row.password_hash)),
    ],
  );
  const codes = await connection.query<LoginRow & { code_hash: Buffer }>(
    "select bucket, merchant_id, login_id, code_hash from recovery_code where octet_length(code_hash) = $1",
    [EARLIER_BYTES],
  );
  await connection.query(
    `update recovery_code code set code_hash = bound.code_hash
     from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[])
       as bound (bucket, merchant_id, login_id, earlier, code_hash)
     where code.bucket = bound.bucket and code.merchant_id = bound.merchant_id and code.login_id = bound.login_id
       and code.code_hash = bound.earlier`,
    [
      ...keysOf(codes.rows),
      codes.rows.map((row) => row.code_hash),
      codes.rows.map((row) =>
        bindHash(secrets, RECOVERY_CODE_PLACE, [row.bucket, row.merchant_id, row.login_id], row.code_hash),
      ),
    ],
  );
}
