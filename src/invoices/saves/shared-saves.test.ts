// Merchants that save at the same time, on a real database with row-level security between them: they share transactions.
// invoice-saves.test.ts tests a single merchant.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { LedgerDatabase } from "../../../test/support/ledger.ts";
import { INPUT, type Invoicing } from "../../../test/support/invoicing.ts";
import { readRoundTrips } from "../../../test/support/round-trips.ts";
import { withTestSecrets } from "../../../test/support/secrets.ts";
import { createPool, inTransaction } from "../../platform/database/pool.ts";
import { TenantGroups } from "../../platform/database/tenant.ts";
import { actorOf, type Origin } from "../../platform/origin.ts";
import { InvoiceSaves } from "./invoice-saves.ts";
import {
  bringing,
  HELD_MS,
  keyed,
  numbersFrom,
  ORIGIN,
  SavesStage,
  told,
  withNumber,
} from "../../../test/support/invoice-saves.ts";

let stage: SavesStage;
let db: LedgerDatabase;
let saves: InvoiceSaves;
let shop: Invoicing;

beforeAll(async () => {
  stage = await SavesStage.open();
  ({ db, saves } = stage);
});
beforeEach(async () => {
  shop = await stage.newShop();
});
afterAll(() => stage.close());

const atOnce = (asked: Parameters<SavesStage["atOnce"]>[1], by = shop) => stage.atOnce(by, asked);

test("each have their own groups, numbers and names, and share a transaction", async () => {
  const other = await stage.newShop();
  const theirOrigin: Origin = { actor: actorOf("user", "5"), address: null, mayMoveMoney: false };
  const asked = Array.from({ length: 20 }, () => ({}));
  const [mine, theirs] = await Promise.all([
    atOnce(asked),
    atOnce(
      asked.map((_each, index) => ({ origin: index % 2 === 0 ? theirOrigin : ORIGIN })),
      other,
    ),
  ]);
  for (const outcomes of [mine, theirs]) expect(told(outcomes)).toEqual(numbersFrom(2, 20));
  const { rows } = await db.owner.query<{ commits: number; actors: string[] }>(
    `select count(distinct xmin::text)::integer as commits, array_agg(actor order by entry_no) as actors from journal
     where merchant_id = any ($1) and type = 'invoice.created' and entry_no > 3 group by merchant_id order by merchant_id`,
    [[shop.merchant.merchantId, other.merchant.merchantId]],
  );
  expect(rows.map(({ commits }) => commits)).toEqual([2, 2]);
  expect(new Set(rows[0]!.actors.slice(-20))).toEqual(new Set([ORIGIN.actor]));
  expect(rows[1]!.actors.slice(-20)).toEqual(asked.map((_each, index) => [theirOrigin, ORIGIN][index % 2]!.actor));
  expect(await stage.countShared(shop, other)).toBe(1);
  for (const each of [shop, other]) expect(await each.violations()).toEqual([]);
});

test("take three round trips: what they refer to, their numbers, and their rows with the commit", async () => {
  const other = await stage.newShop();
  const pool = withTestSecrets(createPool({ url: db.url, size: 1, role: "nodal_invoices", pipelined: true }));
  const own = new InvoiceSaves(new TenantGroups(pool), db.ids, HELD_MS);
  const ask = ({ merchant }: Invoicing) =>
    own.save({ merchant, origin: ORIGIN, idempotency: null }, { templateId: null, invoices: [INPUT] });
  try {
    const sent = await readRoundTrips(pool, () => Promise.all([shop, other, shop].map(ask)));
    const inTrips = (name: string): boolean[] => sent.map((text) => text.includes(name));
    expect(inTrips("take-numbers")).toEqual([false, true, false]);
    for (const name of ["insert-invoices", "count-invoice-days", "record-events", "commit"]) {
      expect(inTrips(name)).toEqual([false, false, true]);
    }
    expect(await stage.countShared(shop, other)).toBe(2);
  } finally {
    await pool.end();
  }
});

test("one that the database refuses is refused alone, and shares nothing for a while", async () => {
  const other = await stage.newShop();
  await db.owner.query("update number_counter set last_number = 0 where merchant_id = $1", [shop.merchant.merchantId]);
  const [mine, theirs] = await Promise.all([atOnce([{}]), atOnce([{}, {}], other)]);
  expect(told(mine)).toEqual(["invoice_number_exists"]);
  expect(told(theirs)).toEqual(numbersFrom(2, 2));
  await db.owner.query("update number_counter set last_number = 1 where merchant_id = $1", [shop.merchant.merchantId]);
  const [again, further] = await Promise.all([atOnce([{}]), atOnce([{}], other)]);
  expect([...told(again), ...told(further)]).toEqual(["00002", "00004"]);
  expect(await stage.countShared(shop, other)).toBe(0);
});

test("one that waits for its own rows keeps nobody waiting who arrived with it", async () => {
  const other = await stage.newShop();
  const [mine] = await inTransaction(db.owner, async (connection) => {
    await connection.query("select from number_counter where merchant_id = $1 for update", [shop.merchant.merchantId]);
    const waiting = atOnce([{}]);
    const theirs = await atOnce([{}, {}], other);
    expect(told(theirs)).toEqual(numbersFrom(2, 2));
    let isAnswered = false;
    void waiting.then(() => (isAnswered = true));
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    return [waiting];
  }).then((waiting) => Promise.all(waiting));
  expect(told(mine!)).toEqual(["00002"]);
});

test("after four saves the next ones wait for as many, and share a transaction", async () => {
  const shops = [];
  for (let count = 0; count < 4; count += 1) shops.push(await stage.newShop());
  const [last, ...others] = shops;
  // The clock is stopped, so the wait ends only with the fourth save.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const own = stage.otherProcess();
    const save = ({ merchant }: Invoicing) =>
      own.save({ merchant, origin: ORIGIN, idempotency: null }, { templateId: null, invoices: [INPUT] });
    await Promise.all(shops.map(save));
    const waiting = Promise.all(others.map(save));
    await db.owner.query("select 1");
    await Promise.all([waiting, save(last!)]);
  } finally {
    vi.useRealTimers();
  }
  for (const each of others) expect(await stage.countShared(last!, each)).toBe(2);
});

test("twenty merchants at once have no gaps, in few transactions", async () => {
  const shops = [];
  for (let count = 0; count < 20; count += 1) shops.push(await stage.newShop());
  const outcomes = await Promise.all(shops.map((each) => atOnce([{}, {}, { invoices: [{}, {}] }], each)));
  for (const each of outcomes) expect(told(each).join(" ").split(" ")).toEqual(numbersFrom(2, 4));
  expect(await stage.countShared(...shops)).toBe(1);
});

test("one whose rows something else holds waits and is refused in time, the others go on meanwhile", async () => {
  const other = await stage.newShop();
  const held = await inTransaction(db.owner, async (connection) => {
    await connection.query("select from number_counter where merchant_id = $1 for update", [shop.merchant.merchantId]);
    const waiting = atOnce([{}, {}, {}]);
    for (let count = 0; count < 5; count += 1) {
      expect(told(await atOnce([{}], other))).toEqual(numbersFrom(2 + count, 1));
    }
    return waiting;
  });
  expect(told(held)).toEqual(["unavailable", "unavailable", "unavailable"]);
  expect(told(await atOnce([{}]))).toEqual(["00002"]);
});

test("one that waits for what is neither its book nor a counter keeps nobody waiting either", async () => {
  const other = await stage.newShop();
  const [mine] = await inTransaction(db.owner, async (connection) => {
    // As a save of customers does.
    await connection.query("select from merchant where merchant_id = $1 for update", [shop.merchant.merchantId]);
    const waiting = atOnce([{ invoices: [bringing("N")] }]);
    expect(told(await atOnce([{}, {}], other))).toEqual(numbersFrom(2, 2));
    expect(told(await atOnce([{}], other))).toEqual(["00004"]);
    return [waiting];
  }).then((waiting) => Promise.all(waiting));
  expect(told(mine!)).toEqual(["00002"]);
});

test("merchants whose rows are held wait aside: more of them than there are places hold up nobody", async () => {
  const hostile = [shop];
  for (let count = 0; count < 5; count += 1) hostile.push(await stage.newShop());
  const other = await stage.newShop();
  const outcomes = await inTransaction(db.owner, async (connection) => {
    const merchantIds = hostile.map(({ merchant }) => merchant.merchantId);
    await connection.query("select from number_counter where merchant_id = any ($1) for update", [merchantIds]);
    const waiting = hostile.map((each) => atOnce([{}, {}], each));
    for (let count = 0; count < 5; count += 1) {
      expect(told(await atOnce([{}], other))).toEqual(numbersFrom(2 + count, 1));
    }
    expect(await countLockWaits()).toBe(0);
    return waiting;
  }).then((waiting) => Promise.all(waiting));
  for (const each of outcomes) expect(told(each)).toEqual(numbersFrom(2, 2));
  for (const each of [...hostile, other]) expect(await each.violations()).toEqual([]);
});

test("nobody finds what another one calls by the same name, or names by its id", async () => {
  const other = await stage.newShop();
  const { rows } = await db.owner.query<{ customer_id: bigint; template_id: bigint }>(
    "select customer_id, template_id from customer join template using (merchant_id) where merchant_id = $1",
    [other.merchant.merchantId],
  );
  const [{ customer_id: customerId, template_id: templateId }] = rows as [(typeof rows)[0]];
  const [mine, theirs] = await Promise.all([
    atOnce([{ invoices: [{ customerCode: null, customerId }] }, { templateId }, { invoices: [bringing("T")] }]),
    atOnce(
      [
        { invoices: [{ customerCode: null, customerId }] },
        { templateId, key: keyed("k") },
        { invoices: [{ customerCode: "T" }] },
        { invoices: [withNumber("OWN-1")] },
      ],
      other,
    ),
    atOnce([{ key: keyed("k"), invoices: [withNumber("OWN-1")] }]),
  ]);
  expect(told(mine)).toEqual(["customer_not_found", "template_not_found", "00002"]);
  expect(told(theirs)).toEqual(["00002", "00003", "customer_not_found", "OWN-1"]);
  expect(await stage.countShared(shop, other)).toBe(1);
});

test("what makes invoices in a transaction of its own has its turn between groups", async () => {
  const log: string[] = [];
  const first = atOnce([{}, {}]).then(() => log.push("two"));
  const alone = saves.inTurn(shop.merchant, async () => {
    log.push("alone");
    await shop.save();
  });
  const last = atOnce([{}]).then((outcomes) => log.push(...told(outcomes)));
  await Promise.all([first, alone, last]);
  expect(log).toEqual(["two", "alone", "00005"]);
});

/** The number of saves' connections that wait for a lock. */
async function countLockWaits(): Promise<number> {
  const { rows } = await db.owner.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
     where wait_event_type = 'Lock' and application_name = 'nodal' and datname = current_database()`,
  );
  return rows[0]!.count;
}
