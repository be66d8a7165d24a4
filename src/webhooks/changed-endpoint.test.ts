// An endpoint's URL that is changed with SQL for a few seconds and then restored: nothing is sent there.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { fund, makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { makeDeliverer, makeNumberedEndpoint, Receiver, until } from "../../test/support/webhooks.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Deliverer } from "./deliverer.ts";
import type { EndpointKey } from "./endpoint.ts";
import { findEndpoint } from "./endpoint-store.ts";

let db: LedgerDatabase;
let merchant: Merchant;
let receiver: Receiver;
let deliverer: Deliverer;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  receiver = await Receiver.start();
});
afterEach(async () => {
  await deliverer.stop();
  await receiver.stop();
});
afterAll(() => db.close());

async function happen(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) await fund(db, merchant, 100n, `after ${number}`);
}

async function stateOf(key: EndpointKey) {
  return (await findEndpoint(db.server, key))!;
}

test("events are not sent where SQL has them go for a moment", async () => {
  const { key } = await makeNumberedEndpoint(db, merchant, receiver.url("/mine"));
  const other = await makeNumberedEndpoint(db, merchant, receiver.url("/other"), ["transfer.*"]);
  const setUrl = (path: string) =>
    db.owner.query("update webhook_endpoint set url = $2, next_attempt_at = now() where endpoint_id = $1", [
      key.endpointId,
      receiver.url(path),
    ]);
  const setTypes = (types: readonly string[] | null) =>
    db.owner.query("update webhook_endpoint set event_types = $2, next_attempt_at = now() where endpoint_id = $1", [
      other.key.endpointId,
      types,
    ]);
  await setUrl("/thief");
  await setTypes(null);
  const paths: string[] = [];
  receiver.respond = (response, _received, request) => {
    paths.push(request.url!);
    response.writeHead(204).end();
  };
  const { key: witness } = await makeNumberedEndpoint(db, merchant, receiver.url("/witness"));
  await happen(2);
  deliverer = makeDeliverer(db.server);
  await deliverer.start(false);
  await until(async () => {
    const states = [await stateOf(key), await stateOf(other.key)];
    return states.every(({ nextAttemptAt }) => Temporal.Instant.compare(nextAttemptAt, Temporal.Now.instant()) > 0);
  });
  await until(async () => (await stateOf(witness)).cursorEventNo === 2n);
  expect(new Set(paths)).toEqual(new Set(["/witness"]));
  await setUrl("/mine");
  await setTypes(["transfer.*"]);
  await until(
    async () =>
      (await stateOf(other.key)).cursorEventNo === 2n && paths.filter((path) => path === "/mine").length === 2,
  );
  expect(paths.toSorted()).toEqual(["/mine", "/mine", "/witness", "/witness"]);
});
