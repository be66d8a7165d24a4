// A database of several hosts, of which one takes writes: the primary. Which it is may change at any time, when a standby is promoted.
// What belongs here: knowing which it is, and leaving the one that it was. Connections themselves are in pool.ts.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { currentEdition, hasLostNames, inCurrentEdition, isOutdated, leaveEdition, withoutName } from "./plans.ts";

/** How often all hosts are looked at, while anybody is connected. */
const LOOK_MS = 500;
/** A host that takes longer counts as away. */
const PROBE_MS = 1500;

const STATE = `select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') = 'on' as read_only,
  case when not pg_is_in_recovery() then
    ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint::text
  end as timeline`;

/** None of the hosts takes writes at the moment. */
export class NoPrimaryError extends Error {
  constructor(found: readonly string[]) {
    super(`No host of the database takes writes: ${found.join("; ")}.`);
    this.name = "NoPrimaryError";
  }
}

/** What a host is found to be: a primary of a timeline, which a promotion raises, or something else, in words. */
type Found = { readonly url: string; readonly timeline: bigint } | string;

/** A connection to one host, only for asking what it is. */
class Probe {
  readonly #url: string;
  #client: pg.Client | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async ask(): Promise<Found> {
    try {
      const { rows } = await (
        await this.#connect()
      ).query<{ standby: boolean; read_only: boolean; timeline: string }>(STATE);
      const { standby, read_only: readOnly, timeline } = rows[0]!;
      if (standby) return `${this.#name} is a standby`;
      if (readOnly) {
        // That a user may write again is known to new connections only.
        this.close();
        return `${this.#name} is read-only`;
      }
      return { url: this.#url, timeline: BigInt(timeline) };
    } catch (error) {
      this.close();
      return `${this.#name}: ${(error as Error).message || (error as NodeJS.ErrnoException).code}`;
    }
  }

  close(): void {
    const client = this.#client;
    this.#client = null;
    // One that does not answer would not answer to an end either.
    client?.end().catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: PROBE_MS,
      query_timeout: PROBE_MS,
      application_name: "nodal looks for the primary",
    });
    client.on("error", () => {
      if (this.#client === client) this.#client = null;
    });
    await client.connect();
    this.#client = client;
    return client;
  }

  get #name(): string {
    return new URL(this.#url).host;
  }
}

/** The hosts of one database, for all pools of this process that use it. */
export class Hosts {
  static readonly #known = new Map<string, Hosts>();
  readonly #probes: readonly Probe[];
  readonly #connections = new Set<HostClient>();
  #primary: string | null = null;
  #timeline = 0n;
  #look: Promise<string> | null = null;
  #isWatching = false;

  private constructor(urls: readonly string[]) {
    this.#probes = urls.map((url) => new Probe(url));
  }

  /** Those of these URLs, one for each host. */
  static of(urls: readonly string[]): Hosts {
    const key = urls.join(" ");
    const known = Hosts.#known.get(key) ?? new Hosts(urls);
    Hosts.#known.set(key, known);
    return known;
  }

  /**
   * The URL of the host that takes writes.
   * @throws NoPrimaryError
   */
  findPrimary(): Promise<string> {
    return this.#primary === null ? this.#lookAgain() : Promise.resolve(this.#primary);
  }

  /** A connection to a host that was taken for the primary is open, or about to be. */
  add(client: HostClient): void {
    this.#connections.add(client);
    if (!this.#isWatching) void this.#watch();
  }

  /** A connection is closed. Where nobody asked for that, its host may be the primary no longer. */
  remove(client: HostClient, isExpected: boolean): void {
    this.#connections.delete(client);
    // From here on nobody looks any more, so that what was known is not known for long.
    const isLast = this.#connections.size === 0;
    if (isLast) for (const probe of this.#probes) probe.close();
    if (isLast || (!isExpected && client.hostUrl === this.#primary)) this.#primary = null;
  }

  #lookAgain(): Promise<string> {
    return (this.#look ??= this.#askAll().finally(() => {
      this.#look = null;
    }));
  }

  async #askAll(): Promise<string> {
    const found = await Promise.all(this.#probes.map((probe) => probe.ask()));
    let best: { readonly url: string; readonly timeline: bigint } | null = null;
    for (const each of found) {
      // What was primary before the last promotion must not be written to again, even if it does not know that yet.
      if (typeof each === "string" || each.timeline < this.#timeline) continue;
      if (!best || each.timeline > best.timeline) best = each;
    }
    if (!best) throw new NoPrimaryError(found.map((each) => wordsOf(each)));
    const isPromoted = best.timeline > this.#timeline;
    this.#timeline = best.timeline;
    this.#primary = best.url;
    if (isPromoted) this.#leaveOthers(best.url);
    return best.url;
  }

  /** Connections to a host that hangs would never break by themselves. */
  #leaveOthers(primary: string): void {
    for (const client of this.#connections) if (client.hostUrl !== primary) client.breakOff();
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    while (this.#connections.size > 0) {
      await this.#lookAgain().catch(() => {});
      await sleep(LOOK_MS, undefined, { ref: false });
    }
    this.#isWatching = false;
  }
}

function wordsOf(found: Found): string {
  return typeof found === "string" ? found : `${new URL(found.url).host} was the primary before the last promotion`;
}

export type HostClientConfig = pg.ClientConfig & { readonly hosts?: Hosts };

/** A connection that goes to whichever host takes writes, where it is made with `hosts`; else to its own. */
export class HostClient extends pg.Client {
  readonly #hosts: Hosts | undefined;
  /** Where it goes. */
  hostUrl: string | null = null;
  /**
   * Whether what stands behind it knows a statement again by its name: PgBouncer does from 1.21 on, with `max_prepared_statements`. Where
   * not, all are sent without.
   */
  carriesNames = true;
  /** That of the last statement. */
  #edition = 0;

  constructor(config: HostClientConfig = {}) {
    super(config);
    this.#hosts = config.hosts;
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
    connection.on("errorMessage", (error: Error) => {
      if (isOutdated(error)) leaveEdition(this.#edition);
      else if (hasLostNames(error)) this.carriesNames = false;
    });
  }

  override query(...given: never[]): never {
    const [statement, ...rest] = given as unknown as [unknown];
    this.#edition = currentEdition();
    const named = this.carriesNames ? inCurrentEdition(statement) : withoutName(statement);
    return super.query(...([named, ...rest] as unknown as [string])) as never;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    if (!callback)
      return new Promise((resolve, reject) => this.connect((error) => (error ? reject(error) : resolve(this))));
    const hosts = this.#hosts;
    if (!hosts) return super.connect(callback);
    void this.#connectToPrimary(hosts, callback);
  }

  async #connectToPrimary(hosts: Hosts, callback: (error: Error) => void): Promise<void> {
    try {
      this.#connectTo(hosts, await hosts.findPrimary(), callback);
    } catch (error) {
      callback(error as Error);
    }
  }

  #connectTo(hosts: Hosts, url: string, callback: (error: Error) => void): void {
    const { hostname, port } = new URL(url);
    Object.assign(this, { host: hostname.replace(/^\[(.+)\]$/, "$1"), port: Number(port || "5432"), hostUrl: url });
    hosts.add(this);
    this.once("end", () => hosts.remove(this, (this as unknown as { _ending: boolean })._ending));
    this.#watchState();
    super.connect((error: Error) => {
      if (error) hosts.remove(this, false);
      callback(error);
    });
  }

  /** PostgreSQL tells by itself when a connection can't write any more. */
  #watchState(): void {
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
    connection.on("parameterStatus", ({ parameterName: name, parameterValue: value }: ParameterStatus) => {
      if ((name === "in_hot_standby" || name === "default_transaction_read_only") && value === "on") this.breakOff();
    });
  }

  /** Ends it at once: whoever waits for an answer is told that the connection is lost. */
  breakOff(): void {
    const { connection } = this as unknown as { connection: { stream: { destroy: (error: Error) => void } } };
    connection.stream.destroy(Object.assign(new Error("the host takes no writes any more"), { code: "ECONNRESET" }));
  }
}

type ParameterStatus = { readonly parameterName: string; readonly parameterValue: string };
