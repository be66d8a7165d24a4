// Transactions over rows of one shard group, at its node. They name the shards instead of the tables, so that
// PostgreSQL runs each statement directly, without planning by Citus.
import { hash } from "node:crypto";
import pg from "pg";
import type { PlaceOf } from "../../batch-place.ts";
import { flat, settle, type Settled } from "../../settled.ts";
import { readAddress } from "../address.ts";
import { unavailable } from "../failure.ts";
import { createPool, inOneRoundTrip, type Connection, type OwnedPool, type Pool, type PoolOptions } from "../pool.ts";
import { BUCKETS } from "../buckets.ts";
import { leadsToSpread, poolBeneath } from "./spread.ts";

/**
 * Raised by `nodal_stay` if a bucket's rows have moved to another node. It counts as a lost connection, so that callers
 * retry at the new node.
 */
const MOVED = "57P05";
/** How often a single statement is retried after its rows have moved. */
const TRIES = 3;
/** The least time between two refreshes of the shard map, while a node is down. */
const REFRESH_MS = 1000;

/** A shard group: the rows of some buckets, of all tables. It is on one node, and moves as a whole. */
type Place = {
  readonly url: string;
  /**
   * The beginning of each transaction, which keeps the rows on the node until it ends. Prepared, since planning it
   * costs as much as running it.
   */
  readonly scope: pg.QueryConfig;
  /** The id of one of its shards, which identifies the group. */
  readonly shard: string;
  readonly buckets: readonly number[];
  /** The shards of its tables, by table name. */
  readonly shards: ReadonlyMap<string, string>;
  /** Rewritten statements, by their original text. */
  readonly texts: Map<string, string>;
};

type Places = { readonly ofBucket: ReadonlyMap<number, Place>; readonly ofShard: ReadonlyMap<string, Place> };

type Prepare = <P extends Pool>(pool: P) => P;

/** The cached places of all shards: one for all pools of a role, so that a move found by one is known to all. */
class ShardMap {
  readonly #coordinator: Pool;
  readonly #url: string;
  #places: Promise<Places> | null = null;
  #known: Places | null = null;
  #refreshedAtMs = -Infinity;

  /** @param url the coordinator's */
  constructor(coordinator: Pool, url: string) {
    this.#coordinator = coordinator;
    this.#url = url;
  }

  async read(): Promise<{ places: Promise<Places>; read: Places }> {
    const places = (this.#places ??= readPlaces(this.#coordinator, this.#url));
    try {
      this.#known = await places;
      return { places, read: this.#known };
    } catch (error) {
      this.forget(places);
      throw error;
    }
  }

  /** The last known places, also while the coordinator is down; reads them on the first call. */
  async know(): Promise<Places> {
    if (this.#places === null || this.#known === null) {
      const read = this.read();
      if (this.#known === null) return (await read).read;
      await read.catch(() => {});
    }
    return this.#known;
  }

  /** The last known group of a bucket; `undefined` before the first read. */
  shardOf(bucket: number): string | undefined {
    return this.#known?.ofBucket.get(bucket)?.shard;
  }

  /** Drops the places, since shards have moved: the next call reads them again. */
  forget(places: Promise<Places>): void {
    if (this.#places === places) this.#places = null;
  }

  /** Reads them again, at most once a second, since a node may have a new address. Until then others use the old places. */
  refresh(places: Promise<Places>): void {
    if (this.#places !== places || performance.now() < this.#refreshedAtMs + REFRESH_MS) return;
    this.#refreshedAtMs = performance.now();
    const read = readPlaces(this.#coordinator, this.#url);
    const take = (): void => {
      if (this.#places === places) this.#places = read;
    };
    read.then(take, () => {});
  }
}

/** The shard pools of one database, for one role. */
class ShardPools {
  readonly #map: ShardMap;
  readonly #options: PoolOptions;
  readonly #prepare: Prepare;
  readonly #nodes = new Map<string, OwnedPool>();
  readonly #pools = new Map<string, Pool>();

  /**
   * @param options of the connections to each node; `url` is the coordinator's
   * @param prepare is called with each pool before its first use
   */
  constructor(map: ShardMap, options: PoolOptions, prepare: Prepare = (pool) => pool) {
    this.#map = map;
    this.#options = { ...options, pipelined: true, isNode: true };
    this.#prepare = prepare;
  }

  /**
   * Divides items by shard group, each with a pool for transactions over its rows. Statements use the names of tables,
   * as usual. @throws Error if a bucket has no shard, or the places are not known yet
   */
  async divide<T extends { readonly bucket: number }>(items: readonly T[]): Promise<[Pool, T[]][]> {
    const { ofBucket } = await this.#map.know();
    const byShard = Map.groupBy(items, ({ bucket }) => {
      const place = ofBucket.get(bucket);
      if (!place) throw new Error(`Citus has no shard for the bucket ${bucket}`);
      return place.shard;
    });
    return [...byShard].map(([shard, some]) => [this.#poolOf(shard), some]);
  }

  /** The last known shard group of a bucket. */
  shardOf(bucket: number): string | undefined {
    return this.#map.shardOf(bucket);
  }

  /** Closes all connections. */
  async end(): Promise<void> {
    await Promise.all([...this.#nodes.values()].map((pool) => pool.end()));
  }

  /**
   * A pool for each shard of a table with a row that meets a condition: SQL with the names of the table's columns.
   * `failure` is the error of a node that could not be asked.
   */
  async findParts(table: string, condition: string, values: readonly unknown[]): Promise<Settled<Pool>> {
    const { places, read } = await this.#map.read();
    const asked = [...Map.groupBy(read.ofShard.values(), ({ url }) => url)].map(async ([url, here]) => {
      const rows = here.map(({ shards }) => `exists (select from ${shards.get(table)!} where ${condition})`);
      const text = `select array[${rows.join(", ")}] as found`;
      const name = `may have ${hash("sha1", text)}`;
      const { found } = (await this.#nodeAt(url).query<{ found: boolean[] }>({ name, text, values: [...values] }))
        .rows[0]!;
      return here.filter((_, index) => found[index]).map(({ shard }) => this.#poolOf(shard));
    });
    const parts = flat(await settle(asked));
    if (parts.failure !== null) this.#map.refresh(places);
    return parts;
  }

  #poolOf(shard: string): Pool {
    const make = (): Pool => this.#prepare<Pool>(new ShardPool(() => this.#connect(shard)));
    return this.#pools.getOrInsertComputed(shard, make);
  }

  async #connect(shard: string): Promise<Connection> {
    const { places, read } = await this.#map.read();
    const place = read.ofShard.get(shard);
    // Its buckets may now be in different groups.
    if (!place) throw unavailable(new Error(`Citus has split or removed the shard ${shard}`));
    try {
      return onShards(await this.#nodeAt(place.url).connect(), place, () => this.#map.forget(places));
    } catch (error) {
      this.#map.refresh(places);
      throw error;
    }
  }

  #nodeAt(url: string): OwnedPool {
    return this.#nodes.getOrInsertComputed(url, () => this.#prepare(createPool({ ...this.#options, url })));
  }
}

class ShardPool {
  readonly connect: Pool["connect"];

  constructor(connect: () => Promise<Connection>) {
    this.connect = connect as Pool["connect"];
  }

  /** One statement, in a separate transaction. */
  readonly query = (async (...statement: [string]) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await inOneRoundTrip(this, statement);
      } catch (error) {
        if (!hasMoved(error) || tries === TRIES) throw error;
      }
    }
  }) as Pool["query"];
}

/** Connections per node for finding due work, separate from those for doing it. */
const LOOK_CONNECTIONS = 2;

const attached = new WeakMap<object, { readonly work: ShardPools; readonly looks: ShardPools }>();

/**
 * If the pool leads to Citus, `inEachPart` runs its work at the nodes over similar connections, and searches for due
 * work use separate ones. `prepare` is called with each of these pools before its first use. Returns the pool, which
 * closes them when it ends.
 */
export function withNodes(pool: OwnedPool, options: PoolOptions, prepare?: Prepare): OwnedPool {
  const map = new ShardMap(pool, options.url);
  const work = new ShardPools(map, options, prepare);
  const looks = new ShardPools(map, { ...options, size: LOOK_CONNECTIONS }, prepare);
  attached.set(pool, { work, looks });
  const end = pool.end.bind(pool);
  return Object.assign(pool, { end: async () => void (await Promise.all([work.end(), looks.end(), end()])) });
}

/** The pools to the nodes for a pool's work; `null` if the pool leads to one PostgreSQL. */
export async function shardPoolsOf(pool: Pool): Promise<ShardPools | null> {
  const pools = attached.get(pool);
  return pools && (await leadsToSpread(pool)) ? pools.work : null;
}

/**
 * Decides which items share a batch. On Citus those of one shard group do, so that they share statements and a commit,
 * and a node that hangs doesn't block the others. On one PostgreSQL all do.
 */
export function placeOf(pool: Pool): PlaceOf<{ readonly bucket: number }> {
  return ({ bucket }) => attached.get(pool)?.work.shardOf(bucket) ?? "";
}

/** Reads the places of shards, so that they are known even if the coordinator is down later. */
export async function knowPlaces(pool: Pool): Promise<void> {
  await (await shardPoolsOf(pool))?.divide([]);
}

/** The pools for searches, also for a view of a pool: the actor does not matter for them. */
export async function searchPoolsOf(db: object): Promise<ShardPools | null> {
  const pools = attached.get(poolBeneath(db));
  return pools && (await leadsToSpread(db)) ? pools.looks : null;
}

/** A connection whose statements name the shards of a group, and whose transactions keep these on their node. */
function onShards(connection: Connection, place: Place, forget: () => void): Connection {
  const query = (given: string | pg.QueryConfig, ...rest: []): Promise<pg.QueryResult> => {
    const answer = connection.query(inPlace(given, place) as pg.QueryConfig, ...rest);
    answer.catch((error: unknown) => {
      if (hasMoved(error)) forget();
    });
    return answer;
  };
  const release = (error?: Error | boolean): void => connection.release(error);
  // Facts about a connection, such as its secrets, are attached to the one beneath.
  const own = { query, release, scope: place.scope, beneath: connection };
  return Object.assign(Object.create(connection) as Connection, own);
}

function inPlace(given: string | pg.QueryConfig, place: Place): string | pg.QueryConfig {
  if (typeof given === "string") return textIn(given, place);
  const { name } = given;
  return {
    ...given,
    text: textIn(given.text, place),
    ...(name === undefined ? {} : { name: `${name} ${place.shard}` }),
  };
}

function textIn(text: string, { texts, shards }: Place): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  const made = nameShards(text, shards);
  // Only few different texts, since all statements are prepared.
  texts.set(text, made);
  return made;
}

const TABLE = /\b(from|join|into|update|using)(\s+)((?:simulator\.)?\w+)\b(?=(?:\s+(as\s+)?(\w+))?)/g;
const NO_ALIAS = new Set(
  "cross default full group inner join left limit natural on order returning right select set union using values where for".split(
    " ",
  ),
);

/**
 * Replaces the names of tables by those of shards. Columns can still be qualified by the table's name, which is the
 * shard's alias.
 */
export function nameShards(text: string, shards: ReadonlyMap<string, string>): string {
  return text.replaceAll(TABLE, (whole, word: string, space: string, table: string, as?: string, next?: string) => {
    const shard = shards.get(table);
    if (shard === undefined) return whole;
    const hasAlias = as !== undefined || (next !== undefined && !NO_ALIAS.has(next));
    return `${word}${space}${shard}${hasAlias ? "" : ` as ${table.replace("simulator.", "")}`}`;
  });
}

function hasMoved(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === MOVED;
}

/** The coordinator's URL with the address of another node: user, password and database are the same on all. */
function urlAt(url: string, host: string, port: number): string {
  return readAddress(url).urls[0].replace(
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)[^/?#@]*/,
    (_whole, begin: string) => `${begin}${host.includes(":") ? `[${host}]` : host}:${port}`,
  );
}

/** Reads the place of each bucket. Its tables are colocated, so one of its shards is enough. */
async function readPlaces(coordinator: Pool, url: string): Promise<Places> {
  const { rows } = await coordinator.query<{
    buckets: number[];
    shard: string;
    host: string;
    port: number;
    tables: string[];
    shards: string[];
  }>(
    `select
       array(
         select bucket::integer from generate_series(0, ${BUCKETS - 1}) as bucket
         where hashint2(bucket::smallint) between shard.shardminvalue::integer and shard.shardmaxvalue::integer) as buckets,
       shard.shardid::text as shard, node.nodename as host, node.nodeport as port,
       array_agg(other.logicalrelid::text order by other.shardid) as tables,
       array_agg(shard_name(other.logicalrelid, other.shardid) order by other.shardid) as shards
     from pg_dist_shard shard
     join pg_dist_partition own on own.logicalrelid = shard.logicalrelid
     join pg_dist_placement placement on placement.shardid = shard.shardid
     join pg_dist_node node on node.groupid = placement.groupid and node.noderole = 'primary'
     join pg_dist_partition beside on beside.colocationid = own.colocationid
     join pg_dist_shard other on other.logicalrelid = beside.logicalrelid and other.shardminvalue = shard.shardminvalue
     where shard.logicalrelid = 'public.merchant'::regclass
     group by shard.shardid, shard.shardminvalue, shard.shardmaxvalue, node.nodename, node.nodeport`,
  );
  const places = rows.map(({ buckets, shard, host, port, tables, shards }): Place => ({
    url: urlAt(url, host, port),
    scope: { name: "stay", text: "select nodal_stay($1)", values: [shard] },
    shard,
    buckets,
    shards: new Map(tables.map((table, index) => [table, shards[index]!])),
    texts: new Map(),
  }));
  return {
    ofBucket: new Map(places.flatMap((place) => place.buckets.map((bucket) => [bucket, place] as const))),
    ofShard: new Map(places.map((place) => [place.shard, place])),
  };
}
