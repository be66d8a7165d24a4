// kill -9 under load: of the server alone, and of the server and its PostgreSQL together.
// What belongs here: crashes of one installation with one server. What must hold afterwards is in books.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectNothingLost } from "./books.ts";
import { Load, seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite } from "./site.ts";

const CLIENTS = 16;
const ROUNDS = 3;

describe("kill -9 under load", () => {
  let site: CrashSite;
  beforeEach(async () => {
    site = await CrashSite.open();
  });
  afterEach(() => site.close());

  async function crashRounds(title: string, crash: () => Promise<void>): Promise<Load> {
    const random = seededRandom(chooseSeed(title));
    const merchants = await site.newMerchants([100_000_000n, 100_000_000n, 3_000_000n, 200_000n]);
    const load = new Load({ site, merchants, random });
    for (let round = 0; round < ROUNDS; round += 1) {
      load.start(CLIENTS);
      await sleep(300 + random() * 900);
      await crash();
      await load.stop();
      await site.start();
      await load.retryUnknown();
    }
    return load;
  }

  test("the server alone: nothing acknowledged is lost, nothing is paid twice", async () => {
    const load = await crashRounds("kill server", () => site.killServer());
    expect(load.countResent()).toBeGreaterThan(0);
    await expectNothingLost(site, load);
  });

  test("the server and its PostgreSQL together", async () => {
    const load = await crashRounds("kill server and database", async () => {
      await Promise.all([site.killServer(), site.killDatabase()]);
    });
    expect(load.countResent()).toBeGreaterThan(0);
    await expectNothingLost(site, load);
  });
});
