// A database that hangs, and nobody promotes another: requests are answered with 503 in time, and all goes on by itself when it is back. What was
// answered with 503 may have been done: sent again it is found.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { CuttingProxy } from "./crash/proxy.ts";
import type { TestDatabase } from "./support/database-copy.ts";
import { Installation } from "./support/installation.ts";
import { Invoices, PLAIN } from "./support/invoices.ts";
import type { Answer, Environment } from "./support/nodal.ts";

const CLIENTS = 8;
const PAUSE_MS = 20;
/** How long it hangs. */
const HUNG_MS = 12_000;
/** An answer comes within this, on a machine that others use too: 5 s of silence, and 5 s for which a batch waits. */
const ANSWERED_MS = 20_000;
const BACK_MS = 20_000;

type Asked = {
  readonly kind: number;
  readonly again: () => Promise<Answer>;
  readonly answer: Answer;
  readonly tookMs: number;
};

type Ask = (number: string) => Promise<Answer>;

let proxy: CuttingProxy | null = null;
let installation: Installation | null = null;
afterEach(async () => {
  proxy?.letGo();
  await installation?.stop();
  await proxy?.close();
});

async function startBehindProxy(attributes: string): Promise<Installation> {
  const reach = async ({ url }: TestDatabase): Promise<Environment> => {
    proxy = await CuttingProxy.open(Number(new URL(url).port));
    return { DATABASE_URL: Object.assign(new URL(url), { port: String(proxy.port), search: attributes }).href };
  };
  return Installation.startProcess({}, reach);
}

/** Clients that send one after the other, what each of `asks` makes of a number, until they are stopped. */
class Load {
  readonly all: Asked[] = [];
  readonly #clients: Promise<void>[];
  #hasEnded = false;

  constructor(asks: readonly Ask[]) {
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => this.#run(client, client % asks.length, asks));
  }

  /** How many requests of a kind were sent, each of its own number. */
  countOf(kind: number): number {
    return this.all.filter((asked) => asked.kind === kind).length;
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(this.#clients);
  }

  async #run(client: number, kind: number, asks: readonly Ask[]): Promise<void> {
    for (let count = 0; !this.#hasEnded; count += 1) {
      const again = (): Promise<Answer> => asks[kind]!(`h-${client}-${count}`);
      const startedMs = performance.now();
      const answer = await again();
      this.all.push({ kind, again, answer, tookMs: performance.now() - startedMs });
      await sleep(PAUSE_MS);
    }
  }
}

describe.each(["", "target_session_attrs=read-write"])("a DATABASE_URL with the parameters '%s'", (attributes) => {
  test("while it hangs, answers are 503 with Retry-After; when it is back, all goes on and nothing is doubled", async () => {
    installation = await startBehindProxy(attributes);
    const payer = await installation.newMerchant({ fund: "100000.00" });
    const invoices = await Invoices.ofNewMerchant(installation);
    const body = { beneficiary_id: await payer.addBeneficiary(), amount: "1.00", narrative: "x" };
    const load = new Load([
      (number) => payer.transfer({ ...body, reference_id: number }),
      (number) => invoices.save([PLAIN], { "idempotency-key": number }),
      () => payer.balance(),
    ]);
    try {
      await sleep(1000);
      proxy!.hold();
      await sleep(HUNG_MS);
      // Nobody waits for what is known.
      const startedMs = performance.now();
      expect((await payer.balance()).status).toBe(503);
      expect(performance.now() - startedMs).toBeLessThan(ANSWERED_MS / 2);
      proxy!.letGo();
      const letGoMs = performance.now();
      await expect.poll(async () => (await payer.balance()).status, { timeout: BACK_MS }).toBe(200);
      process.stdout.write(`well again after ${Math.round(performance.now() - letGoMs)} ms\n`);
      await sleep(1000);
    } finally {
      await load.stop();
    }
    const refused = load.all.filter(({ answer }) => answer.status !== 200);
    const longestMs = Math.round(Math.max(...load.all.map(({ tookMs }) => tookMs)));
    process.stdout.write(
      `${load.all.length} requests, ${refused.length} answered 503, the last after ${longestMs} ms\n`,
    );
    expect(refused.length).toBeGreaterThanOrEqual(CLIENTS);
    for (const { answer, tookMs } of refused) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(tookMs).toBeLessThan(ANSWERED_MS);
    }
    for (const { again } of refused) expect((await again()).status).toBe(200);
    const count = async (table: string, merchant: string): Promise<number> =>
      (await installation!.pool.query(`select from ${table} where merchant_id = $1`, [merchant])).rows.length;
    expect(await count("transfer", payer.id)).toBe(load.countOf(0));
    expect(await count("invoice", invoices.merchant.id)).toBe(load.countOf(1));
    expect(await installation.findProblems()).toEqual([]);
  });
});
