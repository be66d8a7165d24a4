// Stopping in order: SIGTERM under load, to the process and to its whole group, and with a call to the bank in hand.
// What must hold after the next start is in books.ts.
import { spawn, type ChildProcess } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodalJson, TEST_MASTER_KEY } from "../support/nodal.ts";
import { expectNothingLost } from "./books.ts";
import type { Entry } from "./journal.ts";
import { Load, seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite, until, type SiteMerchant } from "./site.ts";

const CLIENTS = 16;
const DRAIN_TIMEOUT_MS = 1500;
/** How long each request is in hand: what was sent so long before the signal has certainly been read. */
const BANK_LATENCY_MS = 500;
const SURELY_READ_MS = 400;
/** At least for so long, then for up to as long again: some are answered by then, and others in hand. */
const UNDER_LOAD_MS = 800;
/** For a busy machine: the held answer takes longer still. */
const STOP_MARGIN_MS = 15_000;
const HELD_ANSWER_MS = 25_000;

/** Requests that had been sent, and read, before the signal and still got no answer. */
function unansweredOf(entries: readonly Entry[], startedAtMs: number, signalledAtMs: number): string[] {
  const early = entries.filter(
    ({ kind, sentAtMs }) => kind !== "funding" && sentAtMs > startedAtMs && sentAtMs < signalledAtMs - SURELY_READ_MS,
  );
  return early.filter((entry) => entry.outcome === "unknown").map((entry) => entry.answers.join(", "));
}

/** Starts `npm start` in a process group of its own, as a terminal or a supervisor does, and waits until it serves. */
async function startGroup(site: CrashSite): Promise<ChildProcess> {
  const { PATH = "", HOME = "/tmp" } = process.env;
  const child = spawn("sh", ["-c", "npm start; exit $?"], {
    env: {
      PATH,
      HOME,
      LOG_LEVEL: "warn",
      NODAL_MASTER_KEY: TEST_MASTER_KEY,
      RATE_LIMIT_PER_MINUTE: "1000000",
      ...site.environment,
    },
    stdio: "ignore",
    detached: true,
  });
  await until(() => isReady(site), 90_000, "`npm start` serves");
  return child;
}

function isReady(site: CrashSite): Promise<boolean> {
  return fetch(`${site.baseUrl}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** The processes of a group that have not ended. */
async function membersOf(groupId: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name));
  const entries = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => null)));
  return pids.filter((_, index) => isMember(entries[index] ?? null, groupId)).map(Number);
}

/** By its /proc entry: `pid (name) state parent group …`, where the name may hold anything. */
function isMember(entry: string | null, groupId: number): boolean {
  const [state, , group] = entry?.slice(entry.lastIndexOf(")") + 2).split(" ") ?? [];
  return Number(group) === groupId && state !== "Z";
}

describe("a stop in order", () => {
  let site: CrashSite;
  let load: Load;
  let merchants: SiteMerchant[];
  let heldAtMs: number;
  const random = seededRandom(chooseSeed("stop"));

  beforeAll(async () => {
    site = await CrashSite.open({
      DRAIN_TIMEOUT_MS: String(DRAIN_TIMEOUT_MS),
      SIMULATOR_LATENCY_MS: String(BANK_LATENCY_MS),
    });
    merchants = await site.newMerchants([100_000_000n, 100_000_000n, 3_000_000n]);
    load = new Load({ site, merchants, random });
  });
  afterAll(() => site.close());

  test("waits for a bank that does not answer no longer than DRAIN_TIMEOUT_MS", async () => {
    const [merchant] = merchants;
    heldAtMs = performance.now();
    const asked = load.sendTransfer(merchant!, "held");
    await sleep(BANK_LATENCY_MS);
    const stoppedAtMs = performance.now();
    expect(await site.server.stop(), site.server.output).toBe(0);
    expect(performance.now() - stoppedAtMs).toBeLessThan(DRAIN_TIMEOUT_MS + STOP_MARGIN_MS);
    // The request was in hand: it waited for the bank as long as any, and was answered.
    expect(await asked).toMatchObject({ outcome: "acknowledged", status: "PENDING" });
    expect(await site.databasePid()).toBeNull();
    await site.start();
  });

  test("SIGTERM under load: answers what is in hand, stops PostgreSQL, and goes on at the next start", async () => {
    for (let round = 0; round < 2; round += 1) {
      const startedAtMs = performance.now();
      load.start(CLIENTS);
      await sleep(UNDER_LOAD_MS * (1 + random()));
      const signalledAtMs = performance.now();
      const code = await site.server.stop();
      await load.stop();
      expect(code, site.server.output).toBe(0);
      expect(await site.databasePid()).toBeNull();
      expect(unansweredOf(load.entries, startedAtMs, signalledAtMs)).toEqual([]);
      await site.start();
      await load.retryUnknown();
    }
  });

  test("SIGTERM to the whole group of `npm start`: drains first, stops the database after that", async () => {
    await site.server.stop();
    const group = await startGroup(site);
    const startedAtMs = performance.now();
    load.start(CLIENTS);
    await sleep(UNDER_LOAD_MS * (1 + random()));
    const signalledAtMs = performance.now();
    process.kill(-group.pid!, "SIGTERM");
    await until(async () => (await membersOf(group.pid!)).length === 0, 60_000, "the group has ended");
    await load.stop();
    expect(await site.databasePid()).toBeNull();
    expect(unansweredOf(load.entries, startedAtMs, signalledAtMs)).toEqual([]);
    await site.start();
    await load.retryUnknown();
  });

  test("everything settles after the next start, the unanswered transfer at its time", async () => {
    await sleep(Math.max(0, heldAtMs + HELD_ANSWER_MS - performance.now()));
    await expectNothingLost(site, load);
    const [{ merchantId }] = merchants as [SiteMerchant];
    const words = ["simulator", "book", "--merchant", String(merchantId)];
    const book = await nodalJson<unknown[]>(site.environment, ...words);
    const { rows } = await site.pool.query<{ count: bigint }>(
      "select count(*) from transfer where merchant_id = $1 and state = 'SUCCESS'",
      [merchantId],
    );
    expect(BigInt(book.length)).toBe(rows[0]!.count);
  });
});
