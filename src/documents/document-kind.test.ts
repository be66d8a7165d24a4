// The kinds of documents: one table has their differences, and printing uses nothing else.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { listFiles, REPOSITORY } from "../../test/support/files.ts";
import { row, sampleDocument, tax } from "../../test/support/invoice-documents.ts";
import type { DocumentKind } from "../invoices/index.ts";
import { invoiceView, upiLink } from "./render-view.ts";

test.for<[DocumentKind, string, string, readonly string[]]>([
  ["tax_invoice", "Tax invoice", "Original for recipient", ["HSN/SAC", "GST", "Amount (₹)"]],
  ["bill_of_supply", "Bill of supply", "Original for recipient", ["HSN/SAC", "Amount (₹)"]],
  ["invoice", "Invoice", "", ["HSN/SAC", "Amount (₹)"]],
  ["credit_note", "Credit note", "Original for recipient", ["HSN/SAC", "GST", "Amount (₹)"]],
  ["debit_note", "Debit note", "Original for recipient", ["HSN/SAC", "GST", "Amount (₹)"]],
])("%s is titled %s", ([kind, title, copyLabel, columns]) => {
  const view = invoiceView(sampleDocument({ kind }));
  expect(view).toMatchObject({ title, copyLabel });
  expect(view.columns.map(({ label }) => label)).toEqual(columns);
  expect(view.rows.map(({ cells }) => cells.length)).toEqual([columns.length, columns.length]);
  const isTaxed = columns.includes("GST");
  expect(view.summary !== null).toBe(isTaxed);
  expect(view.facts.some(({ label }) => label === "Reverse charge")).toBe(isTaxed);
});

test("an opening balance has a heading and an amount, and no rows", () => {
  const owed = { kind: "opening_balance", rows: [], taxes: [], subTotalPaise: 0n, taxTotalPaise: 0n } as const;
  const amounts = { roundOffPaise: 0n, previousDuesPaise: 500_00n, totalPaise: 500_00n, duePaise: 500_00n };
  const view = invoiceView(sampleDocument({ ...owed, ...amounts }));
  expect(view).toMatchObject({ title: "Opening balance", copyLabel: "", columns: [], rows: [], summary: null });
  expect(view.totals.map(({ label }) => label)).toEqual(["Opening balance"]);
});

test("a financial credit note has an amount, and neither rows nor taxes", () => {
  const given = { kind: "financial_credit_note", taxes: [], subTotalPaise: 500_00n, taxTotalPaise: 0n } as const;
  const view = invoiceView(sampleDocument({ ...given, roundOffPaise: 0n, totalPaise: 500_00n, previousDuesPaise: 0n }));
  expect(view).toMatchObject({ title: "Financial credit note", columns: [], rows: [], summary: null });
  expect(view.totals.map(({ label }) => label)).toEqual(["Total credit"]);
  expect(view.facts.map(({ label }) => label)).not.toContain("Reverse charge");
  expect(view.facts.map(({ label }) => label)).not.toContain("Place of supply");
});

test("only a document that is to be paid has a due date, a way to pay and an amount due", () => {
  for (const kind of ["tax_invoice", "bill_of_supply", "invoice", "opening_balance", "debit_note"] as const) {
    const document = sampleDocument({ kind, paidPaise: 1_00n, duePaise: 500_00n });
    const view = invoiceView(document);
    expect(view.facts.map(({ label }) => label)).toContain("Due date");
    expect(view.totals.map(({ label }) => label)).toContain("Amount due");
    expect(upiLink(document)).not.toBeNull();
  }
  const note = sampleDocument({ kind: "credit_note", paidPaise: 1_00n });
  expect(invoiceView(note).facts.map(({ label }) => label)).not.toContain("Due date");
  expect(invoiceView(note).totals.map(({ label }) => label)).not.toContain("Amount due");
  expect(upiLink(note)).toBeNull();
});

test("a line without a rate says nothing of its tax where taxes were sent apart from the lines", () => {
  const { rows } = sampleDocument();
  const mixed = [rows[0]!, { ...rows[1]!, gstThousandths: 0n }];
  const rates = (hasOwnTaxes: boolean) =>
    invoiceView(sampleDocument({ rows: mixed, hasOwnTaxes, taxes: [tax("Cess", 100n, 1_00n, 1n)] })).rows.map(
      ({ cells }) => cells[1],
    );
  expect(rates(false)).toEqual(["18%", "0%"]);
  expect(rates(true)).toEqual(["18%", ""]);
});

const MILK = { ...row("Milk", "040110", "", 100_00n, 0n), taxTreatment: "exempt" as const };

test("a note about rows without tax says nothing of tax, as a bill of supply", () => {
  const amounts = { subTotalPaise: 100_00n, taxTotalPaise: 0n, roundOffPaise: 0n, totalPaise: 100_00n };
  const view = invoiceView(sampleDocument({ kind: "credit_note", rows: [MILK], taxes: [], ...amounts }));
  expect(view.summary).toBeNull();
  expect(view.facts.map(({ label }) => label)).not.toContain("Reverse charge");
  expect(view.totals.map(({ label }) => label)).toEqual(["Subtotal", "Total credit"]);
});

test("beside rows without tax, the taxable value is that of the others", () => {
  const { rows, subTotalPaise, ...document } = sampleDocument();
  const view = invoiceView({ ...document, rows: [...rows, MILK], subTotalPaise: subTotalPaise + 100_00n });
  expect(view.totals.slice(0, 2)).toMatchObject([
    { label: "Subtotal", value: "1,04,723.00" },
    { label: "Taxable value", value: "1,04,623.00" },
  ]);
  expect(view.summary!.total).toEqual(["Total", "", "1,04,623.00", "9,416.07", "9,416.07", "18,832.14"]);
});

test("nothing else compares kinds, or decides one by the supplier's GSTIN", () => {
  const sources = ["src/invoices", "src/documents"].flatMap((folder) => listFiles(join(REPOSITORY, folder), ".ts"));
  const others = sources.filter((path) => !/\.test\.ts$|document-kind\.ts$/.test(path));
  const comparing = others.filter((path) =>
    /kind [!=]== "(tax_invoice|bill_of_supply|invoice|opening_balance|credit_note|financial_credit_note|debit_note)"|supplier\.gstin [!=]== ""/.test(
      readFileSync(path, "utf8"),
    ),
  );
  expect(comparing.map((path) => relative(REPOSITORY, path))).toEqual([]);
  for (const file of ["render-view.ts", "render-page.ts", "build-document.ts"]) {
    const source = readFileSync(new URL(file, import.meta.url), "utf8");
    expect(source, file).not.toMatch(
      /kind [!=]==|"(tax_invoice|bill_of_supply|opening_balance|credit_note|financial_credit_note|debit_note)"/,
    );
  }
});
