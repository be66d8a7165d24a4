// The world of one seed: banks, merchants, and processes of Nodal over one database, with their clocks, network and
// chance.
import { type SimulatedBank, openBank } from "./banks.ts";
import { takeWritten } from "./changes.ts";
import { Dice } from "./dice.ts";
import { useDatabase, type SimulatedPool } from "./database.ts";
import { Network } from "./network.ts";
import { Actor, renewScheduler, running, scheduler } from "./scheduler.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { profileRecord, createMerchants, requireMerchant, type Merchant } from "../../src/merchants/index.ts";
import { connectProvider, openPayouts, setWhenDown, type Payouts } from "../../src/payouts/index.ts";
import { insertBeneficiaries } from "../../src/payouts/beneficiaries/beneficiary-store.ts";
import type { Beneficiary } from "../../src/payouts/beneficiaries/beneficiary.ts";
import { readConfig } from "../../src/platform/config.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import type { Logger } from "../../src/platform/log.ts";
import type { Metrics } from "../../src/platform/metrics.ts";
import { MasterKeys, parseMasterKey, Secrets, withSecrets } from "../../src/platform/secrets/index.ts";
import { newBeneficiary } from "../support/ledger.ts";
import { takeLive } from "../support/live.ts";
import { TEST_MASTER_KEY } from "../support/nodal.ts";
import { TEST_ACTOR } from "../support/secrets.ts";
import { ownCredentials } from "../support/stand-ins.ts";

/** What a migrated database has in it. */
const KEPT = ["data_key", "installation", "schema_migration", "seal_head"];
const VACUUM_EVERY = 20;

/** Where simulations take place. */
export type Stage = {
  /** Of a migrated database. */
  readonly url: string;
  /** Whether polls are asked of it also where they are known to find nothing: that must not make a difference. */
  readonly isEveryPollDue: boolean;
};

/** Ids of a seed are its own, and the same each time. */
const BLOCKS_OF_A_SEED = 256n;
const FIRST_BLOCK = 10_000n;
export const NODAL = "http://nodal.test";

/** A process of Nodal. */
export class Process extends Actor {
  payouts: Payouts | null = null;
  ids: IdSource | null = null;
  pool: OwnedPool | null = null;
}

export type SimulatedMerchant = {
  readonly merchant: Merchant;
  readonly bank: SimulatedBank;
  readonly beneficiaries: readonly Beneficiary[];
};

const METRICS = { gauge: () => {} } as unknown as Metrics;

export class World {
  readonly seed: number;
  readonly dice: Dice;
  readonly network: Network;
  readonly pools = new Set<SimulatedPool>();
  readonly owner: OwnedPool;
  readonly ids: IdSource;
  /** What the database's own rules about books had to refuse, which the code should have seen. */
  readonly refusedWrites: string[] = [];
  banks: readonly SimulatedBank[] = [];
  merchants: SimulatedMerchant[] = [];
  processes: Process[] = [];
  readonly #url: string;
  readonly #waitMs: number;
  #started = 0;

  private constructor(seed: number, { url, isEveryPollDue }: Stage) {
    this.seed = seed;
    this.#url = url;
    this.dice = new Dice(seed);
    this.network = new Network(this.dice);
    this.#waitMs = this.dice.percent(50) ? 0 : 1500;
    renewScheduler();
    useDatabase({ dice: this.dice, pools: this.pools, isEveryPollDue });
    globalThis.fetch = this.network.fetch as unknown as typeof fetch;
    Math.random = this.dice.random;
    this.owner = this.#createPool({ actor: TEST_ACTOR, size: 2 });
    this.ids = new IdSource(this.owner);
  }

  /** Makes the world of a seed in a migrated database. */
  static async make(seed: number, stage: Stage): Promise<World> {
    const world = new World(seed, stage);
    await forgetOthers(world.owner);
    await world.owner.query("select setval('id_block', $1)", [FIRST_BLOCK + BigInt(seed) * BLOCKS_OF_A_SEED]);
    world.banks = await Promise.all((["cashfree", "razorpayx"] as const).map((name) => openBank(name, world)));
    await world.#makeMerchants(world.dice.whole(1, 3));
    return world;
  }

  get alive(): Process[] {
    return this.processes.filter(({ isAlive }) => isAlive);
  }

  /** Those that have started, and take requests. */
  get ready(): Process[] {
    return this.alive.filter(({ payouts }) => payouts !== null);
  }

  /** Starts a process. It is ready some time later. */
  start(): void {
    this.#started += 1;
    const process = new Process(`process ${this.#started}`);
    this.processes.push(process);
    scheduler().note(process.name, "starts");
    void running.run(process, async () => {
      process.pool = this.#createPool({ role: "nodal_server", size: 2, actor: TEST_ACTOR });
      process.ids = new IdSource(process.pool);
      try {
        process.payouts = await openPayouts({
          config: readConfig({
            TRANSFER_WAIT_MS: String(this.#waitMs),
            BANK_TIMEOUT_MS: "3000",
            PROVIDER_CALLS_PER_SECOND: "0",
          }),
          database: { url: this.#url, ownerUrl: this.#url, secrets: secrets(), alone: false },
          ids: process.ids,
          metrics: METRICS,
          logger: loggerOf(process, this.refusedWrites),
        });
        scheduler().note(process.name, "is ready");
      } catch (error) {
        scheduler().note(process.name, `did not start: ${(error as Error).message}`);
        await this.crash(process);
      }
    });
  }

  /** Ends a process as a loss of power does: what it had sent to the database may still be run there. */
  async crash(process: Process): Promise<void> {
    scheduler().note(process.name, "crashes");
    process.isAlive = false;
    for (const pool of this.pools) {
      if (pool.actor !== process) continue;
      this.pools.delete(pool);
      for (const connection of pool.connections) await connection.abandon(this.dice.whole(0, connection.sentCount));
    }
  }

  /** Breaks one connection to the database. */
  async breakConnection(process: Process): Promise<void> {
    const busy = [...this.pools]
      .filter(({ actor }) => actor === process)
      .flatMap(({ connections }) => [...connections].filter(({ isBusy }) => isBusy));
    if (busy.length === 0) return;
    const connection = this.dice.pick(busy);
    scheduler().note(process.name, "loses a connection to the database");
    await connection.abandon(this.dice.whole(0, connection.sentCount));
  }

  /** Stops a process in good order; it ends some time later. */
  stop(process: Process): void {
    const { payouts } = process;
    if (!payouts) return;
    process.payouts = null;
    scheduler().note(process.name, "is asked to stop");
    void running.run(process, async () => {
      await payouts.close(2000);
      await process.pool!.end();
      scheduler().note(process.name, "has stopped");
      process.isAlive = false;
    });
  }

  /** Lets a process stand still for a while, as the system may. */
  standStill(process: Process, forMs: number): void {
    scheduler().note(process.name, `stands still for ${Math.round(forMs)} ms`);
    process.standsStillUntilMs = scheduler().nowMs + forMs;
    for (const pool of this.pools) {
      if (pool.actor !== process) continue;
      for (const connection of pool.connections) scheduler().add(5000, null, () => connection.endTransaction());
    }
  }

  /** Ends what is left of it. */
  async close(): Promise<void> {
    for (const process of this.alive) await this.crash(process);
    // What was on its way to the database arrives there.
    await scheduler().runUntil(scheduler().nowMs + 10_000);
    for (const bank of this.banks) await bank.close();
    await this.owner.end();
  }

  #createPool(options: Omit<Parameters<typeof createPool>[0], "url">): OwnedPool {
    return withSecrets(createPool({ url: this.#url, ...options }), secrets());
  }

  async #makeMerchants(count: number): Promise<void> {
    const { owner: pool, ids, dice } = this;
    for (let index = 0; index < count; index += 1) {
      const created = await createMerchants(pool, ids, [profile(index)]);
      const { bucket, merchantId } = created[0]!.merchant;
      const bank = dice.pick(this.banks);
      await takeLive(pool, merchantId);
      await this.#connect(merchantId, bank);
      const hasTwo = dice.percent(60);
      const other = this.banks.find((each) => each !== bank)!;
      if (hasTwo) await this.#connect(merchantId, other);
      const whenDown = hasTwo && dice.percent(50) ? "next" : dice.pick(["wait", "next", "fail"] as const);
      await setWhenDown({ pool, merchant: { merchantId } }, { whenDown, giveUpMinutes: dice.pick([null, 1, 60]) });
      const beneficiaries = await this.#makePayees({ bucket, merchantId });
      const amountPaise = BigInt(dice.whole(1000, 100_000)) * 100n;
      await fundMerchant(pool, ids, { bucket, merchantId, amountPaise, reference: "opening" });
      this.merchants.push({ merchant: await requireMerchant(pool, merchantId), bank, beneficiaries });
    }
  }

  async #connect(merchantId: bigint, bank: SimulatedBank): Promise<void> {
    const account = {
      provider: bank.name,
      baseUrl: bank.origin,
      keyId: `key.${merchantId}`,
      secret: "secret",
      ...ownCredentials(bank.name, "whsec"),
      modes: null,
    };
    const { owner: pool, ids } = this;
    const connected = await connectProvider({ pool, ids, merchant: { merchantId } }, account);
    bank.serve(merchantId, connected.account);
  }

  async #makePayees(merchant: { readonly bucket: number; readonly merchantId: bigint }): Promise<Beneficiary[]> {
    const payees = [
      { name: "Asha Rao", accountNumber: "50100000001191", ifsc: "HDFC0000262", upi: null },
      { name: "Ravi Shah", accountNumber: "50100000001192", ifsc: "HDFC0000262", upi: null },
      { name: "Meera Iyer", accountNumber: null, ifsc: null, upi: "meera@upi" },
    ];
    const beneficiaries: Beneficiary[] = [];
    for (const payee of payees)
      beneficiaries.push(newBeneficiary(merchant, { ...payee, beneficiaryId: await this.ids.next() }));
    await insertBeneficiaries(this.owner, beneficiaries);
    return beneficiaries;
  }

  /** A webhook arrives at one of the processes. */
  takeNotice(path: string, init: { readonly headers?: Record<string, string>; readonly body?: string | null }) {
    return new Promise<{ status: number; body: string }>((resolve, reject) => {
      const { ready } = this;
      if (ready.length === 0) return reject(new TypeError("fetch failed"));
      const process = this.dice.pick(ready);
      const match = /^\/hooks\/(cashfree|razorpayx)\/([0-9]+)-([0-9]+)-([0-9]+)$/.exec(path)!;
      const key = { bucket: Number(match[2]), merchantId: BigInt(match[3]!), accountId: BigInt(match[4]!) };
      const webhook = { headers: init.headers ?? {}, body: Buffer.from(init.body ?? "") };
      scheduler().add(0, process, () => {
        if (!process.payouts) return resolve({ status: 503, body: "" });
        void process.payouts.notices.take(match[1] as "cashfree", key, webhook).then(
          () => resolve({ status: 200, body: "{}" }),
          (error: { code?: string }) => {
            scheduler().note(process.name, `refuses a webhook: ${error.code}`);
            resolve({ status: error.code === "signature_refused" ? 401 : 503, body: "" });
          },
        );
      });
    });
  }
}

function secrets(): Secrets {
  const given = parseMasterKey(TEST_MASTER_KEY);
  return new Secrets(new MasterKeys({ given, next: null, folder: "", mayMake: false }));
}

/** Rules about numbers of entries and balances. Tables of a journal in parts name the rule by the part. */
const BOOK_RULE = /journal_pkey|journal_\S*_pkey|ledger_book_never_negative|ledger_book_owes_first/;

/** What a process logs is a part of the trace. */
function loggerOf(process: Process, refusedWrites: string[]): Logger {
  const log =
    (level: string) =>
    (fields: { readonly err?: Error }, message: string): void => {
      scheduler().note(
        process.name,
        `${level}: ${message}${fields.err ? ` (${withoutHosts(fields.err.message)})` : ""}`,
      );
      if (fields.err && BOOK_RULE.test(fields.err.message)) refusedWrites.push(fields.err.message);
    };
  return { info: log("info"), warn: log("warn"), error: log("error"), debug: () => {} } as unknown as Logger;
}

function withoutHosts(message: string): string {
  return message.replaceAll(/n[0-9a-z]{6}_/g, "n_");
}

function profile(index: number) {
  return {
    ...profileRecord.blank,
    name: `Merchant ${index + 1}`,
    email: `merchant${index + 1}@example.com`,
    mobile: "",
    address: "",
    city: "",
    state: "",
    zipcode: "",
    gstin: "",
    pan: "",
    bankAccount: "50100000009999",
    ifsc: "HDFC0000262",
    bankHolder: "The Merchant",
    timeZone: "Asia/Kolkata",
  };
}

let everyTable: ReadonlySet<string> | null = null;
let forgotten = 0;

/** Takes out of the database what is of other seeds: it has nothing to do with this one, and each costs as much as the first. */
async function forgetOthers(pool: OwnedPool): Promise<void> {
  const written = takeWritten();
  const isFirst = everyTable === null;
  everyTable ??= await listTables(pool);
  const kept = written.filter((name) => KEPT.includes(name));
  if (kept.length > 0) throw new Error(`a seed has written to ${kept.join(", ")}, which stays from one to the next`);
  const tables = isFirst ? [...everyTable] : written.filter((name) => everyTable!.has(name));
  if (tables.length > 0) await pool.query(tables.map((table) => `delete from ${table}`).join("; "));
  forgotten += 1;
  if (forgotten % VACUUM_EVERY === 0) await pool.query(`vacuum ${[...everyTable].join(", ")}`);
  takeWritten();
}

async function listTables(pool: OwnedPool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ tablename: string }>(
    "select tablename from pg_tables where schemaname = 'public' and tablename <> all ($1)",
    [KEPT],
  );
  return new Set(rows.map(({ tablename }) => tablename));
}
