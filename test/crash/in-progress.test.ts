// A server is killed while it has transfers in hand: some have been sent and not answered, the others not been sent.
// Kills at any moment, under load, are in crash.test.ts.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { nodalJson, NodalProcess, send, type Environment } from "../support/nodal.ts";
import { CrashSite, killProcess, until, type SiteMerchant } from "./site.ts";

/** The bank books what it is sent, and answers too late. */
const SLOW_BANK = {
  SIMULATOR_LATENCY_MS: "60000",
  BANK_TIMEOUT_MS: "90000",
  DISPATCH_CONCURRENCY: "4",
  TRANSFER_WAIT_MS: "0",
};
const QUICK_BANK = { SIMULATOR_LATENCY_MS: "0", DISPATCH_CONCURRENCY: "64" };
const IN_CALLS = 4;
const TRANSFERS = 40;
const CONNECTIONS = "pg_stat_activity where datname = current_database() and application_name = 'nodal' and";
const WAITING_FOR_A_BOOK = `${CONNECTIONS} wait_event_type = 'Lock'`;
const STANDING_STILL = `${CONNECTIONS} state = 'idle in transaction'`;
/** A lease of 10 s, and others look every 2.5 s. */
const TAKEN_OVER_WITHIN_MS = 60_000;

describe("a server that is killed with transfers in hand", () => {
  let site: CrashSite;
  let merchant: SiteMerchant;
  let others: NodalProcess[];

  beforeEach(() => {
    others = [];
  });
  afterEach(async () => {
    await Promise.all(others.map((server) => server.stop("SIGKILL")));
    await site.close();
  });

  async function open(bank: Environment): Promise<void> {
    site = await CrashSite.open(bank);
    [merchant] = (await site.newMerchants([10_000_000n])) as [SiteMerchant];
  }

  async function count(what: string): Promise<number> {
    const { rows } = await site.pool.query<{ count: bigint }>(`select count(*) as count from ${what}`);
    return Number(rows[0]!.count);
  }

  /** Has a server accept transfers; 4 of them are at the bank then, and the others wait in its memory. */
  async function payMany(baseUrl: string): Promise<void> {
    const headers = { authorization: `Bearer ${merchant.token}` };
    const answers = await Promise.all(
      Array.from({ length: TRANSFERS }, (_, index) =>
        send(
          baseUrl,
          "POST",
          "/api/v1/beneficiary/transfer",
          {
            beneficiary_id: merchant.beneficiaryIds.success,
            amount: "1.00",
            reference_id: `in-hand-${index}`,
          },
          headers,
        ),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    await until(async () => (await count("simulator.payment")) === IN_CALLS, 60_000, "the bank has what was sent");
  }

  async function expectInProgress(): Promise<void> {
    expect(await count("transfer_dispatch")).toBe(0);
    expect(await count("transfer_in_hand")).toBe(TRANSFERS);
    // Somebody will take them over: nothing is missing.
    expect(await verifyBooks()).toEqual({ ok: true, violations: [] });
  }

  async function verifyBooks(): Promise<unknown> {
    const { ok, violations } = await nodalJson<{ ok: boolean; violations: unknown[] }>(site.environment, "verify");
    return { ok, violations };
  }

  /** Each is paid, once, and nothing is left behind. */
  async function untilPaid(): Promise<void> {
    const isPaid = async () => (await count("transfer where state = 'SUCCESS'")) === TRANSFERS;
    await until(isPaid, TAKEN_OVER_WITHIN_MS, "all that was in hand is paid");
    expect(await count("simulator.payment where status = 'SUCCESS'")).toBe(TRANSFERS);
    expect(await count("transfer_dispatch")).toBe(0);
    expect(await count("transfer_in_hand")).toBe(0);
    await until(async () => (await count("dispatch_claim")) === 0, 60_000, "claims that are done with are removed");
  }

  test("has left nothing that it does not take up when it is started again", async () => {
    await open(SLOW_BANK);
    await payMany(site.baseUrl);
    await expectInProgress();
    await site.killServer();
    await site.start(QUICK_BANK);
    await untilPaid();
    expect(await verifyBooks()).toEqual({ ok: true, violations: [] });
  });

  test("is taken over from by another that is alive", async () => {
    await open(QUICK_BANK);
    const { url } = await nodalJson<{ url: string }>(site.environment, "database");
    const killed = await NodalProcess.start({ DATABASE_URL: url, ...SLOW_BANK });
    others.push(killed);
    await payMany(killed.baseUrl);
    await killProcess(killed);
    // First of all: its lease ends in a few seconds.
    expect(await count("dispatcher")).toBe(2);
    await expectInProgress();
    await untilPaid();
    expect(await verifyBooks()).toEqual({ ok: true, violations: [] });
    expect(await count("dispatcher")).toBe(1);
  });

  test("is taken over from also where it stands still within a request that holds the merchant's book", async () => {
    await open(QUICK_BANK);
    const { url } = await nodalJson<{ url: string }>(site.environment, "database");
    const stopped = await NodalProcess.start({ DATABASE_URL: url, ...SLOW_BANK });
    others.push(stopped);
    await payMany(stopped.baseUrl);
    let saved: Promise<unknown> | undefined;
    await inTransaction(site.pool, async (connection) => {
      await connection.query("select from ledger_book where merchant_id = $1 for update", [merchant.merchantId]);
      saved = send(
        stopped.baseUrl,
        "POST",
        "/api/v1/beneficiary/save",
        { name: "Never answered", upi: "never@upi" },
        { authorization: `Bearer ${merchant.token}` },
      ).catch((error: unknown) => error);
      await until(async () => (await count(WAITING_FOR_A_BOOK)) > 0, 120_000, "the request waits for the book");
      stopped.child.kill("SIGSTOP");
    });
    // Its connection has the book now, and nobody who goes on.
    await until(async () => (await count(STANDING_STILL)) > 0, 120_000, "the request stands still with the book");
    await untilPaid();
    stopped.child.kill("SIGCONT");
    // The request changed nothing: what it had done in the transaction is gone.
    expect(await saved).toMatchObject({ status: 503 });
    expect(await count("beneficiary where name = 'Never answered'")).toBe(0);
    expect(await verifyBooks()).toEqual({ ok: true, violations: [] });
  });
});
