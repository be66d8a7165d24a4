// How the members of an item are shown.
import { Text } from "@mantine/core";
import type { ItemTexts } from "../../../../src/items/item-members.ts";
import type { TaxTreatment } from "../../../../src/platform/gst.ts";
import { Money } from "../../components/values.tsx";
import { treatments } from "../../strings/invoice-lines.ts";
import { items as words, units } from "../../strings/items.ts";

/** `KGS` is `KGS · kilograms`; nothing for no unit. */
export function unitName(code: string): string {
  return code === "" ? "" : `${code} · ${units[code] ?? ""}`;
}

/** The rate of GST, or why there is none. */
export function taxOf({ gst, tax_treatment }: Pick<ItemTexts, "gst" | "tax_treatment">): string {
  return tax_treatment === "taxable" ? `${gst}%` : treatmentName(tax_treatment);
}

export function treatmentName(treatment: string): string {
  return treatments[treatment as TaxTreatment];
}

/** The price, and whether tax is in it. */
export function PriceOf({ item }: { readonly item: Pick<ItemTexts, "unit_price" | "price_includes_tax"> }) {
  if (item.unit_price === "") return "–";
  return (
    <>
      <Money amount={item.unit_price} />
      {item.price_includes_tax === "1" && (
        <Text component="span" display="block" size="sm" c="dimmed">
          {words.withTax}
        </Text>
      )}
    </>
  );
}
