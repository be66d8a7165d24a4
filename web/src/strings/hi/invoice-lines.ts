// Hindi of ../invoice-lines.ts.
import type * as english from "../invoice-lines.ts";
import type { Translation } from "../translation.ts";

export const lineLabels: Translation<typeof english.lineLabels> = {
  item: "मद",
  sac_code: "HSN/SAC",
  description: "विवरण",
  gst: "GST %",
  total_amount: "राशि",
};

export const lineHeadings: Translation<typeof english.lineHeadings> = {
  item: "मद",
  sac_code: "HSN/SAC",
  description: "विवरण",
  gst: "GST",
  total_amount: "राशि (₹)",
};
