// Statements for the shards of a bucket. What belongs here: their names. That they run at the nodes of a Citus is seen by the wire tests there.
import { describe, expect, test, vi } from "vitest";
import { findAtNodes, findInEachPart, inEachPart, nameShards, takeAtNodes } from "./bucket-pool.ts";
import type { Pool } from "./pool.ts";

const SHARDS = new Map([
  ["transfer", "transfer_102"],
  ["ledger_book", "ledger_book_103"],
  ["simulator.payment", "simulator.payment_104"],
]);

describe("a statement for shards", () => {
  test.each([
    ["select * from transfer", "select * from transfer_102 as transfer"],
    [
      "select * from transfer where transfer.utr = $1",
      "select * from transfer_102 as transfer where transfer.utr = $1",
    ],
    [
      "select * from transfer queued join ledger_book using (bucket)",
      "select * from transfer_102 queued join ledger_book_103 as ledger_book using (bucket)",
    ],
    ["update ledger_book book set x = 1", "update ledger_book_103 book set x = 1"],
    ["update transfer set state = $1 from given", "update transfer_102 as transfer set state = $1 from given"],
    ["insert into transfer (bucket) select 1", "insert into transfer_102 as transfer (bucket) select 1"],
    ["insert into transfer as waiting (bucket) values (1)", "insert into transfer_102 as waiting (bucket) values (1)"],
    ["delete from transfer using unnest($1) as item", "delete from transfer_102 as transfer using unnest($1) as item"],
    ["delete from given using transfer where true", "delete from given using transfer_102 as transfer where true"],
    ["join simulator.payment using (bucket)", "join simulator.payment_104 as payment using (bucket)"],
    ["select from\n  transfer\n  where x", "select from\n  transfer_102 as transfer\n  where x"],
    ["do update set transfer = 1", "do update set transfer = 1"],
    ["select transfer from transfers", "select transfer from transfers"],
  ])("%s", (text, expected) => {
    expect(nameShards(text, SHARDS)).toBe(expected);
  });
});

describe("on one PostgreSQL", () => {
  const pool = {} as Pool;

  test("all is done at once, over the pool itself", async () => {
    const work = vi.fn<(pool: Pool, items: readonly { bucket: number }[]) => Promise<number>>(
      async (_, { length }) => length,
    );
    const items = [{ bucket: 1 }, { bucket: 2 }];
    expect(await inEachPart(pool, items, work)).toEqual([2]);
    expect(work).toHaveBeenCalledExactlyOnceWith(pool, items);
  });

  test("rows of all merchants are looked for at once, over the pool itself, and nothing is asked before", async () => {
    const look = { table: "transfer", condition: "true", limit: 7 };
    const find = vi.fn<(db: object, limit: number | null) => Promise<number[]>>(async () => [1, 2]);
    expect(await findAtNodes(pool, look, find)).toEqual([1, 2]);
    expect(await takeAtNodes(pool, look, find)).toEqual([1, 2]);
    expect(find.mock.calls).toEqual([
      [pool, 7],
      [pool, 7],
    ]);
  });

  test("what fails fails for all, so that whoever batches may halve it", async () => {
    const find = () => Promise.reject(new Error("refused"));
    await expect(findInEachPart(pool, [{ bucket: 1 }], find)).rejects.toThrow("refused");
  });
});
