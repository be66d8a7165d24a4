// Nodal as queues: servers with their lanes of batches, databases with the books of some buckets each, a bank.
// What belongs here: who waits for whom. Costs are in costs.ts, time and processors in engine.ts.
import { COSTS, MEMORY_MS, SEALED_AGAIN_MS, type StatementCost } from "./costs.ts";
import { Chance, type Clock, type Cores, Lane, Thread } from "./engine.ts";

/** As the server takes them at most. */
const MOST_IN_A_BATCH = 500;

/** A request under way. */
export type Transfer = { readonly merchant: number; readonly accepted: (isGood: boolean) => void };

export type DatabaseOptions = { readonly cores: Cores; readonly commitMs?: number };

/** One PostgreSQL with the books of its buckets. */
export class Database {
  readonly #clock: Clock;
  readonly #cores: Cores;
  readonly #commitMs: number;
  /** When each merchant's book was sealed last. */
  readonly #sealed = new Map<number, number>();
  isUp = true;

  constructor(clock: Clock, { cores, commitMs = COSTS.commitMs }: DatabaseOptions) {
    this.#clock = clock;
    this.#cores = cores;
    this.#commitMs = commitMs;
  }

  /** Runs a statement over so many things. */
  run({ eachMs, perItemMs }: StatementCost, items: number, writes: boolean, done: (isGood: boolean) => void): void {
    if (!this.isUp) return this.#clock.after(COSTS.hopMs, () => done(false));
    this.#cores.run(COSTS.beginMs + eachMs + items * perItemMs, () => {
      this.#clock.after(writes ? this.#commitMs : 0, () => done(this.isUp));
    });
  }

  /** Seals the books that changed, beside everything else. */
  seal(merchants: readonly number[]): void {
    for (const merchant of merchants) {
      if (this.#clock.nowMs - (this.#sealed.get(merchant) ?? -Infinity) < SEALED_AGAIN_MS) continue;
      this.#sealed.set(merchant, this.#clock.nowMs);
      this.#cores.run(COSTS.sealMs, () => {});
    }
  }
}

export type ServerOptions = {
  readonly cores: Cores;
  /** The database of each merchant, by its bucket. */
  readonly databases: readonly Database[];
  /** How many batches of one database are written at once. */
  readonly lanes: number;
  /** How long the bank takes to answer; null for one that never does. */
  readonly bankMs: number | null;
  /** Calls to the bank at once. */
  readonly concurrency: number;
};

type Item = { readonly transfer: Transfer; readonly isOutcome: boolean };

/** One process of Nodal's server. */
export class Server {
  readonly #clock: Clock;
  readonly #options: ServerOptions;
  readonly #thread: Thread;
  readonly #parts: readonly Part[];
  readonly #known: Record<keyof typeof MEMORY_MS, Map<number, number>> = {
    keys: new Map(),
    beneficiaries: new Map(),
    limits: new Map(),
  };
  #calls = 0;
  readonly #leaving: Transfer[] = [];
  finished = 0;

  constructor(clock: Clock, options: ServerOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#thread = new Thread(options.cores);
    this.#parts = options.databases.map((database) => this.#partOf(database));
  }

  /** A request of a merchant arrives. */
  request(transfer: Transfer): void {
    const part = this.#part(transfer);
    this.#thread.run(COSTS.requestMs / 2, () =>
      this.#lookUp(part, "keys", transfer, () =>
        this.#lookUp(part, "limits", transfer, () =>
          this.#lookUp(part, "beneficiaries", transfer, () => part.write({ transfer, isOutcome: false })),
        ),
      ),
    );
  }

  /** How many things a batch had, on average. */
  get batchSize(): number {
    const [batches, items] = this.#parts.reduce(([a, b], { lanes }) => [a + lanes.batches, b + lanes.items], [0, 0]);
    return items / Math.max(1, batches);
  }

  #part({ merchant }: Transfer): Part {
    return this.#parts[merchant % this.#parts.length]!;
  }

  /** What is not remembered is asked, together with what others ask meanwhile. */
  #lookUp(part: Part, what: keyof typeof MEMORY_MS, transfer: Transfer, next: () => void): void {
    const until = this.#known[what].get(transfer.merchant) ?? -Infinity;
    if (this.#clock.nowMs < until) return next();
    part.lookUps[what].add((isGood) => {
      if (!isGood) return transfer.accepted(false);
      this.#known[what].set(transfer.merchant, this.#clock.nowMs + MEMORY_MS[what]);
      next();
    });
  }

  #partOf(database: Database): Part {
    const asking = (cost: StatementCost, writes = false): Lane<(isGood: boolean) => void> =>
      new Lane(MOST_IN_A_BATCH, (batch, done) =>
        this.#statement(database, cost, batch.length, writes, (isGood) => {
          done();
          batch.forEach((each) => each(isGood));
        }),
      );
    const lookUps = {
      keys: asking(COSTS.keys),
      beneficiaries: asking(COSTS.beneficiaries),
      limits: asking(COSTS.limits, false),
    };
    const bank = asking(COSTS.bank, true);
    const lanes = Array.from(
      { length: this.#options.lanes },
      () => new Lane<Item>(MOST_IN_A_BATCH, (batch, done) => this.#writeBatch(database, batch, done)),
    );
    const sum = (of: "batches" | "items") => lanes.reduce((total, lane) => total + lane[of], 0);
    return {
      lookUps,
      bank,
      write: ({ transfer, isOutcome }) => lanes[transfer.merchant % lanes.length]!.add({ transfer, isOutcome }),
      lanes: {
        get batches() {
          return sum("batches");
        },
        get items() {
          return sum("items");
        },
      },
    };
  }

  #writeBatch(database: Database, batch: readonly Item[], done: () => void): void {
    this.#statement(database, COSTS.write, batch.length, true, (isGood) => {
      done();
      database.seal(batch.map(({ transfer }) => transfer.merchant));
      for (const { transfer, isOutcome } of batch) {
        if (isOutcome) this.finished += 1;
        else this.#answer(transfer, isGood);
      }
    });
  }

  #answer(transfer: Transfer, isGood: boolean): void {
    this.#thread.run(COSTS.requestMs / 2, () => {
      this.#clock.after(COSTS.hopMs, () => transfer.accepted(isGood));
      if (!isGood || this.#options.bankMs === null) return;
      this.#leaving.push(transfer);
      this.#callBank();
    });
  }

  #callBank(): void {
    while (this.#calls < this.#options.concurrency && this.#leaving.length > 0) {
      const transfer = this.#leaving.shift()!;
      this.#calls += 1;
      const part = this.#part(transfer);
      part.bank.add(() => {
        this.#clock.after(this.#options.bankMs!, () =>
          this.#thread.run(COSTS.outcomeMs, () => {
            this.#calls -= 1;
            part.write({ transfer, isOutcome: true });
            this.#callBank();
          }),
        );
      });
    }
  }

  #statement(
    database: Database,
    cost: StatementCost,
    items: number,
    writes: boolean,
    done: (isGood: boolean) => void,
  ): void {
    this.#thread.run(COSTS.sendMs / 2, () =>
      this.#clock.after(COSTS.hopMs, () =>
        database.run(cost, items, writes, (isGood) =>
          this.#clock.after(COSTS.hopMs, () => this.#thread.run(COSTS.sendMs / 2, () => done(isGood))),
        ),
      ),
    );
  }
}

/** A server's queues for one database. */
type Part = {
  readonly lookUps: Readonly<Record<keyof typeof MEMORY_MS, Lane<(isGood: boolean) => void>>>;
  readonly bank: Lane<(isGood: boolean) => void>;
  readonly write: (item: Item) => void;
  readonly lanes: { readonly batches: number; readonly items: number };
};

/** Clients that send the next request as soon as they have an answer, or requests that come by themselves. */
export class Load {
  readonly latenciesMs: number[] = [];
  refused = 0;
  readonly #clock: Clock;
  readonly #send: (transfer: Transfer) => void;
  readonly #merchants: number;
  readonly #chance = new Chance(20_261_123);
  #countsFromMs = 0;

  constructor(clock: Clock, merchants: number, send: (transfer: Transfer) => void) {
    this.#clock = clock;
    this.#merchants = merchants;
    this.#send = send;
  }

  /** Forgets what was so far: from here on it counts. */
  countFromHere(): void {
    this.#countsFromMs = this.#clock.nowMs;
    this.latenciesMs.length = 0;
    this.refused = 0;
  }

  /** So many clients, each on the cores of its machine. */
  keepSending(connections: number, cores: Cores): void {
    const next = (): void => cores.run(COSTS.clientMs, () => this.#clock.after(COSTS.hopMs, () => this.#one(next)));
    for (let each = 0; each < connections; each += 1) next();
  }

  /** So many requests a second, at random moments. */
  arrive(perSecond: number): void {
    this.#clock.after(this.#chance.gapMs(perSecond / 1000), () => {
      this.#one(() => {});
      this.arrive(perSecond);
    });
  }

  get perSecond(): number {
    return (this.latenciesMs.length * 1000) / (this.#clock.nowMs - this.#countsFromMs);
  }

  #one(then: () => void): void {
    const startedAtMs = this.#clock.nowMs;
    const merchant = Math.floor(this.#chance.next() * this.#merchants);
    this.#send({
      merchant,
      accepted: (isGood) => {
        if (isGood) this.latenciesMs.push(this.#clock.nowMs - startedAtMs);
        else this.refused += 1;
        then();
      },
    });
  }
}
