// A database with several hosts, of which the primary accepts writes. Another one may become the primary at any time,
// when a standby is promoted. Connections are made in pool.ts.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Probe, type Found } from "./probe.ts";
import type { Silence } from "./silence.ts";
import { currentEdition, hasLostNames, inCurrentEdition, isOutdated, leaveEdition, withoutName } from "./plans.ts";

/** How often all hosts are checked while there are connections. */
const LOOK_MS = 500;
/** A host that takes longer counts as down. */
const PROBE_MS = 1500;

/** None of the hosts accepts writes at the moment. */
export class NoPrimaryError extends Error {
  constructor(found: readonly string[]) {
    super(`No database host accepts writes: ${found.join("; ")}.`);
    this.name = "NoPrimaryError";
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
    this.#probes = urls.map((url) => new Probe(url, PROBE_MS));
  }

  /** The hosts of these URLs, one URL per host. */
  static of(urls: readonly string[]): Hosts {
    const key = urls.join(" ");
    const known = Hosts.#known.get(key) ?? new Hosts(urls);
    Hosts.#known.set(key, known);
    return known;
  }

  /**
   * The URL of the host that accepts writes.
   * @throws NoPrimaryError
   */
  findPrimary(): Promise<string> {
    return this.#primary === null ? this.lookForPrimary() : Promise.resolve(this.#primary);
  }

  /** The same, without trusting earlier results. */
  lookForPrimary(): Promise<string> {
    return (this.#look ??= this.#askAll().finally(() => {
      this.#look = null;
    }));
  }

  /** Registers a connection, open or being opened, to the presumed primary. */
  add(client: HostClient): void {
    this.#connections.add(client);
    if (!this.#isWatching) void this.#watch();
  }

  /** Removes a closed connection. After an unexpected end, its host may no longer be the primary. */
  remove(client: HostClient, isExpected: boolean): void {
    this.#connections.delete(client);
    // From here on nobody checks the hosts, so the known primary soon becomes stale.
    const isLast = this.#connections.size === 0;
    if (isLast) for (const probe of this.#probes) probe.close();
    if (isLast || (!isExpected && client.hostUrl === this.#primary)) this.#primary = null;
  }

  async #askAll(): Promise<string> {
    const found = await Promise.all(this.#probes.map((probe) => probe.ask()));
    let best: { readonly url: string; readonly timeline: bigint } | null = null;
    for (const each of found) {
      // An old primary must not get writes after a promotion, even if it does not know about it yet.
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

  /** Breaks off connections to other hosts: those to a host that hangs would never end by themselves. */
  #leaveOthers(primary: string): void {
    for (const client of this.#connections) if (client.hostUrl !== primary) client.breakOff(readOnlyError());
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    while (this.#connections.size > 0) {
      await this.lookForPrimary().catch(() => {});
      await sleep(LOOK_MS, undefined, { ref: false });
    }
    this.#isWatching = false;
  }
}

function wordsOf(found: Found): string {
  return typeof found === "string" ? found : `${new URL(found.url).host} was the primary before the last promotion`;
}

function readOnlyError(): Error {
  return Object.assign(new Error("the host no longer accepts writes"), { code: "ECONNRESET" });
}

/** How a connection finds its host; without `hosts` as usual. */
export type HostClientConfig = pg.ClientConfig & {
  readonly hosts?: Hosts | undefined;
  readonly silence?: Silence | undefined;
};

/** Members of the driver that its types lack. */
type Driver = {
  readonly connection: NodeJS.EventEmitter & {
    readonly stream: { readonly bytesRead: number; destroy(error: Error): void };
  };
  readonly _ending: boolean;
};
type ParameterStatus = { readonly parameterName: string; readonly parameterValue: string };

/** A connection that goes to the host that accepts writes, if made with `hosts`, and is broken off if nothing answers. */
export class HostClient extends pg.Client {
  readonly #hosts: Hosts | undefined;
  readonly #silence: Silence | undefined;
  /** The host's URL. */
  hostUrl: string | null = null;
  /** Is it waiting for an answer? */
  isWaiting = false;
  /**
   * Can prepared statements be reused by name? PgBouncer supports it from 1.21 on, with `max_prepared_statements`. If
   * not, all are sent without names.
   */
  carriesNames = true;
  /** The edition of the last statement. */
  #edition = 0;

  constructor(config: HostClientConfig = {}) {
    super(config);
    this.#hosts = config.hosts;
    this.#silence = config.silence;
    this.#driver.connection.on("errorMessage", (error: Error) => {
      if (isOutdated(error)) leaveEdition(this.#edition);
      else if (hasLostNames(error)) this.carriesNames = false;
    });
    this.on("drain", () => (this.isWaiting = false));
  }

  /** The number of bytes received. */
  get bytesRead(): number {
    return this.#driver.connection.stream.bytesRead;
  }

  override query(...given: never[]): never {
    const [statement, ...rest] = given as unknown as [unknown];
    this.#edition = currentEdition();
    this.isWaiting = true;
    const named = this.carriesNames ? inCurrentEdition(statement) : withoutName(statement);
    return super.query(...([named, ...rest] as unknown as [string])) as never;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    if (!callback)
      return new Promise((resolve, reject) => this.connect((error) => (error ? reject(error) : resolve(this))));
    void this.#connectWhereAnswered(callback);
  }

  async #connectWhereAnswered(callback: (error: Error) => void): Promise<void> {
    try {
      await this.#silence?.requireAnswer();
      const url = await this.#hosts?.findPrimary();
      if (url !== undefined) this.#goTo(this.#hosts!, url);
    } catch (error) {
      callback(error as Error);
      return;
    }
    this.#silence?.add(this);
    this.once("end", () => this.#leave(this.#driver._ending));
    this.isWaiting = true;
    super.connect((error: Error) => {
      this.isWaiting = false;
      if (error) this.#leave(false);
      callback(error);
    });
  }

  #goTo(hosts: Hosts, url: string): void {
    const { hostname, port } = new URL(url);
    Object.assign(this, { host: hostname.replace(/^\[(.+)\]$/, "$1"), port: Number(port || "5432"), hostUrl: url });
    hosts.add(this);
    this.#watchState();
  }

  #leave(isExpected: boolean): void {
    this.#silence?.remove(this);
    this.#hosts?.remove(this, isExpected);
  }

  /** PostgreSQL reports when a connection becomes read-only. */
  #watchState(): void {
    this.#driver.connection.on("parameterStatus", ({ parameterName: name, parameterValue: value }: ParameterStatus) => {
      const isReadOnly = (name === "in_hot_standby" || name === "default_transaction_read_only") && value === "on";
      if (isReadOnly) this.breakOff(readOnlyError());
    });
  }

  /** Ends it at once. Pending statements fail with a lost connection. */
  breakOff(error: Error): void {
    this.#driver.connection.stream.destroy(error);
  }

  get #driver(): Driver {
    return this as unknown as Driver;
  }
}
