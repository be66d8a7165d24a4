// What PostgreSQL knows of the sizes and values in tables, by which it plans.
import { isDistributed } from "./citus/index.ts";
import { inTransaction, type Pool } from "./pool.ts";

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

/** A node that hangs keeps nobody waiting for longer. */
const NODES_WITHIN_MS = 60_000;

/**
 * Counts afresh the tables of which PostgreSQL knows nothing, or little: they were never analysed, or have more new rows since than they had
 * then. A database that was just filled or restored is such a one, until autovacuum comes by, and so is a shard that Citus has just
 * moved; what reads all of it may take very long with plans for empty tables. Outside of a transaction, as the tables' owner;
 * one that somebody else is at work on is left out, and so is a node of Citus that is away. Returns the names, but for those of shards.
 */
export async function analyzeUnknown(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(UNKNOWN);
  const names = rows.map(({ name }) => name);
  if (names.length > 0) await pool.query(`analyze (skip_locked) ${names.join(", ")}`);
  // It only makes what follows faster, which says itself what it can't do without a node.
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
