// What PostgreSQL knows of the sizes and values in tables, by which it plans.
import { isDistributed } from "./citus.ts";
import type { Queryable } from "./pool.ts";

/** Of a smaller table any plan is good. */
const SMALL_BYTES = 128 * 1024;

/** Tables here of which nothing is known, or little. */
const UNKNOWN = `
  select format('%I.%I', each.schemaname, each.relname) as name
  from pg_stat_user_tables each
  join pg_class on pg_class.oid = each.relid
  where pg_class.relkind = 'r' and pg_relation_size(each.relid) >= ${SMALL_BYTES}
    and (pg_class.reltuples <= 0 or each.n_mod_since_analyze > pg_class.reltuples)
  order by name`;

/** The same at a node of Citus, whose shards show themselves only where that is asked for. */
const ANALYZE_NODE = `
  do $do$
  declare
    names text;
  begin
    perform set_config('citus.override_table_visibility', 'off', true);
    select string_agg(name, ', ') into names from (${UNKNOWN}) as unknown;
    if names is not null then
      execute 'analyze (skip_locked) ' || names;
    end if;
  end $do$`;

/**
 * Counts afresh the tables of which PostgreSQL knows nothing, or little: they were never analysed, or have more new rows since than they had
 * then. A database that was just filled or restored is such a one, until autovacuum comes by, and so is a shard that Citus has just
 * moved; what reads all of it may take very long with plans for empty tables. Outside of a transaction, as the tables' owner;
 * one that somebody else is at work on is left out. Returns the names, but for those of shards.
 * @throws Error where a node of Citus can't be asked
 */
export async function analyzeUnknown(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(UNKNOWN);
  const names = rows.map(({ name }) => name);
  if (names.length > 0) await db.query(`analyze (skip_locked) ${names.join(", ")}`);
  if (await isDistributed(db)) await analyzeNodes(db);
  return names;
}

async function analyzeNodes(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ node: string; success: boolean; result: string }>(
    `select nodename || ':' || nodeport as node, success, result from run_command_on_workers($1)`,
    [ANALYZE_NODE],
  );
  const failed = rows.find(({ success }) => !success);
  if (failed) throw new Error(`the tables at ${failed.node} can't be counted: ${failed.result}`);
}
