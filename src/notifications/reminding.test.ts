// Finding merchants whose reminders of the day were not queued yet, without reading all merchants.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { countRowsRead } from "../../test/support/rows-read.ts";
import { todayOf } from "../merchants/index.ts";
import { listReminding, markReminded } from "./setting-store.ts";
import { reproveMerchants } from "../../test/support/reprove.ts";

const MANY = 4000;
/** One in so many merchants reminds its customers. */
const REMINDS_EVERY = 20;
let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
  await db.owner.query(
    `insert into merchant (bucket, merchant_id, name, email, time_zone, clock_date, created_at)
     select n % 128, n, '', '', case n % 3 when 0 then 'Pacific/Kiritimati' when 1 then 'Asia/Kolkata' else 'Etc/GMT+12' end,
       case when n % 7 = 0 then current_date + 5 when n % 11 = 0 then current_date - 5 end, now()
     from generate_series(1, $1::integer) as n`,
    [MANY],
  );
  await reproveMerchants(db.owner);
  await db.owner.query(
    `insert into notification_setting (bucket, merchant_id, reminder_days)
     select bucket, merchant_id, '{0}' from merchant where merchant_id % $1 = 0`,
    [REMINDS_EVERY],
  );
  await db.owner.query("vacuum (analyze) merchant, notification_setting");
});
afterAll(() => db.close());

test("a merchant whose day was dealt with is not brought to the server again, wherever it is and whatever its clock shows", async () => {
  const reminding = await listReminding(db.server, null);
  expect(reminding).toHaveLength(MANY / REMINDS_EVERY);
  for (const each of reminding) await markReminded(db.server, each, todayOf(each));
  await db.owner.query("vacuum (analyze) notification_setting");
  const rows = await countRowsRead(db.server, async (connection) => {
    expect(await listReminding(connection, null)).toEqual([]);
  });
  expect(rows).toBeLessThan(MANY / 2);
  const [first] = reminding;
  expect(await listReminding(db.server, first!)).toEqual([first]);
  await markReminded(db.server, first!, todayOf(first!).subtract({ days: 1 }));
  expect(await listReminding(db.server, null)).toEqual([first]);
});
