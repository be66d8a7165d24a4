import { TAX_TREATMENTS } from "../platform/gst.ts";
import { flag, money, oneOf, requiredText, textOrNumber, type Field } from "../platform/http/fields.ts";
import { hsnCode, percentage, unit } from "../platform/http/tax-fields.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import type { ItemKind, ItemMember, ItemValues } from "./item-members.ts";

export type KindOfItem<T> = {
  /** Checks and decodes a request's value. */
  readonly field: (member: Pick<ItemMember, "maxLength">) => Field<NonNullable<T>>;
  /** The type of its column. */
  readonly column: "text" | "bigint" | "boolean";
  /** The default of a missing member. */
  readonly none: T;
  /** In answers and files. */
  readonly write: (value: T) => string;
};

const same = (text: string): string => text;
const textual = { column: "text", none: "", write: same } as const;

const ITEM_KINDS: { readonly [Kind in ItemKind]: KindOfItem<ItemValues[Kind]> } = {
  code: { ...textual, field: ({ maxLength = 0 }) => textOrNumber(maxLength) },
  text: { ...textual, field: ({ maxLength = 0 }) => requiredText(maxLength) },
  hsn: { ...textual, field: hsnCode },
  unit: { ...textual, field: unit },
  amount: {
    field: () => money({ allowZero: true }),
    column: "bigint",
    none: null,
    write: (paise) => (paise === null ? "" : formatPaise(paise)),
  },
  rate: { field: percentage, column: "bigint", none: 0n, write: formatThousandths },
  flag: { field: flag, column: "boolean", none: false, write: (isOn) => (isOn ? "1" : "0") },
  treatment: { field: () => oneOf(TAX_TREATMENTS), column: "text", none: "taxable", write: same },
};

/** The kind of a member, for values of whatever type it has. */
export function kindOf({ kind }: Pick<ItemMember, "kind">): KindOfItem<unknown> {
  return ITEM_KINDS[kind] as KindOfItem<unknown>;
}
