// Tables: aligned if they fit, or lists of records if the terminal is too narrow.
import { expect, test } from "vitest";
import { formatTable, type Entries } from "./output.ts";

const RECORDS = [
  { id: "1000001", name: "Asha Traders", live: true, note: "" },
  { id: "1000002", name: "B", live: false, note: "a longer note" },
];

test("a table that fits is a table, also where its width is just enough", () => {
  const table = formatTable(RECORDS, "None.", ["id", "name", "live"], 31);
  expect(table).toBe("id       name          live\n1000001  Asha Traders  yes\n1000002  B             no");
  expect(formatTable(RECORDS, "None.", ["id", "name", "live"], 27)).toBe(table);
  expect(formatTable(RECORDS, "None.", undefined, Infinity).split("\n")).toHaveLength(3);
});

test("a table has the columns of all records, not only of the first", () => {
  const records: readonly Entries[] = [{ id: "1" }, { id: "2", fund_source: "CASHFREE_1" }];
  expect(formatTable(records, "None.")).toBe("id  fund_source\n1   -\n2   CASHFREE_1");
  expect(formatTable(records, "None.", undefined, 8)).toBe(
    "id           1\nfund_source  -\n\nid           2\nfund_source  CASHFREE_1",
  );
});

test("one that does not is a list of records with every value whole", () => {
  expect(formatTable(RECORDS, "None.", undefined, 26)).toBe(
    "id    1000001\nname  Asha Traders\nlive  yes\nnote  -\n\nid    1000002\nname  B\nlive  no\nnote  a longer note",
  );
  expect(formatTable([], "None.", undefined, 1)).toBe("None.");
});
