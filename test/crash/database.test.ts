// A database that dies under a server that lives, and a bank whose calls break off while the server is killed.
// What belongs here: failures of what the server depends on. What must hold afterwards is in books.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceptTransfers, type NewTransfer } from "../../src/payouts/transfer-store.ts";
import { send } from "../support/nodal.ts";
import { expectNothingLost, settle } from "./books.ts";
import { Load, seededRandom, type Entry } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite, PAYEES, until, type SiteMerchant } from "./site.ts";

const CLIENTS = 16;
/** The dispatcher's lease is 10 s. */
const LONGER_THAN_LEASE_MS = 10_500;
const FUNDS_PAISE = [100_000_000n, 100_000_000n, 3_000_000n, 200_000n];

/** What requests were answered that were neither done nor refused, each once. */
function failuresOf(entries: readonly Entry[]): string[] {
  const sent = entries.filter((entry) => entry.kind !== "funding");
  const answers = sent.flatMap((entry) => entry.answers);
  return [...new Set(answers.filter((answer) => !/^(200|422) /.test(answer)))];
}

describe("PostgreSQL killed under a server that goes on", () => {
  let site: CrashSite;
  beforeEach(async () => {
    site = await CrashSite.open();
  });
  afterEach(() => site.close());

  test("the server starts it again by itself, answers 503 at worst, and loses nothing", async () => {
    const random = seededRandom(chooseSeed("kill database"));
    const load = new Load({ site, merchants: await site.newMerchants(FUNDS_PAISE), random });
    for (let round = 0; round < 3; round += 1) {
      load.start(CLIENTS);
      await sleep(300 + random() * 700);
      await site.killDatabase();
      await until(() => isReady(site), 15_000, "the server is ready again");
      await sleep(300);
      await load.stop();
      await load.retryUnknown();
    }
    expect(site.server.child.exitCode, site.server.output).toBeNull();
    expect(failuresOf(load.entries).filter((answer) => answer !== "503 unavailable")).toEqual([]);
    await expectNothingLost(site, load);
  });

  test("it hangs for longer than the lease: nothing is lost when it goes on", async () => {
    const random = seededRandom(chooseSeed("database hangs"));
    const load = new Load({ site, merchants: await site.newMerchants(FUNDS_PAISE), random });
    load.start(CLIENTS);
    await sleep(400 + random() * 300);
    await site.pauseDatabase(LONGER_THAN_LEASE_MS);
    await sleep(500);
    await load.stop();
    await load.retryUnknown();
    expect(failuresOf(load.entries).filter((answer) => answer !== "503 unavailable")).toEqual([]);
    await expectNothingLost(site, load);
  });

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
    await settle(site, 15_000);
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
  }, 180_000);
});

/** Whether the server is ready; fails at once where it has died, as it must not. */
async function isReady({ server }: CrashSite): Promise<boolean> {
  const ready = await send(server.baseUrl, "GET", "/readyz").then(
    (answer) => answer.status === 200,
    () => false,
  );
  expect(server.child.exitCode, server.output).toBeNull();
  return ready;
}

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
