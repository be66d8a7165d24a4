// All SQL of data keys: the keys that encrypt, each wrapped by every master key that may open it.
import type { Connection, Queryable } from "../database/pool.ts";

/** `field` encrypts values; the newest of them is the one in use. `index` makes what exact look-ups compare. */
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

/** Whether the database has data keys: it must have their table. */
export async function hasDataKeys(db: Queryable): Promise<boolean> {
  return (await listDataKeys(db)).length > 0;
}

/** Whether the database has been given the table of data keys. */
export async function hasDataKeyTable(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ known: boolean }>("select to_regclass('public.data_key') is not null as known");
  return rows[0]!.known;
}

/** Keeps others from changing data keys until the transaction ends. Reading goes on. */
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

/** Removes what other master keys than the given one wrap, and the keys of fields with a number below `oldest`. */
export async function removeDataKeys(connection: Connection, masterKeyId: string, oldest: number): Promise<void> {
  await connection.query("delete from data_key where master_key_id <> $1 or (purpose = 'field' and data_key_id < $2)", [
    masterKeyId,
    oldest,
  ]);
}
