// Credit notes on the document of their invoice.
import { expect, test } from "vitest";
import { invoiceView } from "./render-view.ts";
import { sampleDocument } from "../../test/support/invoice-documents.ts";

test("an invoice says what credit notes took off, between its total and what is due", () => {
  const { totals } = invoiceView(sampleDocument({ creditedPaise: 23_456_00n, duePaise: 1_00_000_00n }));
  expect(totals.slice(-3).map(({ label, value }) => `${label} ${value}`)).toEqual([
    "Total ₹1,23,456.00",
    "Credit notes −23,456.00",
    "Amount due ₹1,00,000.00",
  ]);
});

const REFUNDS = [
  { date: Temporal.PlainDate.from("2026-11-03"), amountPaise: 20_000_00n },
  { date: Temporal.PlainDate.from("2026-11-05"), amountPaise: 3_456_00n },
];
const PAID = { paidPaise: 1_23_456_00n, duePaise: 0n, status: "Paid offline" };

test("an invoice whose credit notes were paid out says what was refunded and when, and still adds up", () => {
  const { totals, headline } = invoiceView(sampleDocument({ ...PAID, refunds: REFUNDS }));
  expect(totals.slice(-6).map(({ label, value, note }) => `${label} ${note} ${value}`)).toEqual([
    "Total  ₹1,23,456.00",
    "Credit notes  −23,456.00",
    "Paid  −1,23,456.00",
    "Refunded on 3 Nov 2026 20,000.00",
    "Refunded on 5 Nov 2026 3,456.00",
    "Amount due  ₹0.00",
  ]);
  expect(headline.note).toBe("Nothing is due. ₹23,456.00 refunded, last on 5 Nov 2026.");
});

test.each([
  ["Unpaid", 1_23_456_00n, "Due on 15 Nov 2026. ₹20,000.00 refunded on 3 Nov 2026."],
  ["Carried forward", 0n, "The amount due was moved to a later invoice. ₹20,000.00 refunded on 3 Nov 2026."],
])("an invoice that is %s says so as well", (status, duePaise, note) => {
  const document = sampleDocument({ status, duePaise, refunds: REFUNDS.slice(0, 1) });
  expect(invoiceView(document).headline.note).toBe(note);
});

test("a credit note says when it was paid out", () => {
  const originalInvoice = { number: "INV/26-27/00042", date: Temporal.PlainDate.from("2026-11-01") };
  const note = sampleDocument({ kind: "credit_note", originalInvoice, status: "", refunds: REFUNDS.slice(0, 1) });
  expect(invoiceView(note).headline.note).toBe("Against invoice INV/26-27/00042. ₹20,000.00 refunded on 3 Nov 2026.");
  expect(invoiceView(note).totals.at(-1)).toMatchObject({ label: "Refunded", note: "on 3 Nov 2026" });
});

test("without any, it does not mention them", () => {
  expect(invoiceView(sampleDocument()).totals.at(-1)!.label).toBe("Total");
});
