// What the pages of reports say.

export const reports = {
  /** By the last part of their addresses. */
  titles: {
    "sales-register": "Sales register",
    "tax-summary": "Tax summary",
    "hsn-summary": "HSN summary",
    "document-series": "Document series",
    "gst-problems": "GST problems",
  },
  hints: {
    "sales-register":
      "Every invoice and credit note with its tax. Credit notes are subtracted; cancelled invoices are left out.",
    "tax-summary": "Taxable value and tax by GST rate. Credit notes are subtracted.",
    "hsn-summary": "Quantity, taxable value and tax by HSN or SAC code, for table 12 of GSTR-1.",
    "document-series": "Numbers used in the period, for table 13 of GSTR-1. Cancelled documents keep their numbers.",
    "gst-problems": "What to correct before you file a return.",
  },
  exportXlsx: "Export XLSX",
  empty: "No documents in this period",
  emptyHint: "Choose another period.",
  number: "Number",
  date: "Date",
  customer: "Customer",
  kinds: {
    tax_invoice: "Tax invoice",
    bill_of_supply: "Bill of supply",
    invoice: "Invoice",
    credit_note: "Credit note",
    debit_note: "Debit note",
  } as Readonly<Record<string, string>>,
  reverseCharge: "Reverse charge",
  noPlace: "Place of supply unknown",
  sums: {
    taxable_value: "Taxable (₹)",
    igst: "IGST (₹)",
    cgst: "CGST (₹)",
    sgst: "SGST (₹)",
    cess: "Cess (₹)",
    other_taxes: "Other taxes (₹)",
  },
  /** With an amount behind them, below a row on narrow screens. */
  shortSums: {
    taxable_value: "Taxable",
    igst: "IGST",
    cgst: "CGST",
    sgst: "SGST",
    cess: "Cess",
    other_taxes: "Other taxes",
  },
  total: "Total (₹)",
  totals: "Total",
  totalOf: (count: number) =>
    count === 1 ? "Total of 1 document" : `Total of ${count.toLocaleString("en-IN")} documents`,
  rate: "GST rate",
  untied: "Not matched to rows",
  hsn: "HSN/SAC",
  noHsn: "No HSN/SAC",
  supply: "Customers",
  sections: { b2b: "B2B", b2c: "B2C" } as Readonly<Record<string, string>>,
  uqc: "Unit",
  quantity: "Quantity",
  firstRows: (shown: number, all: number) =>
    `These are the first ${shown.toLocaleString("en-IN")} of ${all.toLocaleString("en-IN")} rows. The files have all of them.`,
  series: {
    kinds: { invoice: "Invoices", credit_note: "Credit notes", debit_note: "Debit notes" } as Readonly<
      Record<string, string>
    >,
    kind: "Documents",
    from: "First number",
    to: "Last number",
    total: "Total",
    cancelled: "Cancelled",
    net: "Net issued",
    missing: "Unused",
    range: (from: string, to: string) => `${from} to ${to}`,
    moreGaps: (count: number) => `and ${count.toLocaleString("en-IN")} more ranges`,
  },
  problems: {
    empty: "No problems in this period",
    emptyHint: "Nothing to correct on its invoices and credit notes.",
    problem: "How to fix it",
    texts: {
      hsn_missing: (row: number) => `Row ${row} has no HSN/SAC code. Add one to the invoice.`,
      hsn_form: (row: number) =>
        `The HSN/SAC code of row ${row} must have 4, 6 or 8 digits. Correct it on the invoice.`,
      hsn_short: (row: number) =>
        `The HSN/SAC code of row ${row} needs at least 6 digits, as your turnover is above ₹5 crore. Complete it on the invoice.`,
      tax_rows: () => "The taxes don't match the rows. Correct their names, rates or taxable amounts, or remove them.",
      gst_rate: (row: number) => `Row ${row} has a GST rate that doesn't exist. Correct it on the invoice.`,
      place_of_supply: () =>
        "The place of supply is unknown. Add a GSTIN or a state to the customer, then save the invoice again.",
      number_form: () => "The number starts with 0, - or /. The e-invoice portal refuses it. Use a letter or 1 to 9.",
    },
  },
} as const;
