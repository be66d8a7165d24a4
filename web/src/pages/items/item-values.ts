// How the members of an item are shown.
import type { ItemTexts } from "../../../../src/items/item-members.ts";
import type { TaxTreatment } from "../../../../src/platform/gst.ts";
import { treatments } from "../../strings/invoice-lines.ts";
import { items as words, units } from "../../strings/items.ts";

/** `KGS` is `KGS · kilograms`; nothing for no unit. */
export function unitName(code: string): string {
  return code === "" ? "" : `${code} · ${units[code] ?? ""}`;
}

type Taxed = Pick<ItemTexts, "gst" | "tax_treatment" | "price_includes_tax">;

/** The rate of GST, and whether the price includes it; or why there is none. */
export function taxOf({ gst, tax_treatment, price_includes_tax: isIncluded }: Taxed): string {
  if (tax_treatment !== "taxable") return treatmentName(tax_treatment);
  return isIncluded === "1" ? words.rateInPrice(gst) : `${gst}%`;
}

export function treatmentName(treatment: string): string {
  return treatments[treatment as TaxTreatment];
}
