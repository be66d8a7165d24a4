// A database that accepts connections and does not answer: requests are refused, but slow statements may finish.
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { CuttingProxy } from "../../../test/crash/proxy.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { isConnectionLost } from "./failure.ts";
import { createPool, type OwnedPool } from "./pool.ts";
import { Silence, type Watched } from "./silence.ts";

let db: LedgerDatabase;
let proxy: CuttingProxy;
let pool: OwnedPool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  proxy = await CuttingProxy.open(Number(new URL(db.url).port));
  const url = Object.assign(new URL(db.url), { port: String(proxy.port) }).href;
  pool = createPool({ url, size: 2, role: "nodal_server" });
});
afterAll(async () => {
  proxy.letGo();
  await pool.end();
  await proxy.close();
  await db.close();
});

const errorOf = (statement: string): Promise<unknown> => pool.query(statement).catch((error: unknown) => error);

test("a statement that takes long, while nothing else comes, is waited for", async () => {
  expect((await pool.query("select pg_sleep(7), 1 as one")).rows).toMatchObject([{ one: 1 }]);
});

test("while it is silent, statements lose their connection and new ones are refused; afterwards all is well", async () => {
  await pool.query("select 1");
  proxy.hold();
  const waiting = await Promise.all(["select 1", "select 2", "select 3"].map((statement) => errorOf(statement)));
  expect(waiting.map((error) => isConnectionLost(error))).toEqual([true, true, true]);
  expect((waiting[0] as Error).message).toContain("does not answer");
  expect(isConnectionLost(await errorOf("select 4"))).toBe(true);
  proxy.letGo();
  await expect.poll(() => errorOf("select 5 as five")).toMatchObject({ rows: [{ five: 5 }] });
});

/** How often connections are checked, and more checks than it takes to call a database silent. */
const CHECK_MS = 500;
const MANY_CHECKS = 30;

/** Watches a connection that waits for an answer and receives nothing; `answers` is the health check. */
function watchSilent(name: string, answers: () => Promise<unknown>) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const breakOff = vi.fn<Watched["breakOff"]>();
  const connection: Watched = { isWaiting: true, bytesRead: 0, breakOff };
  const silence = Silence.ofHosts([name], answers);
  silence.add(connection);
  return { silence, connection, breakOff };
}

afterEach(() => {
  vi.useRealTimers();
});

test("a connection is kept, however long it waits, while the health check is answered", async () => {
  const { silence, connection, breakOff } = watchSilent("answering", () => Promise.resolve());
  for (let check = 0; check < MANY_CHECKS; check += 1) await vi.advanceTimersByTimeAsync(CHECK_MS);
  expect(breakOff).not.toHaveBeenCalled();
  await silence.requireAnswer();
  silence.remove(connection);
});

test("once found silent, requests are refused although the health check is not over", async () => {
  const { silence, connection, breakOff } = watchSilent("silent", () => new Promise(() => {}));
  for (let check = 0; check < MANY_CHECKS; check += 1) await vi.advanceTimersByTimeAsync(CHECK_MS);
  expect(breakOff).toHaveBeenCalled();
  await expect(silence.requireAnswer()).rejects.toMatchObject({ code: "ETIMEDOUT" });
  silence.remove(connection);
});
