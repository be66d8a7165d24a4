// A database that hangs, with no standby: requests get 503 while it hangs, and service resumes by itself. A request with
// 503 may have been done: a retry finds it.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { CuttingProxy } from "./crash/proxy.ts";
import { until } from "./crash/site.ts";
import type { TestDatabase } from "./support/database-copy.ts";
import { Installation } from "./support/installation.ts";
import { Invoices, PLAIN } from "./support/invoices.ts";
import type { Answer, Environment } from "./support/nodal.ts";

const CLIENTS = 8;
const PAUSE_MS = 20;
const PATIENCE_MS = 180_000;
/** It hangs until each client has had so many refusals. */
const REFUSALS = 5;

type Sent = {
  readonly client: number;
  readonly kind: number;
  readonly sentMs: number;
  readonly retry: () => Promise<Answer>;
  readonly answer: Answer;
};

type Send = (number: string) => Promise<Answer>;

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

/** Clients that each send one kind of request, one after the other, until they are stopped. */
class Load {
  readonly all: Sent[] = [];
  readonly #clients: Promise<void>[];
  #hasEnded = false;

  constructor(kinds: readonly Send[]) {
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => this.#run(client, client % kinds.length, kinds));
  }

  /** Waits until each client has had `count` answers of this status to requests that it sent after a time. */
  async untilEach(status: number, count: number, afterMs: number): Promise<void> {
    const numbers = Array.from({ length: CLIENTS }, (_, client) => client);
    const lacking = (): number[] => {
      const counted = this.all.filter(({ answer, sentMs }) => answer.status === status && sentMs > afterMs);
      return numbers.filter((number) => counted.filter(({ client }) => client === number).length < count);
    };
    await until(async () => lacking().length === 0, PATIENCE_MS, `each client has ${count} answers of ${status}`);
  }

  /** How many requests of a kind were sent, each of its own number. */
  countOf(kind: number): number {
    return this.all.filter((sent) => sent.kind === kind).length;
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(this.#clients);
  }

  async #run(client: number, kind: number, kinds: readonly Send[]): Promise<void> {
    for (let count = 0; !this.#hasEnded; count += 1) {
      const send = (): Promise<Answer> => kinds[kind]!(`h-${client}-${count}`);
      const sentMs = performance.now();
      const answer = await send();
      this.all.push({ client, kind, sentMs, retry: send, answer });
      await sleep(PAUSE_MS);
    }
  }
}

describe.each(["", "target_session_attrs=read-write"])("a DATABASE_URL with the parameters '%s'", (attributes) => {
  test("while it hangs, answers are 503 with Retry-After; afterwards service resumes and nothing is doubled", async () => {
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
      await load.untilEach(200, 1, 0);
      proxy!.hold();
      // While it hangs, so nobody waits for its return.
      await load.untilEach(503, REFUSALS, performance.now());
      expect((await payer.balance()).status).toBe(503);
      proxy!.letGo();
      await load.untilEach(200, 1, performance.now());
    } finally {
      await load.stop();
    }
    const refused = load.all.filter(({ answer }) => answer.status !== 200);
    process.stdout.write(`${load.all.length} requests, ${refused.length} answered 503\n`);
    for (const { answer } of refused) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    }
    for (const { retry } of refused) expect((await retry()).status).toBe(200);
    const count = async (table: string, merchant: string): Promise<number> =>
      (await installation!.pool.query(`select from ${table} where merchant_id = $1`, [merchant])).rows.length;
    expect(await count("transfer", payer.id)).toBe(load.countOf(0));
    expect(await count("invoice", invoices.merchant.id)).toBe(load.countOf(1));
    expect(await installation.findProblems()).toEqual([]);
  });
});
