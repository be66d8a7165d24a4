// Words for the members of an invoice line, by their names in the API.
import type { LineName } from "../../../src/invoices/lines/line.ts";
import type { TaxTreatment } from "../../../src/platform/gst.ts";

/** Labels of the form's fields. */
export const lineLabels = {
  item: "Item",
  sac_code: "HSN/SAC",
  description: "Description",
  quantity: "Qty",
  unit: "Unit",
  unit_price: "Rate",
  discount: "Discount",
  tax_treatment: "Tax",
  gst: "GST %",
  cess_percentage: "Cess %",
  price_includes_tax: "Incl. tax",
  total_amount: "Amount",
} satisfies Record<LineName, string>;

/** Headings of tables. */
export const lineHeadings = {
  item: "Item",
  sac_code: "HSN/SAC",
  description: "Description",
  quantity: "Qty",
  unit: "Unit",
  unit_price: "Rate (₹)",
  discount: "Discount",
  tax_treatment: "Tax",
  gst: "GST",
  cess_percentage: "Cess",
  price_includes_tax: "With tax",
  total_amount: "Amount (₹)",
} satisfies Record<LineName, string>;

/** The GST treatment of a line. */
export const treatments = {
  taxable: "Taxable",
  nil: "Nil rated",
  exempt: "Exempt",
  non_gst: "Non-GST",
} satisfies Record<TaxTreatment, string>;
