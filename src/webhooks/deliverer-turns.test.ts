// Several merchants at the deliverer: how many places each gets, and which endpoints are found. deliverer.test.ts tests what is
// sent to an endpoint.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fund, makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { countRowsRead } from "../../test/support/rows-read.ts";
import { makeDeliverer, makeEndpoint, makeNumberedEndpoint, Receiver, until } from "../../test/support/webhooks.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Deliverer } from "./deliverer.ts";
import { findDueEndpoints } from "./endpoint-store.ts";

const LOOK = { holder: "nobody", limit: 100, ofOneMerchant: 8, idleMs: null };
let db: LedgerDatabase;
let merchant: Merchant;
let receiver: Receiver;
let deliverer: Deliverer | null = null;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  receiver = await Receiver.start();
});
afterEach(async () => {
  await deliverer?.stop();
  deliverer = null;
  await db.owner.query("update webhook_endpoint set status = 'Disabled', holder = null, lease_until = null");
  await receiver.stop();
});
afterAll(() => db.close());

/** Creates events of a merchant: credits of 1.00. */
async function happen(count: number, name: string, of: Merchant = merchant): Promise<void> {
  for (let number = 0; number < count; number += 1) await fund(db, of, 100n, `${name} ${number}`);
}

describe("a merchant with many endpoints", () => {
  test("that do not answer has four places, and others are sent theirs meanwhile", async () => {
    for (let number = 0; number < 40; number += 1) await makeEndpoint(db, merchant, receiver.url(`/hang/${number}`));
    const [good] = (await makeMerchants(db, 1)) as [Merchant];
    await makeNumberedEndpoint(db, good, receiver.url("/good"));
    let hanging = 0;
    let most = 0;
    receiver.respond = (response, _received, request) => {
      if (request.url === "/good") return void response.writeHead(204).end();
      most = Math.max(most, (hanging += 1));
      response.once("close", () => (hanging -= 1));
    };
    await happen(1, "hostile");
    await happen(3, "good", good);
    deliverer = makeDeliverer(db.server, { timeoutMs: 120_000 });
    await deliverer.start(false);
    const ofGood = () => receiver.received.filter(({ body }) => body.includes(`"${good.merchantId}"`));
    await until(() => ofGood().length === 3 && most >= 4);
    expect([ofGood().length, most]).toEqual([3, 4]);
    // Later events are sent at once as well: the hanging endpoints still have four places.
    await happen(2, "later", good);
    await until(() => ofGood().length === 5);
    expect([ofGood().length, most, hanging]).toEqual([5, 4, 4]);
  });

  test("fills no look, so that those of others are found", async () => {
    for (let number = 0; number < 20; number += 1) await makeEndpoint(db, merchant, receiver.url(`/${number}`));
    const [good] = (await makeMerchants(db, 1)) as [Merchant];
    const { key } = await makeNumberedEndpoint(db, good, receiver.url("/good"));
    await Promise.all([happen(1, "hostile"), happen(1, "good", good)]);
    const found = await findDueEndpoints(db.server, { ...LOOK, limit: 5 });
    expect(found).toHaveLength(5);
    expect(found.slice(0, 2)).toContainEqual({ ...key, isFailing: false });
    const all = await findDueEndpoints(db.server, { ...LOOK, limit: 100 });
    expect(all.filter(({ merchantId }) => merchantId === merchant.merchantId)).toHaveLength(8);
  });
});

test("endpoints of ten merchants that hang keep nobody else waiting", async () => {
  const hostile = await makeMerchants(db, 10);
  for (const [index, of] of hostile.entries()) {
    for (let number = 0; number < 4; number += 1) await makeEndpoint(db, of, receiver.url(`/hang/${index}/${number}`));
    await happen(1, "hostile", of);
  }
  let hanging = 0;
  receiver.respond = (response, _received, request) => {
    if (request.url === "/good") return void response.writeHead(204).end();
    hanging += 1;
    response.once("close", () => (hanging -= 1));
  };
  deliverer = makeDeliverer(db.server, { timeoutMs: 120_000 });
  await deliverer.start(false);
  // All of them are served, each with a place, while none of them answers.
  await until(() => hanging === 40);
  await makeNumberedEndpoint(db, merchant, receiver.url("/good"));
  await happen(3, "good");
  const ofGood = () => receiver.received.filter(({ body }) => body.includes(`"${merchant.merchantId}"`));
  await until(() => ofGood().length === 3);
  expect(hanging).toBe(40);
});

describe("very many endpoints for which nothing is due", () => {
  const MANY = 4000;
  const LATELY = { ...LOOK, idleMs: 60_000 };

  beforeAll(async () => {
    await db.owner.query(
      `insert into ledger_book (bucket, merchant_id, last_entry_no, changed_at)
       select n % 128, 2 ^ 52 + n, 1, now() - interval '1 day' from generate_series(1, $1::integer) as n`,
      [MANY],
    );
    await db.owner.query(
      `insert into webhook_endpoint (bucket, merchant_id, endpoint_id, url, description, status, created_at, start_event_no,
         cursor_event_no, next_attempt_at, released_at)
       select bucket, merchant_id, merchant_id, 'https://example.com/', '', 'Enabled', long_ago, 1, 1, long_ago, long_ago
       from ledger_book, (select now() - interval '1 day') as time (long_ago)
       where merchant_id > 2 ^ 52 and merchant_id % 10 = 0`,
    );
    await db.owner.query("vacuum (analyze) ledger_book, webhook_endpoint");
  });

  /** The ids that a poll of recent changes finds, and whether a full poll finds the same. */
  async function look(): Promise<{ lately: bigint[]; isAll: boolean }> {
    const [lately, all] = [await findDueEndpoints(db.server, LATELY), await findDueEndpoints(db.server, LOOK)];
    const idsOf = (found: typeof all): bigint[] => found.map(({ endpointId }) => endpointId);
    return {
      lately: idsOf(lately),
      isAll: JSON.stringify(idsOf(lately).map(String)) === JSON.stringify(idsOf(all).map(String)),
    };
  }

  test("are not gone through for the one that something comes for", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url("/"));
    const changeTo = (assignment: string) =>
      db.owner.query(`update webhook_endpoint set ${assignment} where endpoint_id = $1`, [key.endpointId]);
    await changeTo("next_attempt_at = now() - interval '1 day', released_at = now() - interval '1 day'");
    expect(await look()).toEqual({ lately: [], isAll: true });
    await happen(1, "new");
    const rows = await countRowsRead(db.server, async (connection) => {
      expect(await findDueEndpoints(connection, LATELY)).toEqual([{ ...key, isFailing: false }]);
    });
    expect(rows).toBeLessThan(MANY / 2);
    await db.owner.query("update ledger_book set changed_at = now() - interval '1 day'");
    expect(await look()).toEqual({ lately: [], isAll: false });
    for (const assignment of [
      "released_at = now()",
      "released_at = '-infinity', next_attempt_at = now() - interval '1 second'",
      "next_attempt_at = '-infinity', holder = 'dead', lease_until = now() - interval '1 second'",
      "holder = null, lease_until = null, delivery_due_at = now()",
    ]) {
      await changeTo(assignment);
      expect(await look()).toEqual({ lately: [key.endpointId], isAll: true });
    }
  });
});
