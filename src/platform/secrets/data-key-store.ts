// All SQL of data keys, each wrapped by every master key that can open it.
import type { Connection, Queryable } from "../database/pool.ts";

/** `field` keys encrypt values; the newest one is in use. The `index` key makes the hashes for exact look-ups. */
export type DataKeyPurpose = "field" | "index";

export type WrappedDataKey = {
  readonly dataKeyId: number;
  readonly masterKeyId: string;
  readonly purpose: DataKeyPurpose;
  readonly wrapped: Buffer;
};

/** Every data key, once for each master key that wraps it. */
export async function listDataKeys(db: Queryable): Promise<WrappedDataKey[]> {
  const { rows } = await db.query<{
    data_key_id: number;
    master_key_id: string;
    purpose: DataKeyPurpose;
    wrapped: Buffer;
  }>({
    name: "list-data-keys",
    text: "select data_key_id, master_key_id, purpose, wrapped from data_key order by data_key_id",
  });
  return rows.map((row) => ({
    dataKeyId: row.data_key_id,
    masterKeyId: row.master_key_id,
    purpose: row.purpose,
    wrapped: row.wrapped,
  }));
}

/** Does the database have data keys? It must have their table. */
export async function hasDataKeys(db: Queryable): Promise<boolean> {
  return (await listDataKeys(db)).length > 0;
}

/** Does the database have the table of data keys? */
export async function hasDataKeyTable(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ known: boolean }>("select to_regclass('public.data_key') is not null as known");
  return rows[0]!.known;
}

/** Locks the data keys against changes until the transaction ends. Reading remains possible. */
export async function lockDataKeys(connection: Connection): Promise<void> {
  await connection.query("lock table data_key in share row exclusive mode");
}

/** Adds wrapped data keys. */
export async function insertDataKeys(connection: Connection, keys: readonly WrappedDataKey[]): Promise<void> {
  await connection.query(
    `insert into data_key (data_key_id, master_key_id, purpose, wrapped, created_at)
     select *, now() from unnest($1::integer[], $2::text[], $3::text[], $4::bytea[])`,
    [
      keys.map((key) => key.dataKeyId),
      keys.map((key) => key.masterKeyId),
      keys.map((key) => key.purpose),
      keys.map((key) => key.wrapped),
    ],
  );
}

/** Deletes keys wrapped by other master keys than the given one, and field keys with a number below `oldest`. */
export async function removeDataKeys(connection: Connection, masterKeyId: string, oldest: number): Promise<void> {
  await connection.query("delete from data_key where master_key_id <> $1 or (purpose = 'field' and data_key_id < $2)", [
    masterKeyId,
    oldest,
  ]);
}
