// Several servers on one database: one is killed, one is stopped for longer than its lease and goes on. What must hold
// afterwards is in books.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import { nodalJson, NodalProcess } from "../support/nodal.ts";
import { expectNothingLost } from "./books.ts";
import { Load, seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite, killProcess, until } from "./site.ts";

const CLIENTS = 16;
/** Long enough that many calls are in hand at any moment. */
const SETTINGS = { SIMULATOR_LATENCY_MS: "150" };
/** The lease is 10 s, and others look every 2.5 s. */
const TAKEN_OVER_WITHIN_MS = 14_000;
const LONGER_THAN_LEASE_MS = 12_000;
/** For a busy machine. */
const TIMEOUT_MS = 180_000;

describe("several servers on one database", () => {
  let site: CrashSite;
  let others: NodalProcess[];
  /** Of its own: the load's fundings wait for a book that a stopped server has locked, on all of the site's connections. */
  let watch: OwnedPool;

  beforeEach(async () => {
    site = await CrashSite.open(SETTINGS);
    others = [];
    watch = createPool({ url: site.databaseUrl, size: 1 });
  });
  afterEach(async () => {
    await watch.end();
    await Promise.all(others.map((server) => server.stop("SIGKILL")));
    await site.close();
  });

  /** Starts one more server on the same database. */
  async function startOther(): Promise<NodalProcess> {
    const { url } = await nodalJson<{ url: string }>(site.environment, "database");
    const server = await NodalProcess.start({ DATABASE_URL: url, ...SETTINGS });
    others.push(server);
    return server;
  }

  /** How many transfers a process that is no longer alive, or that does not move, has in hand. */
  async function countClaimed(processId: bigint): Promise<number> {
    const { rows } = await watch.query("select from transfer_in_hand where process_id = $1", [processId]);
    return rows.length;
  }

  /** The processes that hold a lease, or held one that nobody has taken over. */
  async function listProcesses(): Promise<bigint[]> {
    const { rows } = await watch.query<{ process_id: bigint }>("select process_id from dispatcher order by 1");
    return rows.map((row) => row.process_id);
  }

  test(
    "one is killed and one stops for longer than its lease: others take over, nothing is paid twice",
    async () => {
      const random = seededRandom(chooseSeed("takeover"));
      const merchants = await site.newMerchants([100_000_000n, 100_000_000n, 3_000_000n, 200_000n]);
      const load = new Load({ site, merchants, random });
      const killed = await startOther();
      const paused = await startOther();
      load.targets = [site.baseUrl, killed.baseUrl, paused.baseUrl];
      const before = await listProcesses();
      expect(before).toHaveLength(3);

      load.start(CLIENTS);
      await sleep(600 + random() * 600);
      paused.child.kill("SIGSTOP");
      await sleep(random() * 300);
      await killProcess(killed);
      const killedAtMs = performance.now();
      load.targets = [site.baseUrl];
      await until(
        async () => (await listProcesses()).length === 1,
        TAKEN_OVER_WITHIN_MS,
        "both leases have been taken",
      );
      const [alive] = await listProcesses();
      // What belongs to a merchant whose book is held meanwhile follows once it is free.
      for (const processId of before.filter((id) => id !== alive)) {
        await until(
          async () => (await countClaimed(processId)) === 0,
          3 * TAKEN_OVER_WITHIN_MS,
          "nothing is in its hand",
        );
      }

      await sleep(Math.max(0, killedAtMs + LONGER_THAN_LEASE_MS - performance.now()));
      paused.child.kill("SIGCONT");
      load.targets = [site.baseUrl, paused.baseUrl];
      await sleep(3000);
      await load.stop();
      await load.retryUnknown();
      expect(paused.child.exitCode, paused.output).toBeNull();
      await expectNothingLost(site, load);
    },
    TIMEOUT_MS,
  );

  test(
    "the one with the embedded database is killed and started again beside another",
    async () => {
      const random = seededRandom(chooseSeed("restart beside others"));
      const merchants = await site.newMerchants([100_000_000n, 100_000_000n, 3_000_000n, 200_000n]);
      const load = new Load({ site, merchants, random });
      const other = await startOther();
      load.targets = [site.baseUrl, other.baseUrl];
      for (let round = 0; round < 2; round += 1) {
        load.start(CLIENTS);
        await sleep(400 + random() * 400);
        await site.killServer();
        await sleep(random() * 300);
        await site.start(SETTINGS);
        await sleep(400);
        await load.stop();
        await load.retryUnknown();
      }
      expect(other.child.exitCode, other.output).toBeNull();
      await expectNothingLost(site, load);
    },
    TIMEOUT_MS,
  );
});
