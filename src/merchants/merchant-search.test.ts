// An operator's search among very many merchants: what it finds, and that it reads few of them, for any text.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { countRowsRead } from "../../test/support/rows-read.ts";
import { searchMerchants } from "./merchant-store.ts";

const MANY = 5000;
/** The most rows that a plan's steps may read: the newest are read one by one, in several steps each. */
const MAX_ROWS = 1500;
const LIMIT = 50;

let db: LedgerDatabase;
let firstId: bigint;
let lastId: bigint;

beforeAll(async () => {
  db = await openLedgerDatabase();
  const [first] = await makeMerchants(db, 1);
  firstId = first!.merchantId;
  lastId = firstId + BigInt(MANY) - 1n;
  await db.owner.query(
    `insert into merchant (bucket, merchant_id, name, email, created_at)
     select n % 128, $1::bigint + n, 'Sample Traders ' || n, 'sample' || n || '@example.com', now()
     from generate_series(1, $2::integer - 1) as n`,
    [firstId, MANY],
  );
  const rename = (place: number, name: string): Promise<unknown> =>
    db.owner.query("update merchant set name = $2 where merchant_id = $1", [firstId + BigInt(place), name]);
  await rename(3, "Zebra 50%_off \\ Stores");
  await rename(4, "क़िस्मत स्टोर्स");
  await rename(5, "QX");
  await db.owner.query("vacuum (analyze) merchant");
});
afterAll(() => db.close());

/** The positions of the merchants found, the newest first. */
async function find(search: string, after: bigint | null = null, limit = LIMIT): Promise<number[]> {
  const found = await searchMerchants(db.server, { search, kycStatus: null, after, limit });
  return found.map(({ merchantId }) => Number(merchantId - firstId));
}

test.each([
  ["a part of a name in any case", "EBRA 50", [3]],
  ["characters that mean something to a pattern", "50%_off \\", [3]],
  ["a name in another script, composed otherwise", "क़िस्मत".normalize("NFD"), [4]],
  ["a name of two letters", "qx", [5]],
  ["one character", "%", [3]],
  ["an e-mail address", "sample7@example.com", [7]],
  ["what nobody has", "nobody-has-this", []],
  ["a number that is no id", "99999999999999999999", []],
])("finds %s", async (_what, search, places) => {
  expect(await find(search)).toEqual(places);
});

test("finds a whole id, and no part of one", async () => {
  expect(await find(String(firstId))).toEqual([0]);
  expect(await find(String(firstId).slice(0, -1))).toEqual([]);
});

test("gives page after page of what many have, the newest first", async () => {
  const first = await find("Traders", null, 3);
  expect(first).toEqual([MANY - 1, MANY - 2, MANY - 3]);
  expect(await find("Traders", firstId + BigInt(first.at(-1)!), 2)).toEqual([MANY - 4, MANY - 5]);
  expect(await find("Traders", firstId + 3n)).toEqual([2, 1]);
  expect(await find("", firstId + 3n)).toEqual([2, 1, 0]);
});

test.each([
  ["nothing in particular", ""],
  ["what all have", "traders"],
  ["what few have", "traders 777"],
  ["a name that one has", "Zebra"],
  ["an e-mail address", "sample1@example.com"],
  ["two letters that nobody has", "qz"],
  ["what nobody has", "nobody-has-this"],
])("goes through few merchants for %s", async (_what, search) => {
  for (const after of [null, lastId - BigInt(MANY / 2)]) {
    const rows = await countRowsRead(db.server, (connection) =>
      searchMerchants(connection, { search, kycStatus: null, after, limit: LIMIT }),
    );
    expect(rows).toBeLessThan(MAX_ROWS);
  }
});
