// What credit notes leave on the document of their invoice.
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

test("without any, it does not mention them", () => {
  expect(invoiceView(sampleDocument()).totals.at(-1)!.label).toBe("Total");
});
