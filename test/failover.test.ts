// A primary that dies under load, and a synchronous standby that takes its place, three times, and then hangs: what was acknowledged is there, what
// is not answered well is answered with 503, and the server goes on by itself.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation, type TestMerchant } from "./support/installation.ts";
import { ReplicatedDatabase } from "./support/replication.ts";

const ROUNDS = 3;
const CLIENTS = 6;
const PAUSE_MS = 20;
/** How long a site goes without a primary before somebody promotes the standby. */
const NOTICE_MS = 1000;

let database: ReplicatedDatabase;
let installation: Installation;
beforeAll(async () => {
  database = await ReplicatedDatabase.start();
  installation = await Installation.on(database, { DATABASE_URL: database.url }, {});
});
afterAll(async () => {
  await installation?.stop();
  await database?.release();
});

type Answered = {
  readonly reference: string;
  readonly status: number;
  readonly sentMs: number;
  readonly atMs: number;
  readonly retryAfter: string | null;
};

/** Sends transfers until it is stopped, and keeps what each was answered. */
class Load {
  readonly answers: Answered[] = [];
  readonly #clients: Promise<void>[];
  #hasEnded = false;

  constructor(merchant: TestMerchant, beneficiaryId: string) {
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => this.#run(merchant, beneficiaryId, client));
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(this.#clients);
  }

  /** When the first request that was sent after a time was answered well. */
  async firstAfter(ms: number): Promise<number> {
    for (;;) {
      const first = this.answers.find(({ status, sentMs }) => status === 200 && sentMs > ms);
      if (first) return first.atMs;
      await sleep(PAUSE_MS);
    }
  }

  async #run(merchant: TestMerchant, beneficiaryId: string, client: number): Promise<void> {
    for (let count = 0; !this.#hasEnded; count += 1) {
      const reference = `f-${client}-${count}`;
      const body = { beneficiary_id: beneficiaryId, amount: "1.00", reference_id: reference, narrative: "x" };
      const sentMs = performance.now();
      const { status, headers } = await merchant.transfer(body);
      const retryAfter = headers.get("retry-after");
      this.answers.push({ reference, status, sentMs, atMs: performance.now(), retryAfter });
      await sleep(PAUSE_MS);
    }
  }
}

/** Ends the primary, and answers how many ms after the promotion of the other a request was answered well. */
async function failOver(load: Load, end: () => Promise<void>): Promise<number> {
  await end();
  const endedMs = performance.now();
  await sleep(NOTICE_MS);
  await database.promote();
  const promotedMs = performance.now();
  return Math.round((await load.firstAfter(endedMs)) - promotedMs);
}

/** Lets a primary die three times, and one hang; answers the pauses. */
async function failOverAgainAndAgain(load: Load): Promise<number[]> {
  const pausesMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await load.firstAfter(performance.now());
    pausesMs.push(await failOver(load, () => database.killPrimary()));
    // The old one comes back and takes itself for the primary: nobody may go there.
    await database.startKilled();
    await load.firstAfter(performance.now() + NOTICE_MS);
    await database.stopKilled();
    await database.addStandby();
  }
  // One that hangs never breaks a connection by itself.
  pausesMs.push(await failOver(load, () => database.hangPrimary()));
  return pausesMs;
}

test(
  "the primary dies under load, and the standby takes its place, again and again",
  { timeout: 480_000 },
  async () => {
    const merchant = await installation.newMerchant({ fund: "1000000.00" });
    const load = new Load(merchant, await merchant.addBeneficiary());
    let pausesMs: readonly number[];
    try {
      pausesMs = await failOverAgainAndAgain(load);
    } finally {
      await load.stop();
    }
    const away = load.answers.filter(({ status }) => status === 503).length;
    process.stdout.write(
      `${load.answers.length} transfers, ${away} answered 503; well again ${pausesMs.join(", ")} ms after the promotion\n`,
    );
    const bad = load.answers.filter(
      ({ status, retryAfter }) => status !== 200 && (status !== 503 || retryAfter === null),
    );
    expect(bad).toEqual([]);
    const acknowledged = load.answers.filter(({ status }) => status === 200).map(({ reference }) => reference);
    const count = async (condition: string, values: unknown[]): Promise<number> =>
      (await installation.pool.query(`select from transfer where ${condition}`, values)).rows.length;
    expect(await count("reference_id = any ($1)", [acknowledged])).toBe(acknowledged.length);
    const OPEN = "state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')";
    await expect.poll(() => count(OPEN, []), { timeout: 180_000 }).toBe(0);
    expect(await installation.findProblems()).toEqual([]);
  },
);
