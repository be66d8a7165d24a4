// What keeps Nodal fit for Citus, without one: every table can be divided by bucket, and what a request asks names its bucket.
// The wire tests run on a real one by `npm run test:citus`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UNDIVIDED } from "../src/platform/database/citus/distribute.ts";
import { createPool, type OwnedPool } from "../src/platform/database/pool.ts";
import { findAgainstCitus } from "./support/citus-schema.ts";
import type { TestDatabase } from "./support/database-copy.ts";
import { listFiles, REPOSITORY } from "./support/files.ts";
import { nodal } from "./support/nodal.ts";
import { makePlainDatabase } from "./support/prepared-data.ts";
import { findOwnerCalls, findRefused, findUnpinned, findWideLocks } from "./support/unpinned-sql.ts";

const SCHEDULE = "looks for what is due of all merchants, and no request waits for it";
const METRICS = "counts for all merchants, for /metrics and `nodal jobs`";
const CLEANING = "forgets what is old of all merchants";
const OPERATOR = "asked by operators and commands, who know no bucket";
const START = "at a start or after a restore, when no request is served";
const SEALING = "seals and checks all merchants, bucket by bucket";
const CONDITION = "the condition that it is given names the bucket";
const ROWS = "each row that it is given names its bucket";
const IN_HAND = "what a process has in hand, of whichever merchants";
const AT_NODE = "runs at the node that has the rows, and names the shards there";

/** Statements of stores that name no bucket in their text, and why they need none. */
const ALL_BUCKETS: Readonly<Record<string, string>> = {
  "src/audit/seal-store.ts#listLinkedSeals": SEALING,
  "src/audit/seal-store.ts#listUnsealedBuckets": SEALING,
  "src/invoices/invoice-store.ts#updatePayments": ROWS,
  "src/invoices/invoice-store.ts#updateStatement": ROWS,
  "src/invoices/lists/invoice-list-store.ts#countByScan": CONDITION,
  "src/invoices/lists/invoice-browse-store.ts#sumOneByOne": CONDITION,
  "src/ledger/verify-store.ts#listBuckets": SEALING,
  "src/merchants/approvals/approval-store.ts#listUnnotified": SCHEDULE,
  "src/merchants/idempotency-store.ts#forgetKeys": CLEANING,
  "src/merchants/merchant-store.ts#findMerchant": OPERATOR,
  "src/merchants/merchant-store.ts#hasMerchantNamed": OPERATOR,
  "src/merchants/merchant-store.ts#hasMerchants": START,
  "src/merchants/merchant-store.ts#listMerchants": OPERATOR,
  "src/merchants/merchant-store.ts#searchMerchants": OPERATOR,
  "src/merchants/notice-store.ts#findNotedMerchants": SCHEDULE,
  "src/payouts/providers/provider-account-store.ts#listAllConnected": OPERATOR,
  "src/payouts/providers/provider-account-store.ts#listConnected": OPERATOR,
  "src/merchants/users/recovery-store.ts#takeEmailChange": CONDITION,
  "src/merchants/users/recovery-store.ts#takeReset": CONDITION,
  "src/merchants/users/session-store.ts#deleteEverySession": START,
  "src/merchants/users/session-store.ts#forgetEndedSessions": CLEANING,
  "src/notifications/held-store.ts#listHeldMerchants": SCHEDULE,
  "src/notifications/message-day-store.ts#forgetMessageDays": CLEANING,
  "src/notifications/notification-store.ts#countMailQueue": METRICS,
  "src/notifications/notification-store.ts#FIND_DUE": SCHEDULE,
  "src/notifications/notification-store.ts#FIND_DUE_OF_SHARD": SCHEDULE,
  "src/notifications/notification-store.ts#freeClaims": START,
  "src/payouts/bulk/batch-store.ts#countBatchQueue": METRICS,
  "src/payouts/bulk/batch-store.ts#endRestoredBatches": START,
  "src/payouts/bulk/batch-store.ts#freeBatches": START,
  "src/payouts/bulk/batch-store.ts#takeDueBatches": SCHEDULE,
  "src/payouts/bulk/line-store.ts#WITH_TRANSFER": CONDITION,
  "src/payouts/claim-store.ts#listClaims": IN_HAND,
  "src/payouts/claim-store.ts#readClaimedTransfers": AT_NODE,
  "src/payouts/claim-store.ts#removeClaims": AT_NODE,
  "src/payouts/dispatch/dispatch-store.ts#countDispatch": METRICS,
  "src/payouts/dispatch/dispatch-store.ts#findDeadProcesses": IN_HAND,
  "src/payouts/dispatch/dispatch-store.ts#findDue": SCHEDULE,
  "src/payouts/dispatch/dispatch-store.ts#LIST_HELD": SCHEDULE,
  "src/payouts/lists/waiting-store.ts#countOpenTransfers": METRICS,
  "src/payouts/providers/provider-downtime-store.ts#forgetDowntimes": CLEANING,
  "src/platform/providers/notice-store.ts#forgetNotices": CLEANING,
  "src/platform/providers/notice-store.ts#takeDueNotices": SCHEDULE,
  "src/payouts/providers/payment-review-store.ts#takeDueReviews": SCHEDULE,
  "src/payouts/dispatch/restored-store.ts#askAboutRestoredTransfers": START,
  "src/subscriptions/subscription-store.ts#countSubscriptionQueue": METRICS,
  "src/subscriptions/subscription-store.ts#findDueMerchants": SCHEDULE,
  "src/webhooks/attempt-store.ts#forgetAttempts": CLEANING,
  "src/webhooks/delivery-store.ts#countWebhookQueue": METRICS,
  "src/webhooks/delivery-store.ts#forgetFailedDeliveries": CLEANING,
  "src/webhooks/delivery-store.ts#takeTestRequests": SCHEDULE,
  "src/webhooks/endpoint-store.ts#FIND_DUE": SCHEDULE,
  "src/webhooks/endpoint-store.ts#FIND_DUE_SINCE": SCHEDULE,
  "src/webhooks/endpoint-store.ts#freeEndpoints": START,
  "src/webhooks/secret-store.ts#forgetEndedSecrets": CLEANING,
};

const ONE_POSTGRESQL = "on Citus each bucket's rows are locked by a statement of their own";
/** Statements that lock rows of several buckets, and why they may. */
const WIDE_LOCKS: Readonly<Record<string, string>> = {
  "src/invoices/invoice-store.ts#lockOfAll": ONE_POSTGRESQL,
  "src/ledger/batch-store.ts#lockOfAll": ONE_POSTGRESQL,
};

/** Functions that see with the owner's eyes, and are called as any other, since Citus never comes to them. */
const NOT_ON_CITUS = ["customers_with_parts"];

let database: TestDatabase;
let owner: OwnedPool;
beforeAll(async () => {
  database = await makePlainDatabase();
  owner = createPool({ url: database.url, size: 1 });
});
afterAll(async () => {
  await owner.end();
  await database.release();
});

/** What is found while a change is there, which is taken back. */
async function foundWith(change: string): Promise<string[]> {
  await owner.query("begin");
  try {
    await owner.query(change);
    return await findAgainstCitus(owner);
  } finally {
    await owner.query("rollback");
  }
}

describe("the schema", () => {
  test("can be divided by bucket", async () => {
    expect(await findAgainstCitus(owner)).toEqual([]);
  });

  test.each([
    ["create table plain (id bigint primary key)", "plain: plain_pkey is unique without bucket"],
    ["create table plain (bucket smallint not null)", "plain: has no primary key"],
    ["create unique index once on transfer (merchant_id, utr)", "transfer: once is unique without bucket"],
    [
      "create unique index once on transfer (merchant_id, utr) include (bucket)",
      "transfer: once is unique without bucket",
    ],
    ["alter table funding add constraint u unique (bucket, proof) deferrable", "funding: u is deferrable"],
    [
      "create table own (bucket smallint, id bigint references seal_link, primary key (bucket, id))",
      "own: own_id_fkey is a foreign key without bucket",
    ],
    [
      "create table own (bucket smallint, id bigint generated always as identity, primary key (bucket, id))",
      "own: id takes its value from a sequence",
    ],
    [
      "create table own (bucket smallint, id bigserial, primary key (bucket, id))",
      "own: id takes its value from a sequence",
    ],
    [
      "create table own (bucket integer, id bigint, primary key (bucket, id))",
      "own: bucket is integer, not a smallint that is always there",
    ],
    [
      "create trigger t before update on transfer for each row execute function suppress_redundant_updates_trigger()",
      "transfer: t is a trigger",
    ],
    ["alter table schedule rename to schedules", "schedule: is named as undivided, and is no table"],
  ])("with `%s` can't, and that is found", async (change, what) => {
    expect(await foundWith(change)).toContain(what);
  });
});

describe("the statements of stores", () => {
  const tables = async (): Promise<string[]> => {
    const { rows } = await owner.query<{ name: string }>(
      "select relname::text as name from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ('public', 'simulator')",
    );
    return rows.map(({ name }) => name).filter((name) => !(name in UNDIVIDED));
  };

  test("name a bucket, but for those that are about all of them", async () => {
    const names = await tables();
    expect(names.length).toBeGreaterThan(50);
    const files = listFiles(join(REPOSITORY, "src"), "-store.ts");
    expect(files.length).toBeGreaterThan(60);
    const found = files.flatMap((path) => findUnpinned(REPOSITORY, path, readFileSync(path, "utf8"), names));
    expect(found.filter(({ place }) => !(place in ALL_BUCKETS))).toEqual([]);
    // A reason without a statement is about nothing any more.
    const places = new Set(found.map(({ place }) => place));
    expect(Object.keys(ALL_BUCKETS).filter((place) => !places.has(place))).toEqual([]);
  });

  test("lock rows of one bucket, but for those that Citus never sees so", async () => {
    const names = await tables();
    const files = listFiles(join(REPOSITORY, "src"), "-store.ts");
    const found = files.flatMap((path) => findWideLocks(REPOSITORY, path, readFileSync(path, "utf8"), names));
    expect(found.filter(({ place }) => !(place in WIDE_LOCKS))).toEqual([]);
    const places = new Set(found.map(({ place }) => place));
    expect(Object.keys(WIDE_LOCKS).filter((place) => !places.has(place))).toEqual([]);
    const text = (condition: string) =>
      `function look(db) {\n  return db.query(\`select 1 from transfer where ${condition} for update\`);\n}\n`;
    const locking = (condition: string) =>
      findWideLocks(REPOSITORY, join(REPOSITORY, "src/look-store.ts"), text(condition), names);
    expect(locking("bucket = any ($1)")).toHaveLength(1);
    expect(locking("transfer_id in (select * from unnest($1::bigint[]) as wanted (bucket))")).toHaveLength(1);
    expect(locking("bucket = $1 and merchant_id = any ($2)")).toEqual([]);
  });

  test("call no function where Citus takes none", async () => {
    const names = await tables();
    const files = listFiles(join(REPOSITORY, "src"), "-store.ts");
    expect(files.flatMap((path) => findRefused(REPOSITORY, path, readFileSync(path, "utf8"), names))).toEqual([]);
    const text = (tail: string, setting = "$1") =>
      `function look(db) {\n  return db.query(\`update transfer set utr = ${setting} ${tail}\`);\n}\n`;
    const refused = (tail: string) => findRefused(REPOSITORY, join(REPOSITORY, "src/look-store.ts"), text(tail), names);
    expect(refused("returning *, now() as now")).toHaveLength(1);
    expect(refused("where added_at < now() returning *")).toEqual([]);
    const refusedIn = (setting: string) =>
      findRefused(REPOSITORY, join(REPOSITORY, "src/look-store.ts"), text("where bucket = $2", setting), names);
    expect(refusedIn("coalesce(utr, now()::text)")).toHaveLength(1);
    expect(refusedIn("case when utr is not null then least(utr, now()::text) end")).toHaveLength(1);
    expect(refusedIn("(now() - case kind when 'UPI' then $1 else $3 end)::text")).toHaveLength(1);
    expect(refusedIn("(now() + tries * $1)::text")).toHaveLength(1);
    expect(refusedIn("clock.at from (select now() as at) as clock")).toHaveLength(1);
    expect(refusedIn("(now() + $1 * interval '1 ms')::text")).toEqual([]);
    expect(refusedIn("($1::text[])[array_position($3::bigint[], transfer_id)]")).toHaveLength(1);
    expect(refusedIn("case when true then ($1::text[])[1] end")).toEqual([]);
    const look = (from: string) =>
      findRefused(
        REPOSITORY,
        join(REPOSITORY, "src/look-store.ts"),
        `const PART = \`(select count(*) from ${from})\`;\nfunction look(db) {\n  return db.query(\`select \${PART} from transfer\`);\n}\n`,
        names,
      );
    expect(look("jsonb_each_text(transfer.answer) as named join funding on funding_id = named.value")).toHaveLength(1);
    expect(look("funding where transfer.answer ? funding_id::text")).toEqual([]);
    const byParameter = "case when $1 then least(utr, now()::text) end";
    expect(refusedIn(byParameter)).toHaveLength(1);
    expect(refusedIn(`${byParameter}, reason = (select max(reason) from transfer where bucket = $2)`)).toEqual([]);
    expect(refusedIn("case state when 'FAILED' then $1 end, added_at = now()")).toEqual([]);
  });

  test("call functions that see with the owner's eyes so that Citus takes them in a transaction that has written", async () => {
    const { rows } = await owner.query<{ name: string }>(
      "select proname::text as name from pg_proc where prosecdef and pronamespace = 'public'::regnamespace",
    );
    const names = rows.map(({ name }) => name).filter((name) => !NOT_ON_CITUS.includes(name));
    expect(names).toContain("payment_with_utr");
    const find = (path: string, text: string) => findOwnerCalls(REPOSITORY, path, text, names);
    const files = listFiles(join(REPOSITORY, "src"), "-store.ts");
    expect(files.flatMap((path) => find(path, readFileSync(path, "utf8")))).toEqual([]);
    const call = (how: string) => `function look(db) {\n  return ${how}("select payment_with_utr($1, $2, $3)");\n}\n`;
    expect(find(join(REPOSITORY, "src/look-store.ts"), call("db.query"))).toEqual(["src/look-store.ts#look"]);
    expect(find(join(REPOSITORY, "src/look-store.ts"), call("readAsOwner"))).toEqual([]);
  });

  test.each([
    ["select * from transfer where merchant_id = $1 and transfer_id = $2"],
    ["update transfer set utr = $1 where transfer_id = $2"],
    ["delete from approval where approval_id = $1"],
    ["insert into funding (merchant_id, funding_id) values ($1, $2)"],
    ["with late as (select 1) select * from late join transfer using (transfer_id)"],
    ["select * from simulator.payment where transfer_id = $1"],
    ["select * from transfer join approval on transfer.bucket = approval.bucket"],
  ])("that name none are found: %s", async (statement) => {
    const source = `export async function look(db) {\n  return db.query(\`${statement}\`);\n}\n`;
    const found = findUnpinned(REPOSITORY, join(REPOSITORY, "src/payouts/look-store.ts"), source, await tables());
    expect(found).toEqual([{ place: "src/payouts/look-store.ts#look", text: statement }]);
  });

  test.each([
    ["select * from transfer where bucket = $1 and merchant_id = $2"],
    ["select * from transfer where ${OF_ONE}"],
    ["insert into funding (bucket, merchant_id) values ($1, $2)"],
    ["select * from schedule where schedule_name = $1"],
  ])("that name one, or need none, are not: %s", async (statement) => {
    const source = `const OF_ONE = "bucket = $1";\nfunction look(db) {\n  return db.query(\`${statement}\`);\n}\n`;
    expect(findUnpinned(REPOSITORY, join(REPOSITORY, "src/look-store.ts"), source, await tables())).toEqual([]);
  });
});

test("nodal migrate --citus refuses a PostgreSQL without it, and says what to do", async () => {
  const { code, stderr } = await nodal({ DATABASE_URL: database.url }, "migrate", "--citus");
  expect(code).toBe(1);
  expect(stderr).toMatch(/has no Citus: .*`create extension citus`.*`citus_add_node`.*Nothing was changed\./);
  expect((await nodal({ DATABASE_URL: database.url }, "migrate")).code).toBe(0);
});
