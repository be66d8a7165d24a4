// A commit whose answer got lost, and a bank whose calls break off while the server is killed.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewTransfer } from "../../src/payouts/transfer-store.ts";
import { acceptTransfers } from "../support/ledger.ts";
import { expectNothingLost, settle } from "./books.ts";
import { Load, seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite, PAYEES, type SiteMerchant } from "./site.ts";

const CLIENTS = 16;
const FUNDS_PAISE = [100_000_000n, 100_000_000n, 3_000_000n, 200_000n];

describe("a commit whose answer got lost", () => {
  let site: CrashSite;
  beforeEach(async () => {
    site = await CrashSite.open();
  });
  afterEach(() => site.close());

  test("a transfer whose acceptance was committed and never heard of is taken to the bank all the same", async () => {
    const [merchant] = await site.newMerchants([100_000n]);
    const { rows } = await site.pool.query<{ process_id: bigint }>("select process_id from dispatcher");
    await acceptTransfers(
      site.pool,
      Temporal.Now.instant(),
      rows[0]!.process_id,
      [await newTransfer(site, merchant!)],
      [true],
    );
    await settle(site, 60_000);
    const booked = await site.pool.query("select status from simulator.payment");
    expect(booked.rows).toEqual([{ status: "SUCCESS" }]);
  });
});

describe("a bank whose calls break off", () => {
  let site: CrashSite;
  beforeEach(async () => {
    site = await CrashSite.open({ SIMULATOR_ERROR_PERCENT: "20", SIMULATOR_LATENCY_MS: "20" });
  });
  afterEach(() => site.close());

  test("every transfer settles, and the bank pays each at most once, with a kill -9 in the middle", async () => {
    const random = seededRandom(chooseSeed("bank errors"));
    const load = new Load({ site, merchants: await site.newMerchants(FUNDS_PAISE), random });
    for (let round = 0; round < 2; round += 1) {
      load.start(CLIENTS);
      await sleep(300 + random() * 500);
      await site.killServer();
      await load.stop();
      await site.start();
      await load.retryUnknown();
    }
    expect(load.countResent()).toBeGreaterThan(0);
    await expectNothingLost(site, load);
  });
});

/** A transfer as the intake hands it to the database. */
async function newTransfer(site: CrashSite, merchant: SiteMerchant): Promise<NewTransfer> {
  return {
    bucket: merchant.bucket,
    merchantId: merchant.merchantId,
    transferId: await site.ids.next(),
    kind: "transfer",
    referenceId: "never heard of",
    beneficiaryId: BigInt(merchant.beneficiaryIds.success),
    payee: { name: "Asha Rao", ...PAYEES.success },
    mode: "banktransfer",
    rail: "simulator",
    railMode: "IMPS",
    amountPaise: 1000n,
    narrative: "",
    idempotency: null,
    origin: null,
    franchiseId: null,
    payeeSince: null,
  };
}
