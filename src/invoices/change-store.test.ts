// The one place that sees changes of invoices: it counts them, and posts where it is told to.
import { expect, test } from "vitest";
import { changeStatements, type RecordedChange } from "./change-store.ts";
import type { PostingLine } from "./invoice-postings.ts";
import type { Invoice } from "./invoice.ts";

function invoice(changes: Partial<Invoice>): Invoice {
  return {
    bucket: 1,
    merchantId: 1n,
    invoiceId: 1n,
    franchiseId: 0n,
    billDate: Temporal.PlainDate.from("2026-11-01"),
    dueDate: Temporal.PlainDate.from("2026-11-15"),
    sentDate: null,
    paidDate: null,
    status: "Unpaid",
    subTotalPaise: 1_000_00n,
    taxTotalPaise: 180_00n,
    previousDuesPaise: 0n,
    carriedPaise: 0n,
    amountPaise: 1_180_00n,
    paidPaise: 0n,
    creditedPaise: 0n,
    content: { taxes: [{ name: "IGST", amountPaise: 180_00n }] },
    ...changes,
  } as Invoice;
}

test("a change is counted, and posted only where it is told to and something moves", () => {
  const date = Temporal.PlainDate.from("2026-11-02");
  const before = invoice({});
  const sent = invoice({ sentDate: date });
  const paid = invoice({ sentDate: date, status: "Partially paid", paidPaise: 100_00n, paidDate: date });
  const changes: RecordedChange[] = [
    { before, after: sent },
    { before: sent, after: paid },
  ];
  const counted = changeStatements(changes);
  expect(counted.map(({ name }) => name)).toEqual(["count-invoice-days", "count-invoice-months"]);

  const posted: [change: RecordedChange, lines: readonly PostingLine[]][] = [];
  const withPostings = changeStatements(changes, (change, lines) => {
    posted.push([change, lines]);
    return [{ name: "post", text: "select 1" }];
  });
  expect(withPostings).toEqual([...counted, { name: "post", text: "select 1" }]);
  expect(posted).toEqual([
    [
      changes[1],
      [
        { account: "customer_receivable", debitPaise: -100_00n },
        { account: "customer_receipts", debitPaise: 100_00n },
      ],
    ],
  ]);
});
