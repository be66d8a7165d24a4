// PostgreSQL's statistics about tables, which its plans depend on.
import { isDistributed } from "./citus/index.ts";
import { inTransaction, type Pool } from "./pool.ts";

/** For smaller tables any plan is good. */
const SMALL_BYTES = 128 * 1024;

/** Tables with missing or outdated statistics. */
const UNKNOWN = `
  select format('%I.%I', each.schemaname, each.relname) as name
  from pg_stat_user_tables each
  join pg_class on pg_class.oid = each.relid
  where pg_class.relkind = 'r' and pg_relation_size(each.relid) >= ${SMALL_BYTES}
    and (pg_class.reltuples <= 0 or each.n_mod_since_analyze > pg_class.reltuples)
  order by name`;

/** The same at a Citus node, which hides its shards by default. */
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

/** The longest wait for a node that hangs. */
const NODES_WITHIN_MS = 60_000;

/**
 * Analyzes tables with missing or outdated statistics: they were never analyzed, or have more than doubled since. This
 * happens after a database was filled or restored, until autovacuum runs, and after Citus has moved a shard. Reading
 * whole tables may take very long with plans for empty tables. Call it outside of a transaction, as the tables' owner.
 * It skips locked tables and Citus nodes that are down. Returns the names, without shards.
 */
export async function analyzeUnknown(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(UNKNOWN);
  const names = rows.map(({ name }) => name);
  if (names.length > 0) await pool.query(`analyze (skip_locked) ${names.join(", ")}`);
  // It only makes later steps faster. They report themselves if they need a node that is down.
  if (await isDistributed(pool)) await analyzeNodes(pool).catch(() => {});
  return names;
}

/** The coordinator may have shards too. */
function analyzeNodes(pool: Pool): Promise<unknown> {
  return inTransaction(pool, async (connection) => {
    await connection.query(`set local statement_timeout = ${NODES_WITHIN_MS}`);
    await connection.query("select success from run_command_on_workers($1)", [ANALYZE_NODE]);
    await connection.query(ANALYZE_NODE);
  });
}
