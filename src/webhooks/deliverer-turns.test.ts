// Merchants beside each other at the deliverer: how many places one of them has, and who is found.
// What belongs here: fairness. What is sent to an endpoint is in deliverer.test.ts.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fund, makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { makeDeliverer, makeEndpoint, makeNumberedEndpoint, Receiver, until } from "../../test/support/webhooks.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Deliverer } from "./deliverer.ts";
import { findDueEndpoints } from "./endpoint-store.ts";

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

/** Makes events of a merchant: credits of 1.00. */
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
    // Events that come later are sent at once as well: the hanging ones still have their four places.
    await happen(2, "later", good);
    await until(() => ofGood().length === 5);
    expect([ofGood().length, most, hanging]).toEqual([5, 4, 4]);
  });

  test("fills no look, so that those of others are found", async () => {
    for (let number = 0; number < 20; number += 1) await makeEndpoint(db, merchant, receiver.url(`/${number}`));
    const [good] = (await makeMerchants(db, 1)) as [Merchant];
    const { key } = await makeNumberedEndpoint(db, good, receiver.url("/good"));
    await Promise.all([happen(1, "hostile"), happen(1, "good", good)]);
    const found = await findDueEndpoints(db.server, "nobody", { limit: 5, ofOneMerchant: 8 });
    expect(found).toHaveLength(5);
    expect(found.slice(0, 2)).toContainEqual({ ...key, isFailing: false });
    const all = await findDueEndpoints(db.server, "nobody", { limit: 100, ofOneMerchant: 8 });
    expect(all.filter(({ merchantId }) => merchantId === merchant.merchantId)).toHaveLength(8);
  });
});
