// The deliverer when its database goes down. deliverer.test.ts tests what it sends, and failures of receivers.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fund, makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { makeDeliverer, makeEndpoint, Receiver, until } from "../../test/support/webhooks.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";
import type { Deliverer } from "./deliverer.ts";

let db: LedgerDatabase;
let receiver: Receiver;
const running: Deliverer[] = [];

beforeAll(async () => {
  db = await openLedgerDatabase();
  receiver = await Receiver.start();
});
afterAll(async () => {
  await Promise.all(running.map((deliverer) => deliverer.stop()));
  await receiver.stop();
  await db.close();
});

test("a database that was away keeps events waiting for a moment only, though the endpoint could not be let go", async () => {
  const [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  let isAway = false;
  let refusals = 0;
  const connect = (): Promise<Connection> => {
    if (!isAway) return db.server.connect();
    refusals += 1;
    return Promise.reject(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }));
  };
  const pool = { beneath: db.server, query: db.server.query.bind(db.server), connect } as Pool;
  await makeEndpoint(db, merchant, receiver.url());
  receiver.respond = (response) => {
    isAway = true;
    receiver.answer(204);
    response.writeHead(204).end();
  };
  const deliverer = makeDeliverer(pool);
  running.push(deliverer);
  await deliverer.start(false);
  await fund(db, merchant, 100n, "first");
  await until(() => refusals > 0);
  isAway = false;
  expect((await db.owner.query("select from webhook_endpoint where holder is not null")).rowCount).toBe(1);
  await fund(db, merchant, 100n, "second");
  await until(() => new Set(receiver.sequences).size > 1, 120_000);
  const [first, ...further] = new Set(receiver.sequences);
  expect(further).toEqual([first! + 1]);
  await running.pop()!.stop();
});

test("a database that stood still during a look keeps events waiting for seconds, not for many times as long", async () => {
  const [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  let stoodStill = false;
  const query = async (...asked: Parameters<Pool["query"]>): Promise<unknown> => {
    if (!stoodStill) {
      stoodStill = true;
      await sleep(1500);
    }
    return db.server.query(...asked);
  };
  const pool = { beneath: db.server, connect: () => db.server.connect(), query } as Pool;
  const come = new Set<string>();
  receiver.respond = (response, _, { url }) => {
    come.add(url!);
    response.writeHead(204).end();
  };
  const deliverer = makeDeliverer(pool);
  running.push(deliverer);
  // Nothing is due at the first poll.
  await deliverer.start(false);
  await until(() => stoodStill);
  await sleep(1600);
  await makeEndpoint(db, merchant, receiver.url("/later"));
  await fund(db, merchant, 100n, "event");
  await until(() => come.has("/later"), 120_000);
  expect([...come]).toContain("/later");
});
