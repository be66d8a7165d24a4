// Positions in a book by time, and the balances there: the same as if the whole book was read.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import type { Merchant } from "../merchants/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import {
  findEventsAt,
  findFirstEntry,
  keepBalances,
  LEDGER_CHECKS,
  listPostingsOf,
  lockBook,
  readBalancesBefore,
  recordEvents,
  runChecks,
} from "./index.ts";

/** After the creation of the merchants, which is in their books too. */
const START = Temporal.Now.instant().add({ hours: 1 }).round("minute");
const POSTINGS = 40;

let db: LedgerDatabase;
let merchant: Merchant;
let empty: Merchant;
let before: bigint;

/** The time of the nth posting: two every ten minutes. The clock of the second one's server is 20 s behind. */
function timeOf(index: number): Temporal.Instant {
  return START.add({ minutes: 10 * Math.floor(index / 2), seconds: index % 2 === 0 ? 20 : 0 });
}

beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant, empty] = (await makeMerchants(db, 2)) as [Merchant, Merchant];
  before = (await findFirstEntry(db.server, merchant, START)) - 1n;
  for (let index = 0; index < POSTINGS; index += 1) {
    await inTransaction(db.server, async (connection) => {
      await lockBook(connection, merchant.bucket, merchant.merchantId);
      const kind = index % 3 === 2 ? "reserve" : "funds_in";
      const money = { kind, amountPaise: BigInt(100 + index) } as const;
      const entry = { type: `test.${kind}`, subjectId: BigInt(index + 1), money };
      await recordEvents(connection, merchant, [entry], timeOf(index));
    });
  }
});
afterAll(() => db.close());

describe("the first entry at or after an instant", () => {
  const instants = Array.from({ length: POSTINGS / 2 + 2 }, (_, step) =>
    [-1, 0, 1, 20, 21].map((seconds) => START.add({ seconds: 600 * (step - 1) + seconds })),
  ).flat();

  test("is the one that a look at each would find", async () => {
    const found = [];
    for (const instant of instants) found.push(await findFirstEntry(db.server, merchant, instant));
    const wanted = instants.map((instant) => {
      const index = Array.from({ length: POSTINGS }, (_, each) => each).find(
        (each) => Temporal.Instant.compare(timeOf(each), instant) >= 0,
      );
      return before + BigInt((index ?? POSTINGS) + 1);
    });
    expect(found).toEqual(wanted);
  });

  test("where there is none is the one that will be next", async () => {
    const next = await findFirstEntry(db.server, empty, START);
    expect(next).toBeGreaterThan(1n);
    const { rows } = await db.owner.query("select last_entry_no + 1 as next from ledger_book where merchant_id = $1", [
      empty.merchantId,
    ]);
    expect(rows).toEqual([{ next }]);
  });
});

test("the balances before each posting are what the postings before it add up to, from either end of the book", async () => {
  let balances = { availablePaise: 0n, heldPaise: 0n };
  for (let index = 0; index <= POSTINGS; index += 1) {
    expect(await readBalancesBefore(db.server, merchant, before + BigInt(index + 1))).toEqual(balances);
    const amount = BigInt(100 + index);
    balances =
      index % 3 === 2
        ? { availablePaise: balances.availablePaise - amount, heldPaise: balances.heldPaise + amount }
        : { ...balances, availablePaise: balances.availablePaise + amount };
  }
});

test("kept balances change nothing but how far is added up, also where several keep them and the book grows", async () => {
  const [long] = (await makeMerchants(db, 1)) as [Merchant];
  const grow = (count: number) =>
    db.owner.query(
      `with added as (
         select last_entry_no + place as entry_no, 1000000 + last_entry_no + place as subject_id,
           case when place % 7 = 0 then null when place % 3 = 0 then 'reserve' else 'funds_in' end as kind, place as paise
         from ledger_book cross join generate_series(1, $2::bigint) as place where merchant_id = $1
       ), moved as (
         update ledger_book set last_entry_no = last_entry_no + $2,
           nodal_bank_paise = nodal_bank_paise - (select sum(paise) from added where kind = 'funds_in'),
           available_paise = available_paise
             + (select sum(case kind when 'funds_in' then paise when 'reserve' then -paise end) from added),
           held_paise = held_paise + (select sum(paise) from added where kind = 'reserve')
         where merchant_id = $1 returning bucket
       )
       insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor, kind, debit_kind,
         debit_owner_id, credit_kind, credit_owner_id, amount_paise)
       select bucket, $1, entry_no, 'test.entry', subject_id, now(), 'test:test', kind,
         case kind when 'funds_in' then 'nodal_bank' when 'reserve' then 'available' end, case when kind is not null then 0 end,
         case kind when 'funds_in' then 'available' when 'reserve' then 'held' end, case when kind is not null then 0 end,
         case when kind is not null then paise end
       from added, moved`,
      [long.merchantId, count],
    );
  const places = [1n, 5n, 1999n, 2000n, 2001n, 2002n, 3500n, 4000n, 4001n, 6000n, 6001n, 7000n, 109_000n];
  const read = async () => {
    const found = [];
    for (const place of places) found.push(await readBalancesBefore(db.server, long, place));
    return found;
  };
  const kept = async () => {
    const { rows } = await db.owner.query<{ entry_no: bigint }>(
      "select entry_no from book_balance where merchant_id = $1 order by entry_no",
      [long.merchantId],
    );
    return rows.map((row) => row.entry_no);
  };
  await keepBalances(db.server, long);
  expect(await kept()).toEqual([]);
  await grow(6100);
  const added = await read();
  expect(new Set(added.map(({ availablePaise }) => availablePaise)).size).toBeGreaterThan(8);
  await Promise.all([1, 2, 3].map(() => keepBalances(db.server, long)));
  expect(await kept()).toEqual([2000n, 4000n, 6000n]);
  expect(await read()).toEqual(added);
  // More than one statement stores.
  await grow(103_000);
  await keepBalances(db.server, long);
  const all = await kept();
  expect([all.length, all.at(-1)]).toEqual([54, 108_000n]);
  const withKept = await read();
  expect(
    (
      await runChecks(
        db.server,
        LEDGER_CHECKS.filter(({ name }) => name === "kept_balance"),
        long,
        10,
      )
    ).violations,
  ).toEqual([]);
  await db.owner.query("delete from book_balance where merchant_id = $1", [long.merchantId]);
  expect(withKept).toEqual(await read());
});

test("what is about one thing is found with who did it, and another merchant's is not", async () => {
  const [posting] = await listPostingsOf(db.server, merchant, [3n]);
  expect(posting).toMatchObject({
    kind: "reserve",
    amountPaise: 102n,
    debitAccount: "available",
    creditAccount: "held",
  });
  const events = await findEventsAt(db.server, merchant, 3n, posting!.postedAt);
  expect(events).toMatchObject([{ type: "test.reserve", actor: expect.stringContaining(":") as string }]);
  expect(await findEventsAt(db.server, merchant, 3n, posting!.postedAt.add({ minutes: 1 }))).toEqual([]);
  expect(await listPostingsOf(db.server, empty, [3n])).toEqual([]);
});
