// The deliverer and a database that goes away under it.
// What belongs here: how soon it goes on. What it sends, and what receivers' failures do, is in deliverer.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fund, makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { makeDeliverer, makeEndpoint, Receiver, until } from "../../test/support/webhooks.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";
import type { Deliverer } from "./deliverer.ts";

let db: LedgerDatabase;
let receiver: Receiver;
let deliverer: Deliverer | undefined;

beforeAll(async () => {
  db = await openLedgerDatabase();
  receiver = await Receiver.start();
});
afterAll(async () => {
  await deliverer?.stop();
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
  deliverer = makeDeliverer(pool);
  await deliverer.start(false);
  await fund(db, merchant, 100n, "first");
  await until(() => refusals > 0);
  isAway = false;
  expect((await db.owner.query("select from webhook_endpoint where holder is not null")).rowCount).toBe(1);
  await fund(db, merchant, 100n, "second");
  await until(() => receiver.sequences.includes(2), 18_000);
  expect([...new Set(receiver.sequences)]).toEqual([1, 2]);
});
