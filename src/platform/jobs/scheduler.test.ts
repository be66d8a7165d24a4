// Schedules against a real database: one process at a time, failures, leases of the dead, stops.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { createLogger } from "../log.ts";
import { listSchedules, type ScheduleState } from "./schedule-store.ts";
import { Scheduler, type Schedule } from "./scheduler.ts";

const logger = createLogger("silent");
let db: LedgerDatabase;
const running: Scheduler[] = [];

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  await db.owner.query("delete from schedule");
});
afterAll(() => db.close());

async function start(schedules: readonly Schedule[], alone = false): Promise<Scheduler> {
  const scheduler = new Scheduler({ pool: db.server, schedules, logger });
  running.push(scheduler);
  await scheduler.start(alone);
  return scheduler;
}

async function stateOf(name: string): Promise<ScheduleState> {
  return (await listSchedules(db.server)).find((state) => state.name === name)!;
}

const often = (run: Schedule["run"], name = "often"): Schedule => ({ name, everyMs: 20, run });

describe("a schedule", () => {
  test("runs in one process at a time, again and again", async () => {
    let atOnce = 0;
    let most = 0;
    let runs = 0;
    const run = async (): Promise<void> => {
      most = Math.max(most, (atOnce += 1));
      runs += 1;
      await sleep(10);
      atOnce -= 1;
    };
    const schedulers = await Promise.all([1, 2, 3].map(() => start([often(run)])));
    await vi.waitFor(() => expect(runs).toBeGreaterThan(5), { timeout: 180_000 });
    await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
    expect(most).toBe(1);
    expect(await stateOf("often")).toMatchObject({ holder: null, lastError: null, runs: BigInt(runs), failures: 0n });
  });

  test("that fails says so, runs again, and disturbs no other", async () => {
    let good = 0;
    let bad = 0;
    const scheduler = await start([
      often(() => Promise.resolve(void (good += 1)), "good"),
      often(() => {
        bad += 1;
        return Promise.reject(new Error("the printer is on fire"));
      }, "bad"),
    ]);
    await vi.waitFor(() => expect(Math.min(good, bad)).toBeGreaterThan(2), { timeout: 180_000 });
    await scheduler.stop();
    const state = await stateOf("bad");
    expect(state.lastError).toBe("the printer is on fire");
    expect(state.failures).toBe(state.runs);
    expect((await stateOf("good")).failures).toBe(0n);
  });

  test.each([
    ["a lease without end", "update schedule set holder = 'x', lease_until = '2199-01-01'"],
    ["a next run that never comes", "update schedule set next_run_at = 'infinity'"],
    ["no next run", "update schedule set next_run_at = null"],
    ["no row", "delete from schedule"],
  ])("runs on after somebody with SQL has given it %s", async (_what, sql) => {
    let runs = 0;
    const scheduler = await start([often(() => Promise.resolve(void (runs += 1)))]);
    await vi.waitFor(() => expect(runs).toBeGreaterThan(0), { timeout: 180_000 });
    await db.owner.query(sql);
    const before = runs;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 61_000);
    await vi.waitFor(() => expect(runs).toBeGreaterThan(before + 2), { timeout: 180_000 });
    clock.mockRestore();
    await scheduler.stop();
  });

  test("is told to end at a stop, which waits for it", async () => {
    let ended = false;
    const scheduler = await start([
      often(async (_pool, signal) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await sleep(20);
        ended = true;
      }),
    ]);
    await vi.waitFor(async () => expect((await stateOf("often")).holder).not.toBeNull());
    await scheduler.stop();
    expect(ended).toBe(true);
    expect((await stateOf("often")).holder).toBeNull();
  });

  test("of a process that died is taken over once its lease has ended, or at once by one that is alone", async () => {
    const hold = (lease: string): Promise<unknown> =>
      db.owner.query(
        `insert into schedule (schedule_name, next_run_at, holder, lease_until)
         values ('often', now(), 'dead', now() + $1::interval)
         on conflict (schedule_name) do update set holder = 'dead', lease_until = now() + $1::interval`,
        [lease],
      );
    let runs = 0;
    const run = (): Promise<void> => Promise.resolve(void (runs += 1));
    await hold("1 minute");
    const patient = await start([often(run)]);
    await sleep(200);
    expect(runs).toBe(0);
    await patient.stop();
    const alone = await start([often(run)], true);
    await vi.waitFor(() => expect(runs).toBeGreaterThan(0), { timeout: 180_000 });
    await alone.stop();
    await hold("-1 second");
    const before = runs;
    const successor = await start([often(run)]);
    await vi.waitFor(() => expect(runs).toBeGreaterThan(before), { timeout: 180_000 });
    await successor.stop();
  });
});
