// Statements for the shards of a bucket. The wire tests on Citus check that they run at its nodes.
import { describe, expect, test } from "vitest";
import { nameShards } from "./shard-pool.ts";

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
