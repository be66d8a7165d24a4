// The log against a real database: the range of seals, write access, detection of changes, and reading.
import { createSecretKey } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  accept,
  fund,
  BENEFICIARY_ID,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { recordEventsOf } from "../../test/support/record-events.ts";
import { changeMerchant, type Merchant } from "../merchants/index.ts";
import { changeBeneficiary } from "../payouts/index.ts";
import { recordEvents } from "../ledger/index.ts";
import { createPool, inTransaction } from "../platform/database/pool.ts";
import { withTestSecrets } from "../../test/support/secrets.ts";
import { readHead, findUnsealed, insertSeals } from "./seal-store.ts";
import { readAuditPage, streamAudit, type AuditSearch } from "./read-audit.ts";
import { sealBooks } from "./seal-books.ts";
import { makeSeal } from "./seal.ts";
import { verifySeals } from "./verify-seals.ts";

const FUNDS_PAISE = 1_000_000n;
let db: LedgerDatabase;
let merchant: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
/** Three sealed ranges, of 4, 2 and 2 events or more. */
beforeEach(async () => {
  [merchant] = (await makeMerchants(db, 1, FUNDS_PAISE)) as [Merchant];
  await recordEventsOf(db.server, merchant.merchantId, "beneficiary.created", [BENEFICIARY_ID]);
  await changeMerchant({ ...parts(), merchant }, { city: "Mysuru" });
  await changeMerchant({ ...parts(), merchant }, { city: "Hubballi" });
  await sealBooks(db.server);
  await transfer("a", "b");
  await sealBooks(db.server);
  await transfer("c");
  await changeMerchant({ ...parts(), merchant }, { city: "Ballari" });
  await sealBooks(db.server);
});

const parts = () => ({ pool: db.server, ids: db.ids });

async function transfer(...references: readonly string[]): Promise<void> {
  const payoutRequests = references.map(async (name) => newTransfer(merchant, await db.ids.next(), 100n, name));
  await accept(db.server, await Promise.all(payoutRequests));
}

async function findings(of: Merchant | null = merchant): Promise<{ events: string; found: string[] }> {
  const { sealedEvents, unsealedEvents, violations } = await verifySeals(db.owner, of);
  return {
    events: `${sealedEvents} sealed, ${unsealedEvents} not`,
    found: violations.map(({ subjectId, what }) => `${subjectId}: ${what}`),
  };
}

/** Changes the merchant's rows with SQL. `$1` is the merchant. */
async function tamper(...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await db.owner.query(statement, [merchant.merchantId]);
}

async function lastEntryNo(): Promise<number> {
  const { rows } = await db.owner.query<{ no: bigint }>(
    "select last_entry_no as no from ledger_book where merchant_id = $1",
    [merchant.merchantId],
  );
  return Number(rows[0]!.no);
}

test("all that is written is sealed, and what comes after it is counted", async () => {
  const events = await lastEntryNo();
  expect(await findings()).toEqual({ events: `${events} sealed, 0 not`, found: [] });
  await transfer("d", "e");
  expect(await findings()).toEqual({ events: `${events} sealed, 2 not`, found: [] });
  await sealBooks(db.server);
  expect(await findings()).toEqual({ events: `${events + 2} sealed, 0 not`, found: [] });
  expect((await findings(null)).found).toEqual([]);
});

describe("entries without a seal", () => {
  const schedule = (name: string, sql: string) =>
    db.owner
      .query(`insert into schedule (schedule_name) values ($1) on conflict (schedule_name) do nothing`, [name])
      .then(() => db.owner.query(`update schedule set ${sql} where schedule_name = $1`, [name]));
  const HOURS_AGO =
    "update journal set created_at = now() - interval '2 hours' where merchant_id = $1 and entry_no = $2";
  const overdue = async (): Promise<string[]> => (await findings()).found;
  let entryNo: number;

  beforeEach(async () => {
    await transfer("late");
    entryNo = await lastEntryNo();
  });
  afterEach(() => db.owner.query("delete from schedule"));

  test.each([
    [
      "a run ended well since",
      "last_started_at = now(), last_finished_at = now(), next_run_at = now()",
      "housekeeping",
    ],
    ["runs fail", "last_error = 'no', last_finished_at = now(), next_run_at = now()", "housekeeping"],
    ["no run is begun", "next_run_at = now() - interval '2 hours'", "housekeeping"],
  ])("are reported after an hour where %s", async (_, sealing, other) => {
    await schedule("audit seals", sealing);
    await schedule(other, "last_finished_at = now(), next_run_at = now()");
    expect(await overdue()).toEqual([]);
    await db.owner.query(HOURS_AGO, [merchant.merchantId, entryNo]);
    expect(await overdue()).toEqual([`${entryNo}: entries ${entryNo} to ${entryNo}`]);
    await sealBooks(db.server);
    expect(await overdue()).toEqual([]);
  });

  test.each([
    ["no server ran meanwhile", "last_finished_at = now() - interval '2 hours', next_run_at = now()", "2 hours"],
    [
      "one has just begun to seal",
      "next_run_at = now(), holder = 'x', lease_until = now() + interval '1 minute', last_error = 'before'",
      "0 hours",
    ],
  ])("are not reported where %s", async (_, sealing, othersEnded) => {
    await schedule("audit seals", sealing);
    await schedule("housekeeping", `last_finished_at = now() - interval '${othersEnded}', next_run_at = now()`);
    await db.owner.query(HOURS_AGO, [merchant.merchantId, entryNo]);
    expect(await overdue()).toEqual([]);
  });
});

test("an entry about a beneficiary gives no new mark to one that stands for somebody else by now", async () => {
  await tamper(`update beneficiary set name = 'X' where merchant_id = $1 and beneficiary_id = ${BENEFICIARY_ID}`);
  const found = () => findings().then(({ found: names }) => names);
  expect(await found()).toEqual([`${BENEFICIARY_ID}: what the beneficiary says`]);
  // Its contact details may change, and get a new mark.
  await changeBeneficiary({ ...parts(), merchant }, { beneficiaryId: BENEFICIARY_ID, changes: { city: "Pune" } });
  await sealBooks(db.server);
  expect(await found()).toEqual([`${BENEFICIARY_ID}: what the beneficiary says`]);
  await tamper(
    `update beneficiary set name = 'Asha Rao' where merchant_id = $1 and beneficiary_id = ${BENEFICIARY_ID}`,
  );
  await tamper(`update beneficiary set city = 'Goa' where merchant_id = $1 and beneficiary_id = ${BENEFICIARY_ID}`);
  expect(await found()).toContain(`${BENEFICIARY_ID}: what the beneficiary_standing says`);
});

test("where nothing is new, nothing is written", async () => {
  const count = "select count(*) as seals from journal_seal";
  const before = await db.owner.query(count);
  await sealBooks(db.server);
  expect((await db.owner.query(count)).rows).toEqual(before.rows);
});

describe("somebody with the whole database is found out who", () => {
  test("changes a posting", async () => {
    await tamper("update journal set amount_paise = amount_paise + 1 where merchant_id = $1 and kind = 'funds_in'");
    expect((await findings()).found).toEqual([expect.stringMatching(/^(\d+): entry \1, under seal 1$/)]);
  });

  test("changes what an entry says, and is told which one", async () => {
    const { rows } = await db.owner.query<{ entry_no: bigint }>(
      `update journal set after = '{"city": "Delhi"}' where merchant_id = $1 and after ->> 'city' = 'Hubballi' returning entry_no`,
      [merchant.merchantId],
    );
    const entryNo = rows[0]!.entry_no;
    expect((await findings()).found).toEqual([`${entryNo}: entry ${entryNo}, under seal 1`]);
  });

  test.each([
    "actor = 'key:somebody'",
    "address = '192.0.2.1'",
    "type = 'a.b'",
    "created_at = created_at - interval '1 s'",
  ])("changes an entry's %s", async (change) => {
    const entryNo = await lastEntryNo();
    await tamper(`update journal set ${change} where merchant_id = $1 and entry_no = ${entryNo}`);
    expect((await findings()).found).toEqual([`${entryNo}: entry ${entryNo}, under seal 3`]);
  });

  test("deletes the last entry that is sealed", async () => {
    const entryNo = await lastEntryNo();
    await tamper(`delete from journal where merchant_id = $1 and entry_no = ${entryNo}`);
    // It was the last one about the merchant, too.
    expect((await findings()).found).toEqual([
      `${entryNo}: entry ${entryNo}, under seal 3`,
      `${merchant.merchantId}: what the merchant says`,
    ]);
  });

  test("lets two entries change places", async () => {
    await tamper(
      "update journal set entry_no = -entry_no where merchant_id = $1 and entry_no in (2, 3)",
      "update journal set entry_no = 5 + entry_no where merchant_id = $1 and entry_no < 0",
    );
    expect((await findings()).found).toEqual(["2: entry 2, under seal 1"]);
  });

  test("pushes an entry in between", async () => {
    await tamper(
      "update journal set entry_no = -entry_no where merchant_id = $1 and entry_no > 2",
      "update journal set entry_no = 1 - entry_no where merchant_id = $1 and entry_no < 0",
      `insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor)
       select bucket, merchant_id, 3, type, 1, created_at, actor from journal where merchant_id = $1 and entry_no = 2`,
      "update ledger_book set last_entry_no = last_entry_no + 1 where merchant_id = $1",
    );
    expect((await findings()).found).toEqual([
      "3: entry 3, under seal 1",
      // Its entry has another number now.
      `${BENEFICIARY_ID}: what the beneficiary says`,
      `${BENEFICIARY_ID}: what the beneficiary_standing says`,
    ]);
  });

  test("cuts the end off, and lets the book say so", async () => {
    await tamper(
      "delete from journal where merchant_id = $1 and entry_no > 3",
      "update ledger_book set last_entry_no = 3 where merchant_id = $1",
    );
    expect((await findings()).found[0]).toContain("entry 4, under seal 1");
  });

  test("cuts the end off with its seals", async () => {
    await tamper("delete from journal_seal where merchant_id = $1 and seal_no = 3");
    expect((await findings()).found).toEqual([expect.stringContaining("the last seal")]);
    await tamper(
      `update sealed_book set (seal_no, last_entry_no, seal) = (
         select seal_no, last_entry_no, seal from journal_seal where merchant_id = $1 and seal_no = 2)
       where merchant_id = $1`,
      "delete from journal where merchant_id = $1 and entry_no > (select last_entry_no from sealed_book where merchant_id = $1)",
      "update ledger_book set last_entry_no = 2 where merchant_id = $1",
    );
    expect((await findings()).found[0]).toContain("the last number in the merchant's book");
  });

  test("takes a seal out of the middle", async () => {
    await tamper("delete from journal_seal where merchant_id = $1 and seal_no = 2");
    expect((await findings()).found).toEqual([expect.stringContaining("the seal before an entry")]);
  });

  test("seals anew without the key", async () => {
    await tamper(
      `update journal set after = '{"city": "Delhi"}' where merchant_id = $1 and after ->> 'city' = 'Ballari'`,
    );
    await tamper(
      "delete from journal_seal where merchant_id = $1 and seal_no = 3",
      `update sealed_book set (seal_no, last_entry_no, seal) = (
         select seal_no, last_entry_no, seal from journal_seal where merchant_id = $1 and seal_no = 2)
       where merchant_id = $1`,
    );
    const forged = (await findUnsealed(db.owner, null, 1000, 1000)).find(
      ({ merchantId }) => merchantId === merchant.merchantId,
    )!;
    const guessed = makeSeal(createSecretKey(Buffer.alloc(32, "guess")), forged, forged.before);
    await insertSeals(db.owner, (await readHead(db.owner)).linkNo, [{ ...forged, seal: guessed }]);
    expect((await findings()).found[0]).toContain("seal 3, of entries");
  });
});

describe("many at once", () => {
  test("writers and three sealers leave one chain", async () => {
    const many = await makeMerchants(db, 5, FUNDS_PAISE);
    for (const { merchantId } of many)
      await recordEventsOf(db.server, merchantId, "beneficiary.created", [BENEFICIARY_ID]);
    const writing = many.map(async (each) => {
      for (let round = 0; round < 10; round += 1) {
        await accept(db.server, [newTransfer(each, await db.ids.next(), 100n, `r${round}`)]);
      }
    });
    let isWriting = true;
    const sealing = [1, 2, 3].map(async () => {
      do await sealBooks(db.server);
      while (isWriting);
    });
    await Promise.all(writing).finally(() => (isWriting = false));
    await Promise.all(sealing);
    await sealBooks(db.server);
    for (const each of many) {
      expect(await findings(each)).toMatchObject({ events: expect.stringContaining(" 0 not") as string, found: [] });
    }
  });

  test("what a dead one left undone is done by the next, as if nobody had begun", async () => {
    await fund(db, merchant, 100n, "more");
    const connection = await db.server.connect();
    try {
      await connection.query("begin");
      const { linkNo } = await readHead(connection, true);
      const ranges = await findUnsealed(connection, null, 10, 1000);
      const key = createSecretKey(Buffer.alloc(32, "any"));
      await insertSeals(
        connection,
        linkNo + 1n,
        ranges.map((range) => ({ ...range, seal: makeSeal(key, range, range.before) })),
      );
    } finally {
      connection.release(true);
    }
    await sealBooks(db.server);
    expect(await findings()).toMatchObject({ events: expect.stringContaining(" 0 not") as string, found: [] });
  });
});

describe("nobody but the database's owner", () => {
  test.each(["nodal_server", "nodal_tenant", "nodal_payouts", "nodal_invoices", "nodal_simulator"] as const)(
    "as %s",
    async (role) => {
      const pool = createPool({ url: db.url, size: 1, role });
      try {
        const words = ["update journal set actor = 'bank'", "delete from journal", "truncate journal"];
        const seals = ["update journal_seal set seal = ''", "delete from journal_seal", "delete from sealed_book"];
        for (const statement of [...words, ...seals]) {
          await expect(pool.query(statement), statement).rejects.toMatchObject({ code: "42501" });
        }
      } finally {
        await pool.end();
      }
    },
  );

  test("and whoever says no name writes nothing", async () => {
    const pool = createPool({ url: db.url, size: 1, role: "nodal_server" });
    try {
      withTestSecrets(pool);
      const recording = inTransaction(pool, (connection) =>
        recordEvents(connection, merchant, [{ type: "a.b", subjectId: 1n }]),
      );
      await expect(recording).rejects.toMatchObject({ code: "23502", column: "actor" });
    } finally {
      await pool.end();
    }
  });
});

describe("reading", () => {
  const ANY: AuditSearch = { actor: null, subjectId: null, type: null, from: null, to: null };
  const read = (search: Partial<AuditSearch>, before: bigint | null = null, limit = 50) =>
    readAuditPage(db.server, merchant, { ...ANY, ...search }, { before, limit });
  const typesOf = async (search: Partial<AuditSearch>): Promise<string[]> =>
    (await read(search)).entries.map(({ type }) => type);

  test("finds entries by kind, person, day and what they are about, newest first", async () => {
    expect(await typesOf({ type: "merchant.*" })).toEqual([
      ...Array<string>(3).fill("merchant.changed"),
      "merchant.created",
    ]);
    expect(await typesOf({ type: "merchant.created" })).toEqual(["merchant.created"]);
    expect(await typesOf({ actor: "job:" })).toEqual([]);
    const all = (await read({})).entries;
    expect(await typesOf({ actor: all[0]!.actor })).toEqual(all.map(({ type }) => type));
    const accepted = all.find(({ type }) => type === "transfer.accepted")!;
    expect((await read({ subjectId: accepted.subjectId })).entries).toEqual([accepted]);
    expect(await typesOf({ subjectId: accepted.subjectId, type: "merchant.*" })).toEqual([]);
    expect(await typesOf({ subjectId: merchant.merchantId, type: "merchant.created" })).toEqual(["merchant.created"]);
    const today = Temporal.Now.zonedDateTimeISO(merchant.timeZone).toPlainDate();
    expect(await typesOf({ from: today })).toHaveLength(all.length);
    expect(await typesOf({ to: today.subtract({ days: 2 }) })).toEqual([]);
    const paged = [];
    for (let before: bigint | null = null; ;) {
      const page = await read({}, before, 2);
      paged.push(...page.entries);
      if (page.next === null) break;
      before = page.next;
    }
    expect(paged).toEqual(all);
  });

  test("of a long log says how far it looked, and goes on; what a person did is found at once", async () => {
    await db.owner.query(
      `with book as (
         update ledger_book set last_entry_no = last_entry_no + 250000 where merchant_id = $1
         returning bucket, merchant_id, last_entry_no - 250000 as last
       )
       insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor)
       select bucket, merchant_id, last + place,
         case place when 10 then 'rare.one' else 'transfer.success' end, place, now(),
         case place when 20 then 'user:77' else 'bank' end
       from book, generate_series(1, 250000) as place`,
      [merchant.merchantId],
    );
    const first = await read({ type: "rare.*" });
    expect(first.entries).toEqual([]);
    expect(first.lookedBackTo).not.toBeNull();
    const second = await read({ type: "rare.*" }, first.next);
    expect(second).toMatchObject({ entries: [{ type: "rare.one" }], next: null, lookedBackTo: null });
    expect(await read({ actor: "user:77" })).toMatchObject({ entries: [{ subjectId: 20n }], next: null });
    const streamed = [];
    for await (const { type } of streamAudit(db.server, merchant, { ...ANY, type: "rare.one" })) streamed.push(type);
    expect(streamed).toEqual(["rare.one"]);
  });
});
