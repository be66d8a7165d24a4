// Hindi of ../invoice-lines.ts.
import type * as english from "../invoice-lines.ts";
import type { Translation } from "../translation.ts";

export const lineLabels: Translation<typeof english.lineLabels> = {
  item: "आइटम",
  sac_code: "HSN/SAC",
  description: "विवरण",
  quantity: "मात्रा",
  unit: "इकाई",
  unit_price: "दर",
  discount: "छूट",
  tax_treatment: "टैक्स",
  gst: "GST %",
  cess_percentage: "सेस %",
  price_includes_tax: "टैक्स सहित",
  total_amount: "राशि",
};

export const lineHeadings: Translation<typeof english.lineHeadings> = {
  item: "आइटम",
  sac_code: "HSN/SAC",
  description: "विवरण",
  quantity: "मात्रा",
  unit: "इकाई",
  unit_price: "दर (₹)",
  discount: "छूट",
  tax_treatment: "टैक्स",
  gst: "GST",
  cess_percentage: "सेस",
  price_includes_tax: "टैक्स सहित",
  total_amount: "राशि (₹)",
};

export const treatments: Translation<typeof english.treatments> = {
  taxable: "कर योग्य",
  nil: "शून्य दर",
  exempt: "छूट प्राप्त",
  non_gst: "GST से बाहर",
};
