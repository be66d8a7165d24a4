// SQL that reads PostgreSQL's catalog: tables with their columns, sequences, version. It names none of our tables.
import pg from "pg";
import type { Queryable, Connection, Pool } from "../pool.ts";
import type { Manifest, TableHead } from "./frames.ts";

/** Relations that are neither PostgreSQL's own, nor an extension's, nor temporary. */
const OWN_RELATIONS = `
  from pg_class relation
  join pg_namespace namespace on namespace.oid = relation.relnamespace
  where namespace.nspname !~ '^pg_' and namespace.nspname <> 'information_schema' and relation.relpersistence <> 't'
    and not exists (
      select from pg_depend
      where classid = 'pg_class'::regclass and objid = relation.oid and deptype = 'e')`;

/** A quoted name. */
export function quote(name: { readonly schema: string; readonly name: string }): string {
  return `${pg.escapeIdentifier(name.schema)}.${pg.escapeIdentifier(name.name)}`;
}

/** Columns as COPY lists them. */
export function quoteColumns(columns: readonly string[]): string {
  return columns.map((column) => pg.escapeIdentifier(column)).join(", ");
}

/** Every table that stores rows, by name, without generated columns. */
export async function listTables(db: Queryable): Promise<TableHead[]> {
  const { rows } = await db.query<{ schema: string; name: string; columns: string[] }>(
    `select owned.schema, owned.name, array_agg(attname::text order by attnum) as columns
     from (
       select relation.oid, namespace.nspname::text as schema, relation.relname::text as name
       ${OWN_RELATIONS} and relation.relkind in ('r', 'p') and not relation.relispartition
     ) as owned
     join pg_attribute on attrelid = owned.oid and attnum > 0 and not attisdropped and attgenerated = ''
     group by owned.schema, owned.name
     order by owned.schema collate "C", owned.name collate "C"`,
  );
  return rows;
}

/** Every sequence, with its current last value: snapshots don't apply to sequences. */
export async function listSequences(db: Queryable): Promise<Manifest["sequences"]> {
  const { rows } = await db.query<{ schema: string; name: string }>(
    `select namespace.nspname::text as schema, relation.relname::text as name
     ${OWN_RELATIONS} and relation.relkind = 'S'
     order by namespace.nspname collate "C", relation.relname collate "C"`,
  );
  const sequences = [];
  for (const sequence of rows) {
    const value = await db.query<{ last_value: bigint }>(`select last_value from ${quote(sequence)}`);
    sequences.push({ ...sequence, last_value: String(value.rows[0]!.last_value) });
  }
  return sequences;
}

/** The name of something in the database, such as a table or a view; `null` if it is empty. */
export async function findOccupant(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>(
    `select namespace.nspname || '.' || relation.relname as name
     ${OWN_RELATIONS} and relation.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
     order by relation.relkind <> 'r', 1 limit 1`,
  );
  return rows[0]?.name ?? null;
}

/** The server's version, such as `18.4`. */
export async function readServerVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ server_version: string }>("show server_version");
  return rows[0]!.server_version;
}

/** Gathers planner statistics of tables that were just filled. */
export async function analyze(db: Queryable, tables: readonly TableHead[]): Promise<void> {
  for (const table of tables) await db.query(`analyze ${quote(table)}`);
}

/**
 * Fixes settings that would affect a copy: the format of values, and timeouts. A role with row-level security is
 * refused, since it would only see some rows.
 */
const SETTINGS = `
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local extra_float_digits = 1;
  set local bytea_output = 'hex';
  set local row_security = off;
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`;

/**
 * Runs `work` in one transaction: committed when it returns. If it throws, the connection is closed, which rolls back:
 * in the middle of a COPY, a rollback would first have to transfer the rest.
 */
export async function inStreamingTransaction<T>(
  pool: Pool,
  begin: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect();
  try {
    await connection.query(begin);
    await connection.query(SETTINGS);
    const result = await work(connection);
    await connection.query("commit");
    connection.release();
    return result;
  } catch (error) {
    connection.release(error instanceof Error ? error : true);
    throw error;
  }
}
