// Words for the members of an invoice line, by their names in the API.
import type { LineName } from "../../../src/invoices/lines/line.ts";

/** Labels of the form's fields. */
export const lineLabels = {
  item: "Item",
  sac_code: "HSN/SAC",
  description: "Description",
  gst: "GST %",
  total_amount: "Amount",
} satisfies Record<LineName, string>;

/** Headings of tables. */
export const lineHeadings = {
  item: "Item",
  sac_code: "HSN/SAC",
  description: "Description",
  gst: "GST",
  total_amount: "Amount (₹)",
} satisfies Record<LineName, string>;
