// An orderly stop: SIGTERM under load, to the process and to its whole group, and during a call to the bank. What must
// hold after the next start is in books.ts.
import { spawn, type ChildProcess } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmbeddedDatabase } from "../../src/platform/database/embedded.ts";
import { createLogger } from "../../src/platform/log.ts";
import { CITUS_URL } from "../support/citus.ts";
import { nodalJson, TEST_MASTER_KEY } from "../support/nodal.ts";
import { expectNothingLost } from "./books.ts";
import type { Entry } from "./journal.ts";
import { Load, seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite, until, type SiteMerchant } from "./site.ts";

const CLIENTS = 16;
/** How long the bank takes for each transfer, so that some are in progress at any moment. */
const BANK_LATENCY_MS = 500;
/** Longer than a busy machine needs to answer what it has read: nothing is cut off. */
const AMPLE_DRAIN = { DRAIN_TIMEOUT_MS: "60000" };
/** How many requests a load has had answered before the signal. */
const ANSWERED_BEFORE = 20;
const PATIENCE_MS = 90_000;

/** Opens the embedded database of a stopped site, as a command does: nothing is dispatched meanwhile. */
async function withStoppedSite<T>(site: CrashSite, work: () => Promise<T>): Promise<T> {
  if (CITUS_URL !== null) return work();
  const dataDir = site.environment["DATA_DIR"]!;
  const logger = createLogger("silent");
  const database = await openEmbeddedDatabase({ dataDir, isDefaultDataDir: false, purpose: "command", logger });
  try {
    return await work();
  } finally {
    await database.release();
  }
}

async function countTransfers(site: CrashSite, condition: string, values: unknown[] = []): Promise<number> {
  return (await site.pool.query(`select from transfer where ${condition}`, values)).rows.length;
}

/** Waits until the load has had answers, and transfers of it are with the bank. */
async function untilUnderLoad(site: CrashSite, load: Load, earlier: number): Promise<void> {
  const answered = (): number => load.entries.slice(earlier).filter(({ outcome }) => outcome === "acknowledged").length;
  await until(
    async () => answered() >= ANSWERED_BEFORE && (await countTransfers(site, "state = 'SUBMITTING'")) > 0,
    PATIENCE_MS,
    "some requests are answered, and others in progress",
  );
}

/**
 * A request without an answer left nothing behind: the server answered all that it had begun. Before they are sent again.
 */
async function expectUnansweredNotBegun(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  const unanswered = entries.filter(({ outcome }) => outcome === "unknown");
  const references = unanswered.flatMap(({ referenceId }) => referenceId ?? []);
  expect(await countTransfers(site, "reference_id = any ($1)", [references])).toBe(0);
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
      ...AMPLE_DRAIN,
    },
    stdio: "ignore",
    detached: true,
  });
  await until(() => isReady(site), PATIENCE_MS, "`npm start` serves");
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

describe("an orderly stop", () => {
  let site: CrashSite;
  let load: Load;
  let merchants: SiteMerchant[];
  const random = seededRandom(chooseSeed("stop"));

  beforeAll(async () => {
    site = await CrashSite.open({
      DRAIN_TIMEOUT_MS: "1500",
      SIMULATOR_LATENCY_MS: String(BANK_LATENCY_MS),
    });
    merchants = await site.newMerchants([100_000_000n, 100_000_000n, 3_000_000n]);
    load = new Load({ site, merchants, random });
  });
  afterAll(() => site.close());

  test("waits for a bank that does not answer no longer than DRAIN_TIMEOUT_MS", async () => {
    const [merchant] = merchants;
    const asked = load.sendTransfer(merchant!, "held");
    const isWithBank = async (): Promise<boolean> => (await countTransfers(site, "state = 'SUBMITTING'")) === 1;
    await until(isWithBank, PATIENCE_MS, "the transfer is with the bank");
    expect(await site.server.stop(), site.server.output).toBe(0);
    // The request waited for the bank for as long as any, and was answered.
    expect(await asked).toMatchObject({ outcome: "acknowledged", status: "PENDING" });
    expect(await site.databasePid()).toBeNull();
    // The server stopped before the bank answered.
    expect(await withStoppedSite(site, () => countTransfers(site, "state = 'SUCCESS'"))).toBe(0);
    await site.start(AMPLE_DRAIN);
  });

  test("SIGTERM under load: answers what it has begun, stops PostgreSQL, and goes on at the next start", async () => {
    for (let round = 0; round < 2; round += 1) {
      const earlier = load.entries.length;
      load.start(CLIENTS);
      await untilUnderLoad(site, load, earlier);
      const code = await site.server.stop();
      await load.stop();
      expect(code, site.server.output).toBe(0);
      expect(await site.databasePid()).toBeNull();
      await site.start(AMPLE_DRAIN);
      await expectUnansweredNotBegun(site, load.entries);
      await load.retryUnknown();
    }
  });

  test("SIGTERM to the whole group of `npm start`: drains first, stops the database after that", async () => {
    await site.server.stop();
    const group = await startGroup(site);
    const earlier = load.entries.length;
    load.start(CLIENTS);
    await untilUnderLoad(site, load, earlier);
    process.kill(-group.pid!, "SIGTERM");
    await until(async () => (await membersOf(group.pid!)).length === 0, PATIENCE_MS, "the group has ended");
    await load.stop();
    expect(await site.databasePid()).toBeNull();
    await site.start(AMPLE_DRAIN);
    await expectUnansweredNotBegun(site, load.entries);
    await load.retryUnknown();
  });

  test("everything settles after the next start, the unanswered transfer at its time", async () => {
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
