// The check of the books by several processes: one at a time, its result visible to all, and taken over from dead ones.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { listSchedules } from "../platform/jobs/schedule-store.ts";
import { createLogger } from "../platform/log.ts";
import { endedCheck, LedgerCheck } from "./ledger-check.ts";
import { failureOfFindings, recordRun } from "./record-run.ts";
import { verifyInstallation, type Findings } from "./verify.ts";

const logger = createLogger("silent");
let db: LedgerDatabase;
let sound: Findings;

beforeAll(async () => {
  db = await openLedgerDatabase();
  sound = await verifyInstallation(db.owner);
});
beforeEach(() => db.owner.query("delete from schedule"));
afterAll(() => db.close());

function checkOf(run: () => Promise<Findings>): LedgerCheck {
  return new LedgerCheck({ pool: db.server, logger, run });
}

test("runs in one process at a time, and every process knows of it and of its end", async () => {
  const end = Promise.withResolvers<Findings>();
  let runs = 0;
  const checks = Array.from({ length: 5 }, () => checkOf(() => ((runs += 1), end.promise)));
  expect(await checks[0]!.state()).toEqual({ runningSince: null, last: null });
  const started = await Promise.all(checks.map((check) => check.start()));
  expect(started.filter(Boolean)).toHaveLength(1);
  expect(runs).toBe(1);
  const states = await Promise.all(checks.map((check) => check.state()));
  for (const state of states) expect(state).toEqual({ runningSince: expect.any(Temporal.Instant), last: null });
  end.resolve(sound);
  await Promise.all(checks.map((check) => check.stop()));
  for (const check of checks) {
    expect(await check.state()).toMatchObject({ runningSince: null, last: { findings: sound, error: null } });
  }
  expect(await listSchedules(db.server)).toMatchObject([{ name: "verify", holder: null, lastError: null, runs: 1n }]);
});

test("violations are kept, the first 200 of them, and a check that can't run says so until the next", async () => {
  const violation = { check: "balance", merchant_id: "1000", subject_id: null, message: "expected 1, found 2" };
  const broken = {
    summary: { ...sound.summary, ok: false, violation_count: 300 },
    violations: Array.from({ length: 300 }, () => violation),
  };
  const finding = checkOf(() => Promise.resolve(broken));
  await finding.start();
  await finding.stop();
  const { last } = await finding.state();
  expect(last!.findings).toEqual({ ...broken, violations: broken.violations.slice(0, 200) });
  const failing = checkOf(() => Promise.reject(new Error("no such disk")));
  await failing.start();
  await failing.stop();
  const error = "The check could not run: see the server's log.";
  expect((await finding.state()).last).toMatchObject({ findings: null, error });
  expect(await listSchedules(db.server)).toMatchObject([{ lastError: error, runs: 2n, failures: 2n }]);
});

test("of a process that died it is running for no longer than its lease", async () => {
  const dead = checkOf(() => new Promise<Findings>(() => {}));
  const next = checkOf(() => Promise.resolve(sound));
  expect([await dead.start(), await next.start()]).toEqual([true, false]);
  await db.owner.query("update schedule set lease_until = now() - interval '1 second'");
  expect((await next.state()).runningSince).toBeNull();
  expect(await listSchedules(db.server)).toMatchObject([{ holder: null }]);
  expect(await next.start()).toBe(true);
  await next.stop();
  expect(await next.state()).toMatchObject({ runningSince: null, last: { findings: sound } });
});

test("what the command found is the last check too, and one that is running goes on", async () => {
  const end = Promise.withResolvers<Findings>();
  const check = checkOf(() => end.promise);
  await check.start();
  const noted = { pool: db.owner, logger };
  await recordRun(noted, "verify", () => Promise.resolve(sound), failureOfFindings, endedCheck);
  expect(await check.state()).toEqual({
    runningSince: expect.any(Temporal.Instant),
    last: { startedAt: expect.any(String), finishedAt: expect.any(String), findings: sound, error: null },
  });
  end.resolve(sound);
  await check.stop();
  expect(await listSchedules(db.server)).toMatchObject([{ holder: null, runs: 2n }]);
});
