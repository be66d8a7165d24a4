// Array parameters: PostgreSQL reads back the given values, whatever their content.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { Parameters } from "./parameters.ts";
import type { Item } from "./table.ts";

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

async function roundTrip(type: string, given: readonly Item[]): Promise<unknown[]> {
  const parameters = new Parameters();
  const name = parameters.add(type, given);
  const text = `select item from unnest(${name}) with ordinality as given (item, place) order by place`;
  const { rows } = await db.owner.query<{ item: unknown }>(text, parameters.values);
  return rows.map(({ item }) => item);
}

test("texts with quotes, backslashes, braces, commas, line breaks, and words that mean something", async () => {
  const given = ["", "NULL", "null", null, 'a "quote"', "\\", '\\"', "{1,2}", ",", " space ", "\n\t\r", "₹ हिन्दी 🙂"];
  expect(await roundTrip("text[]", given)).toEqual(given);
  expect(await roundTrip("text[]", [])).toEqual([]);
});

test("any text", async () => {
  // PostgreSQL's text can't contain NUL or half a surrogate pair.
  const text = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (given) => {
      expect(await roundTrip("text[]", given)).toEqual(given);
    }),
    { numRuns: 200 },
  );
});

test("numbers, truth values, bytes and JSON", async () => {
  const bytes = [Buffer.from([0, 1, 0x5c, 0x22, 0xff]), Buffer.alloc(0), null];
  expect(await roundTrip("bytea[]", bytes)).toEqual(bytes);
  const numbers = [0n, -1n, 9_223_372_036_854_775_807n, null];
  expect(await roundTrip("bigint[]", numbers)).toEqual(numbers);
  expect(await roundTrip("boolean[]", [true, false, null])).toEqual([true, false, null]);
  const json = [{ says: 'a "quote" and a \\ backslash', list: [1, null] }, "text"];
  expect(
    await roundTrip(
      "jsonb[]",
      json.map((value) => JSON.stringify(value)),
    ),
  ).toEqual(json);
});
