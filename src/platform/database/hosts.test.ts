// The choice between several hosts. Failover of a running server is in test/failover.test.ts.
import { randomUUID } from "node:crypto";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { isConnectionLost } from "./failure.ts";
import { createPool, type OwnedPool } from "./pool.ts";

const LOGIN = `hosts_${randomUUID().replaceAll("-", "")}`;
/** Nobody listens there. */
const CLOSED = "127.0.0.1:9";

let db: LedgerDatabase;
/** Accepts connections and never answers, like a machine that hangs. */
let hanging: Server;
const sockets = new Set<Socket>();
const pools: OwnedPool[] = [];

beforeAll(async () => {
  db = await openLedgerDatabase();
  await db.owner.query(`create role ${LOGIN} login password 'p'`);
  hanging = createServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
});
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.end())));
afterAll(async () => {
  await db.owner.query(`drop role ${LOGIN}`);
  await db.close();
  for (const socket of sockets) socket.destroy();
  hanging.close();
});

function open(...hosts: string[]): OwnedPool {
  const { pathname } = new URL(db.url);
  const url = `postgres://${LOGIN}:p@${hosts.join(",")}${pathname}?target_session_attrs=read-write`;
  const pool = createPool({ url, size: 2 });
  pools.push(pool);
  return pool;
}

const live = (): string => new URL(db.url).host;
const errorOf = (pool: OwnedPool): Promise<unknown> => pool.query("select 1").catch((error: unknown) => error);

test("the one that answers, whatever the place of the others", async () => {
  for (const hosts of [[CLOSED, live()], [live(), CLOSED], [live()]]) {
    expect((await open(...hosts).query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  }
});

test("one that hangs is not waited for long", async () => {
  const hung = `127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  expect((await open(hung, live()).query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("where none is there, each is named with what is wrong, and the connection counts as lost", async () => {
  const error = await errorOf(open(CLOSED, "127.0.0.1:10"));
  expect(isConnectionLost(error)).toBe(true);
  expect((error as Error).message).toMatch(
    /No database host accepts writes: 127.0.0.1:9: .*ECONNREFUSED.*; 127.0.0.1:10: /,
  );
});

test("one that is read-only is not used, and is used again once it is not", async () => {
  const pool = open(live(), CLOSED);
  const readOnly = (value: string): Promise<unknown> =>
    db.owner.query(`alter role ${LOGIN} set default_transaction_read_only = ${value}`);
  await readOnly("on");
  expect((await errorOf(pool)) as Error).toMatchObject({ message: expect.stringContaining("is read-only") as string });
  await readOnly("off");
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a connection that is told that it may not write any more is given up", async () => {
  const pool = open(live(), CLOSED);
  const connection = await pool.connect();
  const lost = connection
    .query("set default_transaction_read_only = on")
    .then(() => connection.query("select pg_sleep(5)"));
  await expect(lost).rejects.toSatisfy(isConnectionLost);
  connection.release(true);
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});
