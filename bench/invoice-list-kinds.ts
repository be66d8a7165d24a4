// The filters by which benchmarks ask for the dashboard's list of invoices.
import type { SeededMerchant } from "./invoice-reads.ts";

/** What a filter is called, and the address below /invoices that asks for it of a merchant. */
export type InvoiceListKind = readonly [kind: string, query: (of: SeededMerchant) => string];

/** The filters that people use. Those with days are of a year that ended a month ago. */
export function invoiceListKinds(): readonly InvoiceListKind[] {
  const to = Temporal.Now.plainDateISO().subtract({ months: 1 });
  const year = `from=${to.subtract({ years: 1 }).toString()}&to=${to.toString()}`;
  const middle = ({ customers }: SeededMerchant): number => Math.floor(customers / 2);
  return [
    ["newest", () => ""],
    ["oldest", () => "sort=bill_date"],
    ["by due date", () => "sort=-due_date"],
    ["in the midst of them", ({ invoices }) => `after=${to.subtract({ months: 17 }).toString()}_${invoices}`],
    ["a year", () => year],
    ["a year by due date", () => `${year}&date=due_date`],
    ["a year by date paid", () => `${year}&date=paid_date`],
    ["Paid offline", () => "status=Paid%20offline"],
    ["Cancelled in a year", () => `status=Cancelled&${year}`],
    ["Overdue", () => "status=Overdue"],
    ["of a franchise", ({ franchiseIds }) => `franchise=${franchiseIds[1]}`],
    ["of a customer", (of) => `customer=C${middle(of)}`],
    ["of a group with a quarter of the customers", () => "group=Wholesale"],
    ["search: an invoice's number", () => "search=INV-2627-00007"],
    ["search: a customer's name", (of) => `search=Customer%20${middle(of)}`],
    ["search: what all customers match", () => "search=Customer"],
  ];
}
