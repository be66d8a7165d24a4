// Distributes a migrated database over the nodes of a cluster, each merchant's rows by its bucket: docs/scale.md#citus
import { lockMigrations, MigrationError } from "../migrate.ts";
import { inTransaction, type Connection, type Pool, type Queryable } from "../pool.ts";

/** The place of a table without a bucket in its key: copied to every node, or only on the coordinator. */
type Place = "reference" | "coordinator";

/**
 * The tables without buckets, and why. Frequently written ones stay on the coordinator: writes to a reference table go
 * to every node, so one node that is down would block them for all merchants.
 */
export const UNDIVIDED: Readonly<Record<string, { readonly place: Place; readonly why: string }>> = {
  installation: { place: "reference", why: "one row of the installation, hardly ever written" },
  data_key: { place: "reference", why: "keys of the installation, hardly ever written" },
  sign_in: { place: "reference", why: "finds the merchant by the hash of an address, before any bucket is known" },
  deposit: { place: "reference", why: "a deposit is credited once over all merchants; written with each credit alone" },
  schema_migration: { place: "coordinator", why: "read and written by migrations alone" },
  schedule: { place: "coordinator", why: "what runs for the whole installation, leased each few seconds" },
  rate_count: { place: "coordinator", why: "limits over all processes, written each second; not logged" },
  dispatcher: { place: "coordinator", why: "the lease of each process, renewed each few seconds" },
  seal_link: { place: "coordinator", why: "a chain over the seals of all merchants" },
  seal_head: { place: "coordinator", why: "the last link of that chain, locked by who seals" },
};

/** The servers' roles. Citus connects to its workers with the connection's role, so each must be able to log in. */
const ROLES = ["nodal_server", "nodal_tenant", "nodal_payouts", "nodal_invoices", "nodal_simulator"];

/**
 * Refuses a database that can't be distributed: without the extension, or without a node for shards.
 * @throws MigrationError
 */
export async function requireCitus(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ version: string | null }>(
    "select (select extversion from pg_extension where extname = 'citus') as version",
  );
  if (rows[0]!.version === null) {
    throw new MigrationError(
      "The database in DATABASE_URL has no Citus: as a superuser, run `create extension citus` in it on every node, " +
        "and `citus_add_node` on the coordinator for each worker (docs/scale.md). Nothing was changed.",
    );
  }
  const { rows: nodes } = await db.query<{ count: bigint; is_coordinator: boolean }>(
    `select count(*) filter (where isactive and shouldhaveshards and noderole = 'primary') as count,
       coalesce(bool_or(groupid = (select groupid from pg_dist_local_group) and groupid = 0), true) as is_coordinator
     from pg_dist_node`,
  );
  if (!nodes[0]!.is_coordinator) {
    throw new MigrationError("DATABASE_URL points to a Citus worker: set it to the coordinator. Nothing was changed.");
  }
  if (nodes[0]!.count === 0n) {
    throw new MigrationError(
      "Citus has no node for rows: call `citus_add_node` on the coordinator for each worker, or, on one machine, " +
        "`citus_set_node_property` with shouldhaveshards for the coordinator itself (docs/scale.md). Nothing was changed.",
    );
  }
}

/** Is the database distributed by Citus? */
export async function isDistributed(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ known: boolean }>("select to_regclass('pg_dist_partition') is not null as known");
  if (!rows[0]!.known) return false;
  const { rows: found } = await db.query(
    "select 1 from pg_dist_partition where logicalrelid = to_regclass('public.merchant')",
  );
  return found.length > 0;
}

/** Are all tables in their place? Other results of `distribute` may be an earlier release's. */
export async function isAllDistributed(db: Queryable): Promise<boolean> {
  return (await listLocalTables(db)).every(({ name, key }) => placeOf(name, key) === "coordinator");
}

type Found = { readonly name: string; readonly key: readonly string[]; readonly policies: readonly string[] };

/**
 * Moves each table to its place: tables of merchants to the shards of their bucket, all in one colocation group, so
 * that all rows of a bucket are on one node. Safe to run again, and after later migrations. Returns the names of the
 * moved tables. The database must have all migrations, and the pool's user must own it.
 * @throws MigrationError if Citus is missing, or a table has no place
 */
export async function distribute(pool: Pool): Promise<string[]> {
  await requireCitus(pool);
  return inTransaction(pool, async (connection) => {
    await lockMigrations(connection);
    // Sequentially: policies and grants of several tables in parallel would deadlock on a node.
    await connection.query("set local citus.multi_shard_modify_mode = 'sequential'");
    await prepareSessions(connection);
    await chooseGroups(connection);
    const moved = await listLocalTables(connection);
    const strays = moved.filter(({ name, key }) => placeOf(name, key) === null);
    if (strays.length > 0) {
      throw new MigrationError(
        `Nodal does not know how to distribute ${strays.map(({ name }) => name).join(", ")}: a table has bucket in its primary key, ` +
          "or is named in src/platform/database/citus/distribute.ts. Nothing was changed.",
      );
    }
    const done: string[] = [];
    for (const found of moved) if (await move(connection, found)) done.push(found.name);
    await makeStay(connection);
    await connection.query(IN_HAND);
    return done;
  });
}

/**
 * The number of shard groups per node. Merchants of a group share batches, so few groups make large batches. More nodes
 * than groups would be useless.
 */
const GROUPS_OF_NODE = 2;
const LEAST_GROUPS = 4;

/** Sets the number of shard groups, unless the operator has. It takes effect when the first table is distributed. */
async function chooseGroups(connection: Connection): Promise<void> {
  await connection.query(
    `select set_config('citus.shard_count', greatest($1::bigint, $2::bigint * count(*))::text, true)
     from pg_dist_node
     where isactive and shouldhaveshards and noderole = 'primary'
       and exists (select from pg_settings where name = 'citus.shard_count' and source = 'default')
     having count(*) > 0`,
    [LEAST_GROUPS, GROUPS_OF_NODE],
  );
}

/**
 * Settings for sessions, here and on the workers: policies need the merchant of the transaction there too, and days
 * begin by UTC wherever a statement runs.
 */
async function prepareSessions(connection: Connection): Promise<void> {
  const { rows: closed } = await connection.query<{ name: string }>(
    "select rolname::text as name from pg_roles where rolname = any ($1) and not rolcanlogin order by 1",
    [ROLES],
  );
  for (const role of closed) await connection.query(`alter role ${role.name} login`);
  const { rows } = await connection.query<{ name: string }>("select quote_ident(current_database()) as name");
  const { name } = rows[0]!;
  await connection.query(`alter database ${name} set citus.propagate_set_commands = 'local'`);
  // Rows of several merchants are locked in order. Citus would make statements over several shards wait for each other,
  // and so all of them for the one that waits for a locked row.
  await connection.query(`alter database ${name} set citus.enable_deadlock_prevention = off`);
  await connection.query(`alter database ${name} set timezone = 'UTC'`);
  // JIT compilation takes longer than any statement here, and Citus's connections to its nodes don't have the server's
  // settings.
  await connection.query(`alter database ${name} set jit = off`);
}

/**
 * For transactions at the node itself (shard-pool.ts): until they end, the shards colocated with the given one stay on
 * this node. Citus takes the same lock for its writes, and needs it to move shards.
 */
async function makeStay(connection: Connection): Promise<void> {
  // Qualified names, since each call would have to set and reset a search_path.
  await connection.query(
    `create or replace function nodal_stay(p_shard bigint) returns void
     language plpgsql security definer as $$
     begin
       -- As an expression: a separate statement takes twice as long.
       if pg_catalog.lock_shard_metadata(5, array[p_shard]) is null then
         raise exception 'the shard % could not be locked', p_shard;
       end if;
       if not exists (
         select from pg_catalog.pg_dist_placement
         where shardid operator(pg_catalog.=) p_shard
           and groupid operator(pg_catalog.=) (select groupid from pg_catalog.pg_dist_local_group)
       ) then
         raise exception 'the shard % is on another node', p_shard using errcode = '57P05';
       end if;
     end
     $$`,
  );
  await connection.query("revoke execute on function nodal_stay from public");
  await connection.query("grant execute on function nodal_stay to nodal_server, nodal_payouts, nodal_simulator");
  await connection.query("select create_distributed_function('nodal_stay(bigint)')");
}

/**
 * The view for claims with transfers of several buckets of a shard group. Citus can only join rows of other buckets
 * with a materialized part.
 */
const IN_HAND = `create or replace view transfer_in_hand with (security_invoker = true) as
  with claim as materialized (
    select process_id, claim_id, buckets, merchant_ids, unnest(slots) as slot, unnest(transfer_ids) as transfer_id
    from dispatch_claim
  )
  select
    claim.process_id, claim.claim_id, transfer.bucket, transfer.merchant_id, transfer.transfer_id, transfer.rail, transfer.state,
    transfer.amount_paise, transfer.added_at
  from claim
  join transfer
    on transfer.bucket = claim.buckets[claim.slot] and transfer.merchant_id = claim.merchant_ids[claim.slot]
    and transfer.transfer_id = claim.transfer_id and transfer.claim_id = claim.claim_id`;

/** The place of a table; `null` if unknown. */
function placeOf(name: string, key: readonly string[]): Place | "bucket" | null {
  return UNDIVIDED[name]?.place ?? (key.includes("bucket") ? "bucket" : null);
}

/** The tables that Citus does not have yet, starting with those that others are colocated with. */
async function listLocalTables(db: Queryable): Promise<Found[]> {
  const { rows } = await db.query<Found>(
    `select
       c.oid::regclass::text as name,
       array(
         select a.attname::text from pg_index i
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
         where i.indrelid = c.oid and i.indisprimary) as key,
       array(select polname::text from pg_policy where polrelid = c.oid order by 1) as policies
     from pg_class c
     where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('public', 'simulator')
       and not exists (select from pg_dist_partition where logicalrelid = c.oid)
       and not exists (select from pg_depend where objid = c.oid and deptype = 'e')
     order by c.oid::regclass::text <> 'merchant', 1`,
  );
  return rows;
}

/** Returns whether there was anything to do. */
async function move(connection: Connection, { name, key, policies }: Found): Promise<boolean> {
  const place = placeOf(name, key);
  if (place === "coordinator") return false;
  // Citus does not support subqueries in policies.
  if (policies.includes("named_rows")) {
    await connection.query(`alter policy named_rows on ${name} using (merchant_id = any (nodal_merchant_ids()))`);
  }
  if (place === "reference") await connection.query("select create_reference_table($1::text::regclass)", [name]);
  else {
    const beside = name === "merchant" ? "none" : "merchant";
    await connection.query("select create_distributed_table($1::text::regclass, 'bucket', colocate_with => $2)", [
      name,
      beside,
    ]);
  }
  return true;
}
