// The deliverer with a real database and a real receiver: what is sent, in which order, and the effect of failures.
// test/wire/webhooks.test.ts tests the whole server.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  accept,
  fund,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { makeDeliverer, makeNumberedEndpoint, Receiver, until, verifySignature } from "../../test/support/webhooks.ts";
import { runChecks } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { listAttempts } from "./attempt-store.ts";
import { disable, enable, redeliver, rotateSecret } from "./change-endpoint.ts";
import { createLogger } from "../platform/log.ts";
import type { Deliverer } from "./deliverer.ts";
import { countDeliveries, listDeliveries, countWebhookQueue } from "./delivery-store.ts";
import type { Backoff, EndpointKey } from "./endpoint.ts";
import { findEndpoint } from "./endpoint-store.ts";
import { WEBHOOK_CHECKS } from "./verify-store.ts";

/** Two pauses before an event is set aside, one long after. */
const QUICK: Backoff = { holdMs: [20, 20], laterMs: [50], giveUpAfterMs: 60_000 };

let db: LedgerDatabase;
let merchant: Merchant;
let receiver: Receiver;
const running: Deliverer[] = [];

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  receiver = await Receiver.start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((deliverer) => deliverer.stop()));
  await db.owner.query("update webhook_endpoint set status = 'Disabled', holder = null, lease_until = null");
  await receiver.stop();
});
afterAll(() => db.close());

async function start(options: Parameters<typeof makeDeliverer>[1] = {}, alone = false): Promise<Deliverer> {
  const deliverer = makeDeliverer(db.server, { backoff: QUICK, ...options });
  running.push(deliverer);
  await deliverer.start(alone);
  return deliverer;
}

/** Creates events of the merchant: credits of 1.00. */
async function happen(count: number, name: string, of: Merchant = merchant): Promise<void> {
  for (let number = 0; number < count; number += 1) await fund(db, of, 100n, `${name} ${number}`);
}

async function stateOf(key: EndpointKey) {
  return (await findEndpoint(db.server, key))!;
}

describe("events", () => {
  test("are sent in order, signed, from the next one on", async () => {
    await happen(1, "before");
    const { secret } = await makeNumberedEndpoint(db, merchant, receiver.url("/hook?a=b"));
    await happen(60, "after");
    await start();
    await receiver.waitFor(60);
    expect(receiver.sequences).toEqual(Array.from({ length: 60 }, (_, index) => index + 2));
    const [first] = receiver.received;
    expect(verifySignature(secret, first!)).toMatchObject({
      type: "balance.funded",
      sequence: 2,
      merchant_id: String(merchant.merchantId),
      timestamp: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
      data: { reference: "after 0", amount: "1.00", funding_id: expect.stringMatching(/^\d+$/) as unknown },
    });
    expect(first!.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": `evt_${merchant.merchantId}_2`,
      "accept-encoding": "identity",
    });
  });

  test("are of the endpoint's types, and show the object as it stands", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url(), ["transfer.*"]);
    await fund(db, merchant, 100_000n, "opening");
    const ids = await Promise.all(Array.from({ length: 220 }, () => db.ids.next()));
    const transfers = ids.map((id, index) => newTransfer(merchant, id, 100n, `order-${index}`));
    await accept(db.server, transfers);
    await report(db.server, transfers[0]!, "SUCCESS");
    await happen(3, "after");
    await start();
    await receiver.waitFor(221);
    expect(receiver.sequences).toEqual(Array.from({ length: 221 }, (_, index) => index + 2));
    const [first] = receiver.received;
    expect(first!.type).toBe("transfer.accepted");
    expect(first!.data).toMatchObject({
      transferId: String(ids[0]),
      transfer_id: String(ids[0]),
      referenceId: "order-0",
      amount: "1.00",
      status: "SUCCESS",
    });
    await until(async () => (await stateOf(key)).cursorEventNo === 225n);
    expect(await stateOf(key)).toMatchObject({ cursorEventNo: 225n, failingSince: null });
  });

  test("of other merchants go nowhere else", async () => {
    const [other] = (await makeMerchants(db, 1)) as [Merchant];
    const { secret } = await makeNumberedEndpoint(db, merchant, receiver.url());
    const { secret: otherSecret } = await makeNumberedEndpoint(db, other, receiver.url("/other"));
    await Promise.all([happen(5, "mine"), happen(5, "theirs", other)]);
    await start();
    await receiver.waitFor(10);
    const mine = receiver.received.filter(({ body }) => body.includes(`"${merchant.merchantId}"`));
    expect(mine.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    for (const item of mine) expect(() => verifySignature(secret, item)).not.toThrow();
    for (const item of mine) expect(() => verifySignature(otherSecret, item)).toThrow();
  });
});

describe("an event that is not taken", () => {
  test("is the one that is retried, and those behind it wait", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url());
    await happen(5, "event");
    receiver.answer(500);
    await start({ backoff: { ...QUICK, holdMs: [60_000] } });
    await until(async () => (await stateOf(key)).headTries === 1);
    expect(await countWebhookQueue(db.server)).toMatchObject({ waiting: 5n, retrying: 1n, failed: 0n });
  });

  test("holds up those after it, and is tried again with the same id and a new signature", async () => {
    const { key, secret } = await makeNumberedEndpoint(db, merchant, receiver.url());
    await happen(5, "event");
    receiver.respond = (response, { sequence }) => {
      const tries = receiver.sequences.filter((number) => number === sequence).length;
      response.writeHead(sequence === 3 && tries < 3 ? 500 : 200).end("not now");
    };
    await start();
    await receiver.waitFor(7);
    expect(receiver.sequences).toEqual([1, 2, 3, 3, 3, 4, 5]);
    const ofThree = receiver.received.filter(({ sequence }) => sequence === 3);
    expect(new Set(ofThree.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    for (const item of ofThree) verifySignature(secret, item);
    await until(async () => (await stateOf(key)).cursorEventNo === 5n);
    expect(await stateOf(key)).toMatchObject({ headTries: 0, failingSince: null });
    const attempts = await listAttempts(db.server, key, { eventNo: 3n, limit: 10 });
    expect(attempts.map(({ succeeded, httpStatus, error, answer }) => [succeeded, httpStatus, error, answer])).toEqual([
      [true, 200, "", "not now"],
      [false, 500, "answered 500", "not now"],
      [false, 500, "answered 500", "not now"],
    ]);
  });

  test("is set aside after a time, tried on a schedule of its own, and taken late", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url());
    await happen(4, "event");
    let isRepaired = false;
    receiver.respond = (response, { sequence }) => response.writeHead(sequence === 2 && !isRepaired ? 400 : 200).end();
    await start();
    await until(async () => (await stateOf(key)).cursorEventNo === 4n);
    expect(receiver.sequences.slice(0, 6)).toEqual([1, 2, 2, 2, 3, 4]);
    expect(await countWebhookQueue(db.server)).toMatchObject({ waiting: 1n, retrying: 1n, failed: 0n });
    isRepaired = true;
    await until(async () => (await countDeliveries(db.server, key)).waiting === 0n);
    expect(receiver.sequences.at(-1)).toBe(2);
    expect(await countWebhookQueue(db.server)).toMatchObject({
      waiting: 0n,
      retrying: 0n,
      failed: 0n,
      oldestDueAt: null,
    });
  });

  test("is given up in the end, stays visible, and can be asked for again", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url());
    await happen(2, "event");
    let isRepaired = false;
    receiver.respond = (response, { sequence }) => response.writeHead(sequence === 1 && !isRepaired ? 302 : 200).end();
    await start({ backoff: { holdMs: [10], laterMs: [10], giveUpAfterMs: 700 } });
    await until(async () => (await countDeliveries(db.server, key)).failed === 1n);
    const [failed] = await listDeliveries(db.server, key, { status: "Failed", after: 0n, limit: 10 });
    expect(failed).toMatchObject({ eventNo: 1n, status: "Failed" });
    expect(receiver.sequences).toContain(2);
    expect((await countWebhookQueue(db.server)).failed).toBe(1n);
    isRepaired = true;
    expect(await redeliver({ pool: db.server, merchant: key }, { ...key, from: 1n, to: 1n })).toBe(1);
    await until(async () => {
      const { waiting, behind } = await countDeliveries(db.server, key);
      return waiting === 0n && behind === 0n;
    });
    expect(await countDeliveries(db.server, key)).toEqual({ behind: 0n, waiting: 0n, failed: 0n });
    expect(receiver.sequences.at(-1)).toBe(1);
  });

  test("is not lost where it can't be set aside", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url());
    await happen(2, "event");
    receiver.answer(500);
    await db.owner.query("revoke insert on webhook_delivery from nodal_server");
    const failing = await start({ logger: createLogger("silent") });
    await receiver.waitFor(3);
    await failing.stop();
    await db.owner.query("grant insert on webhook_delivery to nodal_server");
    expect(await stateOf(key)).toMatchObject({ cursorEventNo: 0n, headTries: 2 });
    receiver.answer(200);
    await start({}, true);
    await receiver.waitFor(5);
    expect(receiver.sequences).toEqual([1, 1, 1, 1, 2]);
  });

  test("and answered with 410 disables the endpoint, which goes on there once it is enabled", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url());
    await happen(3, "event");
    receiver.respond = (response, { sequence }) => response.writeHead(sequence === 2 ? 410 : 200).end();
    await start();
    await until(async () => (await stateOf(key)).status === "Disabled");
    expect(await stateOf(key)).toMatchObject({ cursorEventNo: 1n, disabledReason: "It answered 410 Gone." });
    receiver.answer(200);
    await enable({ pool: db.server, merchant: key }, { ...key, skipsMissed: false });
    await receiver.waitFor(4);
    expect(receiver.sequences).toEqual([1, 2, 2, 3]);
  });
});

describe("an endpoint", () => {
  test("signs with an old secret too, until that one ends", async () => {
    const { key, secret: first } = await makeNumberedEndpoint(db, merchant, receiver.url());
    const { secret: second } = await rotateSecret({ pool: db.server, ids: db.ids, merchant: key }, key.endpointId);
    await happen(1, "event");
    await start();
    const [both] = await receiver.waitFor(1);
    expect(both!.headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const secret of [first, second]) verifySignature(secret, both!);
    await db.owner.query("update webhook_secret set ends_at = now() where ends_at is not null and endpoint_id = $1", [
      key.endpointId,
    ]);
    await happen(1, "later");
    const [, one] = await receiver.waitFor(2);
    verifySignature(second, one!);
    expect(() => verifySignature(first, one!)).toThrow();
  });

  test("has at most five secrets in force", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url());
    for (let count = 1; count < 5; count += 1)
      await rotateSecret({ pool: db.server, ids: db.ids, merchant: key }, key.endpointId);
    await expect(rotateSecret({ pool: db.server, ids: db.ids, merchant: key }, key.endpointId)).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(/5 active secrets/) as unknown,
    });
  });

  test("that is disabled is sent nothing, and goes on where it stopped or with what comes next", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url());
    await disable({ pool: db.server, merchant: key }, key.endpointId);
    await happen(2, "missed");
    await start();
    await expect(redeliver({ pool: db.server, merchant: key }, { ...key, from: 1n, to: 1n })).rejects.toThrow(
      "is disabled",
    );
    await enable({ pool: db.server, merchant: key }, { ...key, skipsMissed: false });
    await receiver.waitFor(2);
    await disable({ pool: db.server, merchant: key }, key.endpointId);
    await happen(2, "skipped");
    await enable({ pool: db.server, merchant: key }, { ...key, skipsMissed: true });
    await happen(1, "next");
    await receiver.waitFor(3);
    // Changes of the endpoint have event numbers too, but are not sent.
    expect(receiver.sequences).toEqual([2, 3, 9]);
  });

  test("is sent events again, one or a range, beside new ones", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url(), ["balance.funded"]);
    await happen(30, "event");
    await start();
    await receiver.waitFor(30);
    await until(async () => (await stateOf(key)).cursorEventNo === 30n);
    expect(await redeliver({ pool: db.server, merchant: key }, { ...key, from: 1n, to: 10_000n })).toBe(30);
    expect(await redeliver({ pool: db.server, merchant: key }, { ...key, from: 7n, to: 7n })).toBe(1);
    await happen(3, "new");
    await receiver.waitFor(63);
    const again = receiver.received.slice(30);
    expect(again.map(({ sequence }) => sequence).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 30 }, (_, index) => index + 1),
      // The two redelivery requests have the numbers between.
      33,
      34,
      35,
    ]);
    const firstOfSeven = receiver.received.find(({ sequence }) => sequence === 7)!;
    const secondOfSeven = again.find(({ sequence }) => sequence === 7)!;
    expect(secondOfSeven.headers["webhook-id"]).toBe(firstOfSeven.headers["webhook-id"]);
    await expect(redeliver({ pool: db.server, merchant: key }, { ...key, from: 99n, to: 99n })).rejects.toThrow(
      "Event 99",
    );
    const other = { ...key, ...((await makeMerchants(db, 1)) as [Merchant])[0] };
    await expect(redeliver({ pool: db.server, merchant: other }, { ...key, from: 1n, to: 1n })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("that hangs delays nobody else, and what it did not answer at a stop does not count", async () => {
    const [other] = (await makeMerchants(db, 1)) as [Merchant];
    const { key: hanging } = await makeNumberedEndpoint(db, merchant, receiver.url("/hangs"));
    await makeNumberedEndpoint(db, merchant, receiver.url("/works"));
    await makeNumberedEndpoint(db, other, receiver.url("/works"));
    let taken = 0;
    let isHanging = false;
    receiver.respond = (response, _received, { url }) => {
      if (url === "/works") {
        taken += 1;
        response.writeHead(200).end();
      } else {
        isHanging = true;
        response.on("close", () => (isHanging = false));
      }
    };
    await Promise.all([happen(10, "event"), happen(10, "event", other)]);
    const deliverer = await start({ timeoutMs: 45_000 });
    await until(() => taken === 20 && isHanging, 120_000);
    expect({ taken, isHanging }).toEqual({ taken: 20, isHanging: true });
    // If the stop waited for the exchange, its attempt would count.
    await deliverer.stop();
    expect(await stateOf(hanging)).toMatchObject({ cursorEventNo: 0n, headTries: 0, failingSince: null });
    expect(await listAttempts(db.server, hanging, { eventNo: null, limit: 10 })).toEqual([]);
  });

  test("that answers too late, or breaks off, has failed", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url());
    await happen(1, "event");
    receiver.respond = (response) => {
      if (receiver.received.length === 1) response.writeHead(200).write("never ends");
      else if (receiver.received.length === 2) response.destroy();
      else response.writeHead(200).end();
    };
    await start({ timeoutMs: 300 });
    await until(async () => (await stateOf(key)).cursorEventNo === 1n);
    const attempts = await listAttempts(db.server, key, { eventNo: null, limit: 10 });
    expect(attempts.map(({ error }) => error)).toEqual(["", "socket hang up", "no complete response within 0.3 s"]);
  });
});

describe("several processes", () => {
  test("share the work: every event once, in order", async () => {
    const keys: EndpointKey[] = [];
    for (let path = 0; path < 6; path += 1)
      keys.push((await makeNumberedEndpoint(db, merchant, receiver.url(`/${path}`))).key);
    const paths = new Map<string, number[]>();
    receiver.respond = (response, { sequence }, { url }) => {
      paths.set(url!, [...(paths.get(url!) ?? []), sequence]);
      response.writeHead(200).end();
    };
    await Promise.all([start(), start(), start()]);
    await Promise.all([happen(40, "a"), happen(40, "b"), happen(40, "c")]);
    await receiver.waitFor(720);
    const expected = Array.from({ length: 120 }, (_, index) => index + 1);
    for (let path = 0; path < 6; path += 1) expect(paths.get(`/${path}`)).toEqual(expected);
  });

  test("take over from one that died once its lease has ended, or at once where one is alone", async () => {
    const { key } = await makeNumberedEndpoint(db, merchant, receiver.url());
    const hold = (lease: string): Promise<unknown> =>
      db.owner.query(
        "update webhook_endpoint set holder = 'dead', lease_until = now() + $2::interval where endpoint_id = $1",
        [key.endpointId, lease],
      );
    await hold("1 hour");
    await happen(1, "event");
    const patient = await start();
    await until(() => receiver.received.length > 0, 700);
    expect(receiver.received).toEqual([]);
    await hold("0 seconds");
    await receiver.waitFor(1);
    await patient.stop();
    await hold("1 hour");
    await happen(1, "later");
    await start({}, true);
    await receiver.waitFor(2);
    expect(receiver.sequences).toEqual([1, 2]);
  });
});

test("afterwards every event is accounted for, and one that is not is found", async () => {
  const findViolations = async () => (await runChecks(db.owner, WEBHOOK_CHECKS, null, 100)).violations;
  expect(await findViolations()).toEqual([]);
  const { key } = await makeNumberedEndpoint(db, merchant, receiver.url(), ["balance.*"]);
  await happen(2, "event");
  await db.owner.query("update webhook_endpoint set cursor_event_no = 3 where endpoint_id = $1", [key.endpointId]);
  expect(await findViolations()).toMatchObject([
    { check: "webhook_cursor", subjectId: key.endpointId, expected: "at most 2", found: "3" },
    { check: "webhook_settled", subjectId: key.endpointId, what: expect.stringContaining("event 1 ") as unknown },
    { check: "webhook_settled", subjectId: key.endpointId, what: expect.stringContaining("event 2 ") as unknown },
  ]);
});
