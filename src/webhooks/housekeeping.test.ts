// Deleting old attempts, events and secrets; and how many endpoints a merchant may have.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { makeEndpoint } from "../../test/support/webhooks.ts";
import type { Merchant } from "../merchants/index.ts";
import { disable, enable, rotateSecret } from "./change-endpoint.ts";
import { webhookSchedule } from "./housekeeping.ts";
import { listSecrets } from "./secret-store.ts";

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

test("attempts, failures and ended secrets are forgotten after a time; what waits is not", async () => {
  const [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  const { key } = await makeEndpoint(db, merchant, "https://example.com/");
  await rotateSecret({ pool: db.server, ids: db.ids, merchant: key }, key.endpointId);
  await db.owner.query("update webhook_secret set ends_at = now() where ends_at is not null");
  const values = [key.bucket, key.merchantId, key.endpointId];
  await db.owner.query(
    `insert into webhook_attempt
     select $1, $2, $3, now() - age, 1, 'invoice.paid', 5, 500, false, 'answered 500', ''
     from unnest(array[interval '31 days', interval '29 days']) as age`,
    values,
  );
  await db.owner.query(
    `insert into webhook_delivery
     select $1, $2, $3, event_no, status, 9, now() - age, now() - age, case when status = 'Failed' then now() - age end
     from (values (1, 'Failed', interval '31 days'), (2, 'Failed', '29 days'), (3, 'Waiting', '31 days'))
       as given (event_no, status, age)`,
    values,
  );
  const count = async (table: string) => (await db.owner.query(`select from ${table}`)).rowCount;
  const { signal } = new AbortController();
  // Other installations keep them for longer.
  await webhookSchedule(32).run(db.server, signal);
  expect(await count("webhook_attempt")).toBe(2);
  expect(await count("webhook_delivery")).toBe(3);
  await webhookSchedule(30).run(db.server, signal);
  expect(await count("webhook_attempt")).toBe(1);
  expect((await db.owner.query("select event_no from webhook_delivery order by 1")).rows).toEqual([
    { event_no: 2n },
    { event_no: 3n },
  ]);
  expect(await count("webhook_secret")).toBe(1);
  expect(await listSecrets(db.server, key)).toHaveLength(1);
});

test("at most a hundred endpoints of a merchant are enabled, however many are made or enabled at once", async () => {
  const [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  const { key } = await makeEndpoint(db, merchant, "https://example.com/");
  await db.owner.query(
    `insert into webhook_endpoint
     select (jsonb_populate_record(made, jsonb_build_object('endpoint_id', number))).*
     from webhook_endpoint made, generate_series(1, 98) as number where endpoint_id = $1`,
    [key.endpointId],
  );
  const makes = (): Promise<string> =>
    makeEndpoint(db, merchant, "https://example.com/").then(
      () => "made",
      (error: { code: string }) => error.code,
    );
  const made = await Promise.all([makes(), makes(), makes()]);
  expect(made.toSorted()).toEqual(["limit_exceeded", "limit_exceeded", "made"]);
  await disable({ pool: db.server, merchant: key }, key.endpointId);
  expect(await makes()).toBe("made");
  await expect(enable({ pool: db.server, merchant: key }, { ...key, skipsMissed: false })).rejects.toMatchObject({
    code: "limit_exceeded",
  });
});
