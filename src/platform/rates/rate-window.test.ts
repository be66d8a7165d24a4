// Limits that several processes share: each has a window over one table. Single statements are in rate-store.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { NodalError } from "../errors.ts";
import { takeRates } from "./rate-store.ts";
import { RateWindow, type TakeRates } from "./rate-window.ts";

/** A window that outlasts the test. */
const HOUR_MS = 3_600_000;

let db: LedgerDatabase;
const open: RateWindow[] = [];
/** The database uses whole milliseconds of a different clock. */
const CLOCK_STEP_MS = 5;
/** The number of statements, by window. */
const statements = new Map<RateWindow, number>();

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((window) => window.close()));
});
afterAll(() => db.close());

/** Stops this process's clock, which ends leases; the returned function advances it. The database's clock keeps running. */
function stopClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["performance"] });
  return (ms) => void vi.advanceTimersByTime(ms);
}

/** So many processes, each with separate memory. */
function processes(count: number, windowMs = HOUR_MS): RateWindow[] {
  return Array.from({ length: count }, () => {
    const take: TakeRates = (asks) => {
      statements.set(window, (statements.get(window) ?? 0) + 1);
      return takeRates(db.server, asks);
    };
    const window: RateWindow = new RateWindow(take, windowMs);
    open.push(window);
    return window;
  });
}

test("three processes that are asked at once let exactly the limit through", async () => {
  const windows = processes(3);
  for (const limit of [1, 30, 63]) {
    const taken = await Promise.all(
      Array.from({ length: 3 * limit }, (_, index) => windows[index % 3]!.take(`exact ${limit}`, limit)),
    );
    expect(taken.filter(({ allowed }) => allowed)).toHaveLength(limit);
    const refusals = taken.filter(({ allowed }) => !allowed);
    for (const { resetMs, remaining } of refusals) {
      expect(resetMs).toBeGreaterThan(HOUR_MS / 2);
      expect(resetMs).toBeLessThanOrEqual(HOUR_MS);
      expect(remaining).toBe(0);
    }
    expect(taken.filter(({ allowed }) => allowed).map(({ remaining }) => remaining)).toContain(0);
  }
});

test("one after the other at changing processes, each is told what is left of all", async () => {
  const windows = processes(3);
  for (let count = 1; count <= 30; count += 1) {
    expect(await windows[count % 3]!.take("in turn", 30)).toMatchObject({ allowed: true, remaining: 30 - count });
  }
  for (const window of windows) expect((await window.take("in turn", 30)).allowed).toBe(false);
});

test("allows again as soon as the first leaves the window, at whichever process", async () => {
  const WINDOW_MS = 800;
  const [one, other] = processes(2, WINDOW_MS);
  const startedMs = performance.now();
  // One statement counts all four, so they are in one window.
  const taken = await Promise.all([1, 2, 3, 4].map(() => one!.take("slides", 3)));
  expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
  await sleep(taken[3]!.resetMs);
  // The wait counts from the request, which may reach the database a little later.
  await expect.poll(async () => (await other!.take("slides", 3)).allowed).toBe(true);
  expect(performance.now() - startedMs).toBeGreaterThan(WINDOW_MS - CLOCK_STEP_MS);
});

test("what is given back may be taken at another process", async () => {
  const [one, other] = processes(2);
  const [first] = [await one!.take("back", 1), await other!.take("back", 1)];
  first.giveBack();
  first.giveBack();
  await expect.poll(async () => (await one!.take("back", 1)).allowed).toBe(true);
  expect((await one!.take("back", 1)).allowed).toBe(false);
});

test("a look counts nothing, and sees what other processes took", async () => {
  const [one, other] = processes(2);
  for (let count = 0; count < 3; count += 1) {
    expect(await one!.look("look", 2)).toMatchObject({ allowed: true, remaining: 2 });
  }
  await other!.take("look", 2);
  expect(await one!.look("look", 2)).toMatchObject({ allowed: true, remaining: 1 });
  await other!.take("look", 2);
  expect((await one!.look("look", 2)).allowed).toBe(false);
});

test("a key that is used often costs few statements; together no more is allowed than the limit, and less by no more than is held ahead", async () => {
  const pass = stopClock();
  const windows = processes(3);
  const LIMIT = 1500;
  let allowed = 0;
  let refused = 0;
  const client = async (window: RateWindow): Promise<void> => {
    while (refused < 30) {
      if ((await window.take("busy", LIMIT)).allowed) allowed += 1;
      else refused += 1;
      pass(1);
      await sleep(2);
    }
  };
  await Promise.all(windows.flatMap((window) => [client(window), client(window)]));
  expect(allowed).toBeLessThanOrEqual(LIMIT);
  expect(allowed).toBeGreaterThan(LIMIT * 0.9);
  const made = windows.reduce((sum, window) => sum + (statements.get(window) ?? 0), 0);
  expect(made).toBeLessThan(LIMIT / 4);
  // Unused counts that one had taken ahead are available to the others again.
  let rest = 0;
  const takeRest = async (): Promise<number> => {
    pass(1000);
    while ((await windows[0]!.take("busy", LIMIT)).allowed) rest += 1;
    return allowed + rest;
  };
  await expect.poll(takeRest).toBe(LIMIT);
});

test("what a process held ahead when it stopped in order is free at once", async () => {
  const [one, other] = processes(2);
  for (let count = 0; count < 200; count += 1) await one!.take("stopped", 1000);
  await one!.close();
  expect(await other!.look("stopped", 1000)).toMatchObject({ remaining: 800 });
});

test("a refused key is asked about once a second, however often it is tried", async () => {
  const pass = stopClock();
  const [window] = processes(1);
  await window!.take("hammered", 1);
  await window!.take("hammered", 1);
  const before = statements.get(window!)!;
  const tryOften = async (): Promise<void> => {
    for (let count = 0; count < 500; count += 1) expect((await window!.take("hammered", 1)).allowed).toBe(false);
  };
  await tryOften();
  expect(statements.get(window!)! - before).toBe(0);
  pass(1000);
  await tryOften();
  expect(statements.get(window!)! - before).toBe(1);
});

test("while most of a limit is left, one ask serves some seconds", async () => {
  const pass = stopClock();
  const [window] = processes(1);
  for (let count = 0; count < 60; count += 1) {
    expect((await window!.take("steady", 6000)).allowed).toBe(true);
    pass(50);
  }
  expect(statements.get(window!)).toBeLessThanOrEqual(3);
});

test("what was taken ahead under a larger limit is of no use under a smaller one", async () => {
  const [window] = processes(1);
  for (let count = 0; count < 200; count += 1) await window!.take("smaller", 1000);
  expect((await window!.take("smaller", 100)).allowed).toBe(false);
});

test("a limit that is raised counts at once; one that is lowered waits until enough have left", async () => {
  const [window] = processes(1);
  for (let count = 0; count < 3; count += 1) await window!.take("changed", 2);
  expect(await window!.take("changed", 5)).toMatchObject({ allowed: true, limit: 5, remaining: 2 });
  expect((await window!.take("changed", 2)).allowed).toBe(false);
});

test("without a database it refuses as unavailable, and lets nobody through uncounted", async () => {
  const gone = Object.assign(new Error("connection terminated"), { code: "ECONNRESET" });
  const window = new RateWindow(() => Promise.reject(gone), 60_000);
  open.push(window);
  const failure: unknown = await window.take("gone", 5).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NodalError);
  expect((failure as NodalError).code).toBe("unavailable");
});
