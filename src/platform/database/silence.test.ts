// A database that takes connections and answers nothing: who waits is told, and what is only slow is waited for.
import { afterAll, beforeAll, expect, test } from "vitest";
import { CuttingProxy } from "../../../test/crash/proxy.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { isConnectionLost } from "./failure.ts";
import { createPool, type OwnedPool } from "./pool.ts";

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

test("where it is silent, who waits has lost the connection, new ones are refused at once, and later all is well", async () => {
  await pool.query("select 1");
  proxy.hold();
  const waiting = await Promise.all(["select 1", "select 2", "select 3"].map((statement) => errorOf(statement)));
  expect(waiting.map((error) => isConnectionLost(error))).toEqual([true, true, true]);
  expect((waiting[0] as Error).message).toContain("does not answer");
  const startedMs = performance.now();
  expect(isConnectionLost(await errorOf("select 4"))).toBe(true);
  expect(performance.now() - startedMs).toBeLessThan(3000);
  proxy.letGo();
  await expect.poll(() => errorOf("select 5 as five")).toMatchObject({ rows: [{ five: 5 }] });
});
