// Tests of the simulator rail over a real database: booking once, later steps, reports, and being a bad bank on demand.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openEmbeddedDatabase } from "../../platform/database/embedded.ts";
import { migrate } from "../../platform/database/migrate.ts";
import { createPool, type OwnedPool } from "../../platform/database/pool.ts";
import { createLogger } from "../../platform/log.ts";
import type { PaymentInstruction, PaymentReport, Rail } from "./rail.ts";
import { createSimulator, type SimulatorOptions } from "./simulator.ts";
import { listBook } from "./simulator-store.ts";

const ANY = { account: "50100012345678", ifsc: "HDFC0001234" };
const STAYS_PENDING = { account: "007711000031", ifsc: "HDFC0000077" };
const PENDING_THEN_SUCCESS = { account: "00224412311300", ifsc: "YESB0000001" };
const PENDING_THEN_FAILED = { account: "7766666351000", ifsc: "YESB0000001" };
const SUCCESS_THEN_REVERSED = { account: "7766671735000", ifsc: "SBIN0000004" };
const HELD = { account: "34978321547298", ifsc: "KKBK0000001" };

const NEVER = new AbortController().signal;
const logger = createLogger("silent");

let database: TestDatabase;
let owner: OwnedPool;
let rails: Rail[] = [];
let lastId = 1000n;

beforeAll(async () => {
  database = await openTestDatabase();
  owner = createPool({ url: database.url, size: 2 });
});

afterEach(async () => {
  await Promise.all(rails.map((rail) => rail.stop()));
  rails = [];
  await owner.query("truncate simulator.payment");
});

afterAll(async () => {
  await owner?.end();
  await database?.release();
});

function simulator(options: Partial<SimulatorOptions> = {}): Rail {
  const defaults = { databaseUrl: database.url, latencyMs: 0, declinePercent: 0, errorPercent: 0, logger };
  const rail = createSimulator({ ...defaults, ...options });
  rails.push(rail);
  return rail;
}

function pay(to: { account: string; ifsc: string }, change: Partial<PaymentInstruction> = {}): PaymentInstruction {
  lastId += 1n;
  const payee = { name: "Asha", accountNumber: to.account, ifsc: to.ifsc, upi: null };
  return {
    transferId: lastId,
    bucket: 7,
    merchantId: 9n,
    amountPaise: 59_000n,
    mode: "IMPS",
    payee,
    narrative: "",
    ...change,
  };
}

async function countPayments(): Promise<bigint> {
  return (await owner.query<{ count: bigint }>("select count(*) from simulator.payment")).rows[0]!.count;
}

async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not true within ${timeoutMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Starts the rail's own reports, and answers the list that they are collected in. */
function collectReports(rail: Rail): PaymentReport[] {
  const reports: PaymentReport[] = [];
  rail.start(async (report) => void reports.push(report));
  return reports;
}

test("a payment is booked with its UTR, and known by its id afterwards", async () => {
  const rail = simulator();
  const instruction = pay(ANY);
  const report = await rail.submit(instruction, NEVER);
  expect(report).toEqual({
    transferId: instruction.transferId,
    bucket: 7,
    merchantId: 9n,
    status: "SUCCESS",
    utr: expect.stringMatching(/^[0-9]{12}$/),
    reason: null,
    acknowledged: true,
  });
  expect(await rail.status(instruction, NEVER)).toEqual(report);
  expect(await rail.status({ ...instruction, transferId: 1n }, NEVER)).toBeNull();
  expect(await rail.status({ ...instruction, merchantId: 10n }, NEVER)).toBeNull();
});

test("a payment that fails has a reason and no UTR, and is not in the book", async () => {
  const rail = simulator();
  const instruction = pay({ account: "1234567890", ifsc: "ICIC0000001" });
  const report = await rail.submit(instruction, NEVER);
  expect(report).toMatchObject({ status: "FAILED", utr: null, acknowledged: false });
  expect(report.reason).toMatch(/^INVALID_IFSC_FAIL: /);
  expect(await listBook(owner, 7, 9n)).toEqual([]);
});

test("the same id again pays nothing and answers with the first payment, also 100 at once", async () => {
  const rails = [simulator(), simulator()];
  const instruction = pay(ANY);
  const calls = Array.from({ length: 100 }, (_, index) => rails[index % 2]!.submit(instruction, NEVER));
  const reports = await Promise.all(calls);
  for (const report of reports) expect(report).toEqual(reports[0]);
  expect(await rails[0]!.submit({ ...instruction, amountPaise: 1n }, NEVER)).toEqual(reports[0]);
  expect(await listBook(owner, 7, 9n)).toEqual([
    {
      transferId: instruction.transferId,
      amountPaise: 59_000n,
      utr: reports[0]!.utr,
      mode: "IMPS",
      payeeName: "Asha",
      accountNumber: ANY.account,
      ifsc: ANY.ifsc,
      upi: null,
      bookedAt: expect.any(Temporal.Instant),
    },
  ]);
});

test("payments that arrive together are booked in few transactions, in any order on two processes", async () => {
  const [first, second] = [simulator(), simulator()];
  const instructions = Array.from({ length: 400 }, () => pay(ANY));
  const calls = [...instructions, ...instructions.toReversed()].map((instruction, index) =>
    (index < 400 ? first : second).submit(instruction, NEVER),
  );
  expect(new Set((await Promise.all(calls)).map((report) => report.utr)).size).toBe(400);
  const { rows } = await owner.query<{ count: bigint }>("select count(distinct xmin::text) from simulator.payment");
  expect(rows[0]!.count).toBeLessThan(10n);
  expect(await listBook(owner, 7, 9n)).toHaveLength(400);
});

test.each([
  ["PENDING, then SUCCESS", PENDING_THEN_SUCCESS, "PENDING", "SUCCESS"],
  ["PENDING, then FAILED", PENDING_THEN_FAILED, "PENDING", "FAILED"],
  ["SUCCESS, then REVERSED", SUCCESS_THEN_REVERSED, "SUCCESS", "REVERSED"],
] as const)("%s: reported once within 2 s, and the book follows", async (_, to, before, after) => {
  const rail = simulator();
  const reports = collectReports(rail);
  const instruction = pay(to);
  const first = await rail.submit(instruction, NEVER);
  expect(first).toMatchObject({ status: before, acknowledged: false });
  expect(await listBook(owner, 7, 9n)).toHaveLength(before === "SUCCESS" ? 1 : 0);
  await until(() => reports.length > 0);
  expect(reports[0]).toMatchObject({
    transferId: instruction.transferId,
    status: after,
    acknowledged: after === "SUCCESS",
  });
  expect(reports[0]!.reason === null).toBe(after === "SUCCESS");
  expect(reports[0]!.utr === null).toBe(after === "FAILED");
  if (before === "SUCCESS") expect(reports[0]!.utr).toBe(first.utr);
  expect(await rail.status(instruction, NEVER)).toEqual(reports[0]);
  expect(await rail.submit(instruction, NEVER)).toEqual(reports[0]);
  expect(await listBook(owner, 7, 9n)).toHaveLength(after === "SUCCESS" ? 1 : 0);
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(reports).toHaveLength(1);
});

test("a payment may stay PENDING", async () => {
  const rail = simulator();
  const reports = collectReports(rail);
  const instruction = pay(STAYS_PENDING);
  expect(await rail.submit(instruction, NEVER)).toMatchObject({ status: "PENDING", utr: null });
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect(await rail.status(instruction, NEVER)).toMatchObject({ status: "PENDING", utr: null });
  expect(reports).toEqual([]);
});

test("a status asked after a step is due shows it without a timer, and the next start reports it", async () => {
  const rail = simulator();
  const instruction = pay(PENDING_THEN_SUCCESS);
  await rail.submit(instruction, NEVER);
  await until(async () => (await rail.status(instruction, NEVER))?.status === "SUCCESS");
  expect(await listBook(owner, 7, 9n)).toHaveLength(1);
  const reports = collectReports(simulator());
  await until(() => reports.length > 0);
  expect(reports).toMatchObject([{ transferId: instruction.transferId, status: "SUCCESS" }]);
});

test("a report that is not taken is delivered again, also by another process", async () => {
  const rail = simulator();
  let attempts = 0;
  rail.start(async () => {
    attempts += 1;
    throw new Error("the service is not well");
  });
  await rail.submit(pay(PENDING_THEN_SUCCESS), NEVER);
  await until(() => attempts >= 2);
  await rail.stop();
  rails = rails.filter((other) => other !== rail);
  const reports = collectReports(simulator());
  await until(() => reports.length > 0);
  expect(reports).toMatchObject([{ status: "SUCCESS" }]);
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(reports).toHaveLength(1);
});

test("two processes on one book take each step once", async () => {
  const [first, second] = [simulator(), simulator()];
  const reports = [collectReports(first), collectReports(second)];
  await Promise.all(Array.from({ length: 60 }, () => first.submit(pay(SUCCESS_THEN_REVERSED), NEVER)));
  await until(() => reports.flat().length >= 60);
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(reports.flat()).toHaveLength(60);
  expect(new Set(reports.flat().map((report) => report.transferId)).size).toBe(60);
});

test("the account that is held books at once and answers when its step is due", async () => {
  const rail = simulator();
  const instruction = pay(HELD);
  const answer = rail.submit(instruction, NEVER);
  await until(async () => (await rail.status(instruction, NEVER))?.status === "PENDING");
  const { rows } = await owner.query<{ wait_s: number }>(
    "select extract(epoch from next_step_at - booked_at)::float8 as wait_s from simulator.payment",
  );
  expect(rows[0]!.wait_s).toBe(25);
  expect(await answer).toMatchObject({ status: "SUCCESS", utr: expect.any(String), acknowledged: true });
});

test("an abort ends the wait, and the payment stays booked", async () => {
  const rail = simulator();
  const instruction = pay(HELD);
  const patience = new AbortController();
  const answer = rail.submit(instruction, patience.signal);
  // Aborted only once it is booked, however long that takes on a busy machine.
  await until(async () => (await rail.status(instruction, NEVER))?.status === "PENDING");
  patience.abort();
  await expect(answer).rejects.toThrow(/abort/);
  expect(await rail.status(instruction, NEVER)).toMatchObject({ status: "PENDING" });
  await expect(rail.submit(pay(ANY), AbortSignal.abort())).rejects.toThrow();
  const slow = simulator({ latencyMs: 5000 });
  await expect(slow.submit(pay(ANY), AbortSignal.timeout(100))).rejects.toThrow(/abort|timeout/);
  // The one that was held, and the one whose answer came too late.
  await until(async () => (await countPayments()) === 2n);
});

test("latency delays each answer", async () => {
  const rail = simulator({ latencyMs: 150 });
  const instruction = pay(ANY);
  const startedAt = performance.now();
  await rail.submit(instruction, NEVER);
  expect(performance.now() - startedAt).toBeGreaterThan(140);
  await rail.status(instruction, NEVER);
  expect(performance.now() - startedAt).toBeGreaterThan(290);
});

test("broken connections: half before the bank books, half after", async () => {
  let dice = 0;
  const rail = simulator({ errorPercent: 40, random: () => dice });
  const [before, after, well] = [pay(ANY), pay(ANY), pay(ANY)];
  dice = 0.19;
  await expect(rail.submit(before, NEVER)).rejects.toThrow(/before it took the call/);
  await expect(rail.status(before, NEVER)).rejects.toThrow(/before it took the call/);
  dice = 0.39;
  await expect(rail.submit(after, NEVER)).rejects.toThrow(/before its answer arrived/);
  await expect(rail.status(after, NEVER)).rejects.toThrow(/before its answer arrived/);
  dice = 0.4;
  expect(await rail.submit(well, NEVER)).toMatchObject({ status: "SUCCESS" });
  expect(await rail.status(before, NEVER)).toBeNull();
  expect(await rail.status(after, NEVER)).toMatchObject({ status: "SUCCESS" });
});

test("declines: as many as configured, each with a reason", async () => {
  let dice = 0.29;
  const rail = simulator({ declinePercent: 30, random: () => dice });
  const declined = await rail.submit(pay(ANY), NEVER);
  expect(declined).toMatchObject({ status: "FAILED", utr: null });
  expect(declined.reason).toMatch(/^BENE_BANK_DECLINED: /);
  dice = 0.3;
  expect(await rail.submit(pay(ANY), NEVER)).toMatchObject({ status: "SUCCESS" });
});

test("the service's own role can't see the book, and the bank's role can't take a page out", async () => {
  const server = createPool({ url: database.url, size: 1, role: "nodal_server" });
  const bank = createPool({ url: database.url, size: 1, role: "nodal_simulator" });
  try {
    await expect(server.query("select from simulator.payment")).rejects.toThrow(/permission denied/);
    await expect(bank.query("delete from simulator.payment")).rejects.toThrow(/permission denied/);
    await expect(bank.query("select from public.journal")).rejects.toThrow(/permission denied/);
  } finally {
    await Promise.all([server.end(), bank.end()]);
  }
});

type TestDatabase = { readonly url: string; readonly release: () => Promise<void> };

/** A fresh database: on the server of DATABASE_URL where that is set, embedded otherwise. `release` removes it. */
async function openTestDatabase(): Promise<TestDatabase> {
  const server = process.env["DATABASE_URL"];
  const database = server ? await createOn(server) : await createEmbedded();
  const pool = createPool({ url: database.url, size: 1 });
  await migrate(pool);
  await pool.end();
  return database;
}

async function createOn(serverUrl: string): Promise<TestDatabase> {
  const name = `simulator_test_${process.pid}_${Date.now()}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const run = async (statement: string) => {
    const pool = createPool({ url: serverUrl, size: 1 });
    await pool.query(statement);
    await pool.end();
  };
  await run(`create database ${name}`);
  return { url: url.href, release: () => run(`drop database ${name}`) };
}

async function createEmbedded(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "nodal-simulator-"));
  // PostgreSQL's own user must be able to enter it when the tests run as root.
  await chmod(folder, 0o755);
  const database = await openEmbeddedDatabase({
    dataDir: join(folder, "data"),
    isDefaultDataDir: false,
    purpose: "server",
    logger: createLogger("silent"),
  });
  const release = async () => {
    await database.release();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: database.url, release };
}
