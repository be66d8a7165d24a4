// The queue of a batcher at one place: batches, turns, and waits for locked rows.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { isLockTimeout, rowsLocked } from "./database/failure.ts";

export type BatcherOptions<Item, Result> = {
  /** Handles a batch. Returns one result or error for each item, in order. */
  readonly run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly maxBatch: number;
  /** The most batches that run at once. */
  readonly lanes: number;
  /**
   * The least time from the start of one batch to the next. It costs a lone item nothing; under load it makes fewer and
   * larger batches, each of which costs the database much the same.
   */
  readonly spacingMs?: number;
  /** Left out, a batch starts as soon as a lane is free. */
  readonly gather?: Gathering;
  /** Items with equal keys never share a batch; the later one waits for the next. `null` shares with all. */
  readonly apartKey?: (item: Item) => string | null;
  /**
   * Starts a batch. The returned function tells whether an item fits, for each owner's items in order of arrival. An
   * owner's part ends before the first that doesn't. The first item of a batch always fits.
   */
  readonly openBatch?: () => (item: Item) => boolean;
  /** Items of different places share no batch, and each place has separate lanes. By default there is one place. */
  readonly placeOf?: PlaceOf<Item>;
  /**
   * The owner of the rows that an item changes. Owners take turns, and no owner is in two batches at once. By default
   * there is one queue, whose batches may run in parallel.
   */
  readonly ownerOf?: (item: Item) => string;
  /** Does an item take long? It is a batch by itself, in a separate lane. */
  readonly isHeavy?: (item: Item) => boolean;
  /** By default, an item whose rows are locked is rejected with the database's error. Needs `ownerOf`. */
  readonly locked?: LockedRows<Item>;
};

/**
 * After a batch of at least four items, the next one waits for as many items as were answered or are waiting, since
 * answered callers usually call again soon. Each batch has a fixed cost, and servers with small batches for the same
 * merchants wait for each other. Fewer items never wait.
 */
export type Gathering = {
  /** The longest wait, in ms. */
  readonly forMs: number;
  /** The most items to wait for. Lanes share waiting items: a second batch starts if both get about as many. */
  readonly upTo: number;
};

/**
 * Handling of locked rows. For items with locked rows, `run` must return the database's error (`isLockTimeout`) and
 * change nothing. The batch is retried without them, and their owners wait until the rows are free.
 */
export type LockedRows<Item> = {
  /** The owners of these items whose rows are not locked at the moment. */
  readonly findFree: (items: readonly Item[]) => Promise<ReadonlySet<string>>;
  /** How long an item waits, in ms. After that it is rejected with `unavailable`. */
  readonly waitMs: number;
};

/** The location of an item's rows, such as a node of Citus. A node that hangs doesn't hold up the others. */
export type PlaceOf<Item> = (item: Item) => string | number;

/** An item, with its caller's promise. */
type Waiting<Item, Result> = {
  readonly item: Item;
  readonly owner: Owner<Item, Result>;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
  /** When it stops waiting for locked rows. */
  giveUpAtMs: number;
};

/** An item, or work that runs alone. */
type Entry<Item, Result> = Waiting<Item, Result> | { readonly work: () => Promise<void> };

type Owner<Item, Result> = {
  readonly name: string;
  /** Waiting entries, in order of arrival. */
  entries: Entry<Item, Result>[];
  /** How many of its batches are running, or waiting for locked rows. */
  underWay: number;
  /**
   * When it was last tried alone, for a lock that `findFree` can't see; 0 if not yet; else `null`.
   */
  triedAloneAtMs: number | null;
};

/** The smallest batch after which the next one gathers. */
const GATHER_AFTER = 4;
/** The part of `upTo` that each free lane must get before lanes share the waiting items. */
const SHARED_PART = 0.75;
/** How often to check whether locked rows are free. */
const LOOK_MS = 50;

/** The items of one place. */
export class Place<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  /** All owners with something waiting or running. */
  readonly #owners = new Map<string, Owner<Item, Result>>();
  /** Owners whose first item may be in the next batch, in turn. */
  readonly #ready = new Set<Owner<Item, Result>>();
  /** Owners whose rows are locked. */
  readonly #locked = new Set<Owner<Item, Result>>();
  /** The number of waiting items of ready owners. */
  #waiting = 0;
  #lanesInUse = 0;
  #isHeavyUnderWay = false;
  /** Batches being written for which others gather. */
  #gatheredFor = 0;
  #isStarting = false;
  #isLooking = false;
  #timer: NodeJS.Timeout | undefined;
  #nextStartMs = 0;
  /** How many items the next batch gathers, and until when. */
  #wanted = 0;
  #gathersUntilMs = 0;
  #idle: (() => void)[] = [];

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    const { ownerOf, locked } = this.#options;
    const owner = this.#ownerAt(ownerOf ? ownerOf(item) : "");
    const giveUpAtMs = this.#locked.has(owner) ? performance.now() + locked!.waitMs : Infinity;
    return new Promise((resolve, reject) => this.#push(owner, { item, owner, resolve, reject, giveUpAtMs }));
  }

  alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const owner = this.#ownerAt(name);
    return new Promise((resolve, reject) => this.#push(owner, { work: () => Promise.try(work).then(resolve, reject) }));
  }

  drain(): Promise<void> {
    if (this.#owners.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #ownerAt(name: string): Owner<Item, Result> {
    return this.#owners.getOrInsertComputed(name, () => {
      return { name, entries: [], underWay: 0, triedAloneAtMs: null };
    });
  }

  #push(owner: Owner<Item, Result>, entry: Entry<Item, Result>): void {
    owner.entries.push(entry);
    if (this.#isAway(owner)) return;
    this.#waiting += 1;
    this.#setReady(owner);
  }

  /** Must the owner's items wait for the end of its batch? */
  #isAway({ underWay }: Owner<Item, Result>): boolean {
    return underWay > 0 && this.#options.ownerOf !== undefined;
  }

  #setReady(owner: Owner<Item, Result>): void {
    if ("work" in owner.entries[0]!) void this.#runAlone(owner);
    else {
      this.#ready.add(owner);
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isStarting || this.#next() === null) return;
    const startMs = this.#waiting < this.#wanted ? this.#gathersUntilMs : 0;
    const waitMs = Math.max(startMs, this.#nextStartMs) - performance.now();
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#wanted = 0;
        this.#schedule();
      }, waitMs);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isStarting = true;
    // After the I/O of this turn, so that requests that were read together share a batch.
    setImmediate(() => {
      this.#isStarting = false;
      this.#wanted = 0;
      this.#nextStartMs = performance.now() + (this.#options.spacingMs ?? 0);
      for (let owner = this.#next(); owner !== null; owner = this.#next()) void this.#runBatch(owner);
    });
  }

  /** The owner whose turn it is; `null` if no batch may start. */
  #next(): Owner<Item, Result> | null {
    const hasLane = this.#lanesInUse < this.#options.lanes && (this.#gatheredFor === 0 || this.#isWorthLane(1));
    const hasHeavyLane = this.#options.isHeavy !== undefined && !this.#isHeavyUnderWay;
    if (!hasLane && !hasHeavyLane) return null;
    for (const owner of this.#ready) if (this.#isHeavy(owner.entries[0]!) ? hasHeavyLane : hasLane) return owner;
    return null;
  }

  #isHeavy(entry: Entry<Item, Result>): boolean {
    const { isHeavy } = this.#options;
    return isHeavy !== undefined && "item" in entry && isHeavy(entry.item);
  }

  async #runBatch(first: Owner<Item, Result>): Promise<void> {
    const isHeavy = this.#isHeavy(first.entries[0]!);
    const batch = isHeavy ? this.#take([first], 1) : this.#take(new Set([first, ...this.#ready]), this.#shareOfLane());
    const owners = this.#leave(batch);
    if (isHeavy) this.#isHeavyUnderWay = true;
    else this.#lanesInUse += 1;
    // Only after a batch that left nothing waiting. Otherwise batches are full without a wait.
    const gathersNext = this.#options.gather && !isHeavy && batch.length >= GATHER_AFTER && this.#waiting === 0;
    if (gathersNext) this.#gatheredFor += 1;
    const stopped = await this.#write(batch);
    if (gathersNext) this.#gatheredFor -= 1;
    if (stopped.length > 0) {
      this.#schedule();
      await this.#writeUnlocked(stopped);
    }
    if (isHeavy) this.#isHeavyUnderWay = false;
    else this.#lanesInUse -= 1;
    this.#gather(batch.length, owners);
    for (const owner of owners) if (!this.#locked.has(owner)) this.#comeBack(owner);
    this.#schedule();
  }

  async #runAlone(owner: Owner<Item, Result>): Promise<void> {
    const { work } = owner.entries.shift() as { readonly work: () => Promise<void> };
    this.#waiting -= 1 + owner.entries.length;
    owner.underWay += 1;
    // As for a batch: after the earlier callers have received their results.
    await nextTurn();
    await work();
    this.#comeBack(owner);
  }

  /** Are enough items waiting for a large batch in each of so many lanes? */
  #isWorthLane(lanes: number): boolean {
    return this.#waiting >= lanes * (this.#options.gather?.upTo ?? Infinity) * SHARED_PART;
  }

  /** The most items of the next batch: all, or an equal share if other lanes are free for the rest. */
  #shareOfLane(): number {
    const { lanes, maxBatch } = this.#options;
    let shares = lanes - this.#lanesInUse;
    while (shares > 1 && !this.#isWorthLane(shares)) shares -= 1;
    return shares === 1 ? maxBatch : Math.min(maxBatch, Math.ceil(this.#waiting / shares));
  }

  /** Takes a batch of items from these owners, each in turn. */
  #take(owners: Iterable<Owner<Item, Result>>, most = this.#options.maxBatch): Waiting<Item, Result>[] {
    const { apartKey = () => null, openBatch } = this.#options;
    const fits = openBatch?.() ?? (() => true);
    const keys = new Set<string>();
    const batch: Waiting<Item, Result>[] = [];
    for (const owner of owners) {
      const passed: Entry<Item, Result>[] = [];
      let seen = 0;
      for (const entry of owner.entries) {
        const isFirst = batch.length === 0;
        if (batch.length >= most || "work" in entry || (!isFirst && this.#isHeavy(entry))) break;
        const key = apartKey(entry.item);
        const isApart = key !== null && keys.has(key);
        if (!isApart && !fits(entry.item) && !isFirst) break;
        if (key !== null) keys.add(key);
        (isApart ? passed : batch).push(entry);
        seen += 1;
      }
      if (seen > 0) owner.entries = passed.concat(owner.entries.slice(seen));
      if (batch.length >= most) break;
    }
    return batch;
  }

  /** Removes the owners of a batch from the ready ones. Returns them. */
  #leave(batch: readonly Waiting<Item, Result>[]): ReadonlySet<Owner<Item, Result>> {
    const owners = new Set(batch.map(({ owner }) => owner));
    this.#waiting -= batch.length;
    for (const owner of owners) {
      owner.underWay += 1;
      if (this.#isAway(owner)) this.#waiting -= owner.entries.length;
      if (this.#isAway(owner) || owner.entries.length === 0) this.#ready.delete(owner);
    }
    return owners;
  }

  /** Puts the owner at the end of the ready ones. */
  #comeBack(owner: Owner<Item, Result>): void {
    const wasAway = this.#isAway(owner);
    owner.underWay -= 1;
    if (owner.entries.length > 0) {
      if (wasAway) this.#waiting += owner.entries.length;
      this.#setReady(owner);
    } else if (owner.underWay === 0) {
      this.#owners.delete(owner.name);
      if (this.#owners.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Lets the next batch gather after one of these owners, which become ready again. */
  #gather(lastLength: number, owners: ReadonlySet<Owner<Item, Result>>): void {
    const { gather } = this.#options;
    if (!gather || lastLength < GATHER_AFTER) return;
    let waiting = this.#waiting;
    for (const owner of owners) if (this.#isAway(owner) && !this.#locked.has(owner)) waiting += owner.entries.length;
    this.#wanted = Math.min(lastLength + waiting, gather.upTo);
    this.#gathersUntilMs = performance.now() + gather.forMs;
  }

  /** Runs a batch and settles its items. Returns those with locked rows, or in one batch with such items. */
  async #write(batch: readonly Waiting<Item, Result>[]): Promise<Waiting<Item, Result>[]> {
    if (batch.length === 0) return [];
    const stopped: Waiting<Item, Result>[] = [];
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      batch.forEach((waiting, index) => {
        const result = results[index];
        if (this.#options.locked && isLockTimeout(result)) stopped.push(waiting);
        else if (result instanceof Error) waiting.reject(result);
        else waiting.resolve(result as Result);
      });
    } catch (error) {
      for (const waiting of batch) waiting.reject(error as Error);
    }
    return stopped;
  }

  /**
   * Retries a batch that met locked rows, without owners whose rows are still locked. These are set aside, with all
   * that meet a lock again. First they are retried together: another server's batch only takes a moment.
   */
  async #writeUnlocked(stopped: readonly Waiting<Item, Result>[]): Promise<void> {
    const free = await this.#options.locked!.findFree(stopped.map(({ item }) => item)).catch(() => new Set<string>());
    const again = await this.#write(stopped.filter(({ owner }) => free.has(owner.name)));
    this.#setAside([...again, ...stopped.filter(({ owner }) => !free.has(owner.name))]);
  }

  /** Puts items back at the front of their owners' queues, which wait for the rows. */
  #setAside(stopped: readonly Waiting<Item, Result>[]): void {
    const giveUpAtMs = performance.now() + this.#options.locked!.waitMs;
    for (const waiting of stopped.toReversed()) waiting.owner.entries.unshift(waiting);
    for (const owner of new Set(stopped.map((waiting) => waiting.owner))) {
      this.#locked.add(owner);
      for (const entry of owner.entries) if ("item" in entry) entry.giveUpAtMs = Math.min(entry.giveUpAtMs, giveUpAtMs);
    }
    if (!this.#isLooking && this.#locked.size > 0) void this.#lookUntilFree();
  }

  async #lookUntilFree(): Promise<void> {
    this.#isLooking = true;
    while (this.#locked.size > 0) {
      await sleep(LOOK_MS);
      const failure = await this.#look().catch((error: unknown) => error);
      this.#giveUp(failure);
    }
    this.#isLooking = false;
  }

  /** Retries owners whose rows seem free: together, then each alone. */
  async #look(): Promise<void> {
    const firsts = [...this.#locked].flatMap(({ entries: [first] }) => ("item" in first! ? [first.item] : []));
    const names = await this.#options.locked!.findFree(firsts);
    const free = [...this.#locked].filter(({ name }) => names.has(name));
    await this.#tryAgain(free.filter(({ triedAloneAtMs }) => triedAloneAtMs === null));
    // All that were not tried alone yet, and of the others the one whose last try is the oldest.
    const alone = free.filter((owner) => this.#locked.has(owner) && owner.triedAloneAtMs !== null);
    const again = alone.filter(({ triedAloneAtMs }) => triedAloneAtMs! > 0);
    const [oldest] = again.toSorted((one, other) => one.triedAloneAtMs! - other.triedAloneAtMs!);
    for (const owner of alone.filter((each) => each.triedAloneAtMs === 0 || each === oldest)) {
      await this.#tryAgain([owner]);
      if (this.#locked.has(owner)) owner.triedAloneAtMs = performance.now();
    }
  }

  async #tryAgain(owners: readonly Owner<Item, Result>[]): Promise<void> {
    const batch = this.#take(owners);
    const stopped = await this.#write(batch);
    for (const { owner } of stopped) owner.triedAloneAtMs ??= 0;
    this.#setAside(stopped);
    const done = new Set(batch.map(({ owner }) => owner)).difference(new Set(stopped.map(({ owner }) => owner)));
    for (const owner of done) this.#unlock(owner);
  }

  #unlock(owner: Owner<Item, Result>): void {
    this.#locked.delete(owner);
    owner.triedAloneAtMs = null;
    this.#comeBack(owner);
  }

  /** Rejects items that waited too long. */
  #giveUp(cause: unknown): void {
    const nowMs = performance.now();
    const isOver = (entry: Entry<Item, Result>) => "item" in entry && entry.giveUpAtMs <= nowMs;
    for (const owner of this.#locked) {
      for (const entry of owner.entries) if ("item" in entry && isOver(entry)) entry.reject(rowsLocked(cause));
      owner.entries = owner.entries.filter((entry) => !isOver(entry));
      if (!owner.entries[0] || "work" in owner.entries[0]) this.#unlock(owner);
    }
  }
}
