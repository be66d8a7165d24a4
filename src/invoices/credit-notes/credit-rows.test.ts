// Credit notes of chosen rows on a database: the rest of each row, also concurrently.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Invoicing } from "../../../test/support/invoicing.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db);
});
afterAll(() => db.close());

const rowOf = (item: string, gstThousandths: bigint) => ({
  item,
  sacCode: "9983",
  description: "",
  gstThousandths,
  amountPaise: 100_000n,
});
const TWO_ROWS = { rows: [rowOf("Desk", 5000n), rowOf("Chair", 18_000n)] };

test("a returned row is credited alone, and the note keeps which", async () => {
  const invoice = await shop.save(TWO_ROWS);
  const { note } = await shop.credit(invoice, null, { rows: [{ line: 1, amountPaise: 105_000n }] });
  expect(note).toMatchObject({
    byRows: true,
    amountPaise: 105_000n,
    taxablePaise: 100_000n,
    taxPaise: 5000n,
    lines: [{ line: 1, taxablePaise: 100_000n, taxesPaise: [2500n, 2500n, 0n, 0n] }],
    content: { rows: [{ item: "Desk", amountPaise: 100_000n }] },
  });
  const again = shop.credit(invoice, null, { rows: [{ line: 1, amountPaise: 1n }] });
  await expect(again).rejects.toThrow("Row 1 (Desk) has nothing left to credit: choose another row.");
  const rest = await shop.credit(invoice, null);
  expect(rest.note).toMatchObject({ byRows: false, amountPaise: 118_000n, taxPaise: 18_000n, lines: [{ line: 2 }] });
  expect(rest.invoice.status).toBe("Cancelled");
  expect(await shop.violations()).toEqual([]);
});

test("20 notes at once, of a row and of all of them, credit no row beyond its amount", async () => {
  const busy = await Invoicing.ofNewMerchant(db);
  const invoice = await busy.save(TWO_ROWS);
  const settled = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      index % 4 === 3
        ? busy.credit(invoice, 10_000n)
        : busy.credit(invoice, null, { rows: [{ line: 1, amountPaise: 30_000n }] }),
    ),
  );
  const issued = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value.note] : []));
  const refused = settled.flatMap((result) =>
    result.status === "rejected" ? [(result.reason as { code: string }).code] : [],
  );
  const ofRow = issued.flatMap(({ lines }) => lines.filter(({ line }) => line === 1));
  const creditedPaise = ofRow.reduce(
    (sum, { taxablePaise, taxesPaise }) => sum + taxesPaise.reduce((taxes, tax) => taxes + tax, taxablePaise),
    0n,
  );
  expect(creditedPaise).toBeLessThanOrEqual(105_000n);
  expect(issued.filter(({ byRows }) => byRows)).not.toEqual([]);
  expect(new Set(refused)).toEqual(new Set(["credit_exceeds_invoice"]));
  expect(await busy.violations()).toEqual([]);
});
