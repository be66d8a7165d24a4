// Changing an endpoint: waiting events go to the new URL, none to the old one, and no event is lost.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { fund, makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { makeDeliverer, makeNumberedEndpoint, Receiver, until } from "../../test/support/webhooks.ts";
import { runChecks } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { changeEndpoint, createEndpoint } from "./change-endpoint.ts";
import type { Deliverer } from "./deliverer.ts";
import { findEndpoint } from "./endpoint-store.ts";
import { WEBHOOK_CHECKS } from "./verify-store.ts";

let db: LedgerDatabase;
let merchant: Merchant;
let receiver: Receiver;
let deliverer: Deliverer;
/** The paths that received events, in order. */
let paths: string[];

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  receiver = await Receiver.start();
  paths = [];
  receiver.respond = (response, _received, { url }) => {
    paths.push(url!);
    response.writeHead(url === "/old" ? 500 : 204).end();
  };
  deliverer = makeDeliverer(db.server, { backoff: { holdMs: [60_000], laterMs: [60_000], giveUpAfterMs: 600_000 } });
});
afterEach(async () => {
  await deliverer.stop();
  await receiver.stop();
});
afterAll(() => db.close());

const context = () => ({ pool: db.server, merchant });

test("events that wait go to the new URL at once", async () => {
  const { key } = await makeNumberedEndpoint(db, merchant, receiver.url("/old"));
  await fund(db, merchant, 100n, "one");
  await deliverer.start(true);
  await until(async () => (await findEndpoint(db.server, key))!.headTries === 1);
  await changeEndpoint(context(), { endpointId: key.endpointId, url: receiver.url("/new") });
  await until(async () => (await findEndpoint(db.server, key))!.headTries === 0);
  await fund(db, merchant, 100n, "two");
  await until(() => paths.length === 3);
  expect(paths).toEqual(["/old", "/new", "/new"]);
});

test("types that are added count from the next event, and every event is accounted for", async () => {
  const { key } = await makeNumberedEndpoint(db, merchant, receiver.url("/new"), ["invoice.paid"]);
  await deliverer.start(true);
  await fund(db, merchant, 100n, "before");
  await until(async () => (await findEndpoint(db.server, key))!.cursorEventNo === 1n);
  const changed = await changeEndpoint(context(), { endpointId: key.endpointId, eventTypes: null, description: "All" });
  expect(changed).toMatchObject({ eventTypes: null, description: "All", url: receiver.url("/new") });
  await fund(db, merchant, 100n, "after");
  await until(() => receiver.received.length === 1);
  expect(receiver.received[0]!.data).toMatchObject({ reference: "after" });
  expect((await runChecks(db.owner, WEBHOOK_CHECKS, null, 100)).violations).toEqual([]);
});

test("the audit log has what changed", async () => {
  const { key } = await makeNumberedEndpoint(db, merchant, receiver.url("/old"));
  await changeEndpoint(context(), { endpointId: key.endpointId, eventTypes: ["transfer.*"] });
  const { rows } = await db.owner.query(
    "select type, before, after from journal where merchant_id = $1 order by entry_no desc limit 1",
    [merchant.merchantId],
  );
  expect(rows).toEqual([
    { type: "webhook_endpoint.changed", before: { event_types: null }, after: { event_types: ["transfer.*"] } },
  ]);
});

test("unknown events and other merchants' endpoints are refused, and change nothing", async () => {
  const { key } = await makeNumberedEndpoint(db, merchant, receiver.url("/old"));
  const before = await findEndpoint(db.server, key);
  const change = async (events: readonly string[]) =>
    changeEndpoint(context(), { endpointId: key.endpointId, eventTypes: events });
  for (const type of ["merchant.live", "transfer.sent"]) {
    await expect(change([type])).rejects.toMatchObject({ code: "validation_failed", errors: [{ field: "events" }] });
  }
  const draft = { url: receiver.url(), description: "", eventTypes: ["merchant.*"] };
  await expect(createEndpoint({ ...context(), ids: db.ids }, draft)).rejects.toMatchObject({
    errors: [{ field: "events", code: "not_allowed" }],
  });
  const [other] = (await makeMerchants(db, 1)) as [Merchant];
  const foreign = changeEndpoint(
    { pool: db.server, merchant: other },
    { endpointId: key.endpointId, description: "x" },
  );
  await expect(foreign).rejects.toMatchObject({ code: "not_found" });
  expect(await findEndpoint(db.server, key)).toEqual(before);
});
