// Rows that name an item of the catalogue: docs/rules/items.md#items-in-rows.
import { findItemsByCode, itemKeyOf, type Item } from "../../items/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { type FieldError } from "../../platform/errors.ts";
import { fail, optional, type Field } from "../../platform/http/field.ts";
import { object, textOrNumber } from "../../platform/http/fields.ts";
import type { SentLine } from "./line.ts";
import { checkLine } from "./line-amount.ts";
import { lineFields } from "./line-forms.ts";

/** One piece, in thousandths. */
const ONE = 1000n;

/** A row of an invoice in a request: a line, or an item with its differences. */
export type SentRow = SentLine & { item_code: string | null };

/** The merchant's items in rows, by the key of their codes; archived ones too. */
export type NamedItems = Awaited<ReturnType<typeof findItemsByCode>>;

/** A row of a request. One with an item is checked once the item is known: `checkItemRows`. */
export const rowField: Field<SentRow> = object(
  { item_code: optional(textOrNumber(45)), ...lineFields },
  (sent, refuse) => {
    if (sent.item_code === null) checkLine(sent, refuse);
  },
);

type SentRows = readonly Partial<SentRow>[] | null | undefined;

/** Reads the items of rows. */
export function findNamedItems(
  db: Queryable,
  merchant: MerchantKey,
  invoices: readonly { readonly particular_rows?: SentRows }[],
): Promise<NamedItems> {
  const codes = invoices.flatMap(({ particular_rows: rows }) => (rows ?? []).map((row) => row.item_code ?? ""));
  return findItemsByCode(
    db,
    merchant,
    codes.filter((code) => code !== ""),
  );
}

/** Adds the errors of rows with items to `errors`. `path` is the invoice's, such as `invoice[0]`. */
export function checkItemRows(rows: SentRows, items: NamedItems, path: string, errors: FieldError[]): void {
  for (const [index, row] of (rows ?? []).entries()) {
    if (!row.item_code) continue;
    const prefix = `${path}.particular_rows[${index}].`;
    const item = items.get(itemKeyOf({ itemCode: row.item_code }));
    if (!item) {
      const problem = "is not the code of an item: save the item first, or send the members of the row instead.";
      fail(errors, `${prefix}item_code`, "invalid", problem);
    } else if (item.archivedAt !== null) {
      const problem = "is the code of an archived item: restore it first, or send the members of the row instead.";
      fail(errors, `${prefix}item_code`, "invalid", problem);
    } else if (!errors.some(({ field }) => field.startsWith(prefix))) {
      // Each member is valid by itself.
      checkLine(fillRow(row as SentRow, item), (name, code, problem) => fail(errors, prefix + name, code, problem));
    }
  }
}

/** Fills in rows' missing members from their items. Rows with unknown items don't change. */
export function fillRows(rows: readonly SentRow[], items: NamedItems): readonly SentLine[] {
  return rows.map((row) => {
    const item = row.item_code ? items.get(itemKeyOf({ itemCode: row.item_code })) : undefined;
    return item ? fillRow(row, item) : row;
  });
}

/**
 * A row with its missing and empty members filled in from the item. If the row has its own price or amount, the item's price is
 * ignored, and so is whether it includes tax. A row with the item's price and without a quantity has one piece.
 */
function fillRow({ item_code: _code, ...sent }: SentRow, item: Item): SentLine {
  const hasItsPrice = sent.unit_price === null && sent.total_amount === null && item.unitPricePaise !== null;
  const quantity = sent.quantity ?? (hasItsPrice ? ONE : null);
  const treatment = sent.tax_treatment ?? item.taxTreatment;
  return {
    ...sent,
    item: sent.item ?? item.name,
    description: sent.description ?? given(item.description),
    sac_code: sent.sac_code ?? given(item.sacCode),
    quantity,
    unit: sent.unit ?? (quantity === null ? null : given(item.unit)),
    ...(hasItsPrice
      ? { unit_price: item.unitPricePaise, price_includes_tax: sent.price_includes_tax ?? item.priceIncludesTax }
      : {}),
    tax_treatment: treatment,
    ...(treatment === "taxable"
      ? { gst: sent.gst ?? item.gstThousandths, cess_percentage: sent.cess_percentage ?? item.cessThousandths }
      : {}),
  };
}

function given(text: string): string | null {
  return text === "" ? null : text;
}
