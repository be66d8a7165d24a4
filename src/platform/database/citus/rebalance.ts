// Moving buckets between the nodes of Citus while the servers run, so that each node has its share.
// docs/scale.md#citus
import { isDistributed, requireCitus } from "./distribute.ts";
import { MigrationError } from "../migrate.ts";
import type { Queryable } from "../pool.ts";

/** A node of the cluster. Rows of one bucket are in one group of shards, which moves as a whole. */
export type ClusterNode = {
  readonly node: string;
  readonly active: boolean;
  readonly takesRows: boolean;
  readonly groups: bigint;
  readonly bytes: bigint;
};

/** Planned moves of shard groups between nodes. */
export type GroupMove = { readonly from: string; readonly to: string; readonly groups: bigint };

/** The current or last rebalancing. `details` are Citus's. */
export type Rebalancing = {
  readonly jobId: bigint;
  readonly state: string;
  readonly startedAt: Temporal.Instant | null;
  readonly finishedAt: Temporal.Instant | null;
  readonly details: unknown;
};

export type Balance = {
  readonly nodes: readonly ClusterNode[];
  readonly moves: readonly GroupMove[];
  readonly last: Rebalancing | null;
};

/** Are groups being moved, or about to be? */
export function isUnderWay({ last }: Balance): boolean {
  return last?.state === "running" || last?.state === "scheduled";
}

/** Reads the places of buckets, and the planned moves. @throws MigrationError if the database is not distributed by Citus */
export async function readBalance(db: Queryable): Promise<Balance> {
  await requireCitus(db);
  if (!(await isDistributed(db))) {
    throw new MigrationError("This database is not distributed yet: run `nodal migrate --citus` first.");
  }
  const { rows: nodes } = await db.query<ClusterNode>(
    `select
       format('%s:%s', nodename, nodeport) as node, isactive as active, shouldhaveshards as "takesRows",
       coalesce(groups, 0) as groups, coalesce(bytes, 0)::bigint as bytes
     from pg_dist_node
     left join (
       select
         nodename, nodeport, count(*) filter (where table_name = 'merchant'::regclass) as groups, sum(shard_size) as bytes
       from citus_shards where citus_table_type = 'distributed'
       group by nodename, nodeport
     ) as there using (nodename, nodeport)
     where noderole = 'primary'
     order by groupid`,
  );
  const { rows: moves } = await db.query<GroupMove>(
    `select
       format('%s:%s', sourcename, sourceport) as "from", format('%s:%s', targetname, targetport) as "to",
       count(*) filter (where table_name = 'merchant'::regclass) as groups
     from get_rebalance_table_shards_plan()
     group by 1, 2 order by 1, 2`,
  );
  const { rows: last } = await db.query<Rebalancing>(
    `select
       job_id as "jobId", state::text as state, started_at as "startedAt", finished_at as "finishedAt", details
     from citus_rebalance_status()`,
  );
  return { nodes, moves, last: last[0] ?? null };
}

/**
 * Starts moving groups in the background, one after the other, until each node has its share. Requests continue; those
 * to a group wait for the moment in which it changes nodes. @throws MigrationError if a node's `wal_level` is too low;
 * nothing has changed then
 */
export async function startRebalancing(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ node: string; level: string }>(
    `select format('%s:%s', nodename, nodeport) as node, result as level
     from run_command_on_all_nodes('show wal_level') as answer
     join pg_dist_node on pg_dist_node.nodeid = answer.nodeid
     where result <> 'logical'`,
  );
  if (rows.length > 0) {
    throw new MigrationError(
      `Moving rows needs wal_level logical, and it is ${rows[0]!.level} at ` +
        `${rows.map(({ node }) => node).join(", ")}: set it there, and restart PostgreSQL. Nothing was moved.`,
    );
  }
  await db.query("select citus_rebalance_start(shard_transfer_mode => 'force_logical')");
}

/** Stops it. Moved groups stay on their new node; the one being moved stays on its old node. */
export async function stopRebalancing(db: Queryable): Promise<void> {
  await db.query("select citus_rebalance_stop()");
}
