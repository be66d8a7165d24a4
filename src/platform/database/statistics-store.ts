// What PostgreSQL knows of the sizes and values in tables, by which it plans.
import type { Queryable } from "./pool.ts";

/** Of a smaller table any plan is good. */
const SMALL_BYTES = 128 * 1024;

/**
 * Counts afresh the tables of which PostgreSQL knows nothing, or little: they were never analysed, or have more new rows since than they had
 * then. A database that was just filled or restored is such a one, until autovacuum comes by; what reads all of it may
 * take very long with plans for empty tables. Outside of a transaction, as the tables' owner; one that somebody else is at
 * work on is left out. Returns the names.
 */
export async function analyzeUnknown(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select format('%I.%I', each.schemaname, each.relname) as name
     from pg_stat_user_tables each
     join pg_class on pg_class.oid = each.relid
     where pg_class.relkind = 'r' and pg_relation_size(each.relid) >= $1
       and (pg_class.reltuples <= 0 or each.n_mod_since_analyze > pg_class.reltuples)
     order by name`,
    [SMALL_BYTES],
  );
  const names = rows.map(({ name }) => name);
  if (names.length > 0) await db.query(`analyze (skip_locked) ${names.join(", ")}`);
  return names;
}
