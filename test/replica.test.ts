// Files that are read from a standby: while it keeps up, and only then.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool } from "../src/platform/database/pool.ts";
import { Browser, newPerson } from "./support/dashboard.ts";
import { Installation, type TestMerchant } from "./support/installation.ts";
import { ReplicatedDatabase } from "./support/replication.ts";

let database: ReplicatedDatabase;
let installation: Installation;
let merchant: TestMerchant;
let beneficiary: string;
let owner: Browser;

beforeAll(async () => {
  database = await ReplicatedDatabase.start();
  const environment = { DATABASE_URL: database.url, DATABASE_REPLICA_URL: database.standbyUrl };
  installation = await Installation.on(database, environment, {});
  merchant = await installation.newMerchant({ fund: "1000.00" });
  beneficiary = await merchant.addBeneficiary();
  owner = await Browser.signIn(installation, await newPerson(installation, merchant.id));
});
afterAll(async () => {
  await installation?.stop();
  await database?.release();
});

async function onStandby<T>(statement: string): Promise<T> {
  const pool = createPool({ url: database.standbyUrl, size: 1 });
  try {
    return (await pool.query(statement)).rows[0] as T;
  } finally {
    await pool.end();
  }
}

/** How often the standby's table of transfers has been read. */
async function countReads(): Promise<number> {
  const { reads } = await onStandby<{ reads: number }>(
    "select (seq_scan + idx_scan)::integer as reads from pg_stat_user_tables where relname = 'transfer'",
  );
  return reads;
}

async function file(): Promise<string> {
  const { status, body } = await owner.get("/transfers.csv");
  expect(status).toBe(200);
  return body as string;
}

async function pay(reference: string): Promise<void> {
  const body = {
    beneficiary_id: beneficiary,
    amount: "1.00",
    reference_id: reference,
    narrative: "x",
  };
  expect((await merchant.transfer(body)).status).toBe(200);
}

test("a file comes from the standby, and has what was paid a moment before", { timeout: 120_000 }, async () => {
  const before = await countReads();
  await pay("first");
  await expect.poll(file).toContain("first");
  await expect
    .poll(async () => {
      await file();
      return countReads();
    })
    .toBeGreaterThan(before);
});

let warningsBefore = 0;

const countWarnings = (): number => installation.server.output.split("files are read from the primary").length - 1;

test("what is on pages comes from the primary, at once", { timeout: 120_000 }, async () => {
  warningsBefore = countWarnings();
  await onStandby("select pg_wal_replay_pause()");
  await pay("second");
  expect(JSON.stringify((await owner.get("/transfers")).body)).toContain("second");
});

test("a standby that does not keep up, or is gone, is left out", { timeout: 120_000 }, async () => {
  // Its replay is paused since the test before.
  await expect.poll(file).toContain("second");
  await expect.poll(countWarnings).toBe(warningsBefore + 1);
  await onStandby("select pg_wal_replay_resume()");
  // Without that, nothing is committed any more once it is gone.
  await database.onPrimary(async (pool) => {
    await pool.query("alter system set synchronous_standby_names = ''");
    await pool.query("select pg_reload_conf()");
  });
  await database.killStandby();
  await expect.poll(async () => (await owner.get("/transfers.csv")).status).toBe(200);
  await expect.poll(file).toContain("second");
});
