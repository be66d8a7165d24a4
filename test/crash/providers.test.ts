// A server that is killed again and again while its providers go wrong: each transfer is paid once, and as the books
// say. `npm run crash -- --provider both` breaks more, and for longer.
import { afterEach, beforeEach, expect, test } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { nodalJson } from "../support/nodal.ts";
import { settle } from "./books.ts";
import { Load, seededRandom } from "./load.ts";
import { ProviderBanks, PROVIDER_SETTINGS } from "./provider-banks.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite } from "./site.ts";

const CLIENTS = 8;
const KILLS = 3;

let site: CrashSite;

beforeEach(async () => {
  site = await CrashSite.open(PROVIDER_SETTINGS);
});
afterEach(() => site.close());

test("each transfer is paid once, and as the books say", async () => {
  const random = seededRandom(chooseSeed("provider"));
  const merchants = await site.newMerchants([50_000_000n, 50_000_000n]);
  const banks = await ProviderBanks.connect(site, merchants, "both", random);
  try {
    banks.disturb();
    const load = new Load({ site, merchants, random });
    for (let kill = 0; kill < KILLS; kill += 1) {
      load.start(CLIENTS);
      await sleep(500 + random() * 700);
      await site.killServer();
      await sleep(random() * 300);
      await site.start();
      await sleep(300);
      await load.stop();
      await load.retryUnknown();
    }
    await banks.calm(site);
    await settle(site);
    await banks.expectAgree(site);
    expect(banks.count().returned).toBeGreaterThan(0);
    const { rows } = await site.pool.query<{ state: string }>("select distinct state from transfer");
    expect(rows.map(({ state }) => state)).toEqual(expect.arrayContaining(["SUCCESS", "FAILED", "REVERSED"]));
    expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true, violations: [] });
  } finally {
    await banks.stop();
  }
});
