import type { ReadContext } from "../merchants/index.ts";
import { typedField } from "../platform/as-typed.ts";
import type { CsvRecord } from "../platform/csv.ts";
import { readCsvTable } from "../platform/csv-table.ts";
import { fieldRefusal, sentenceOf, type FieldError } from "../platform/errors.ts";
import { decoderOf } from "../platform/http/field.ts";
import { object } from "../platform/http/fields.ts";
import { isSameItem, readItem, savedItemFields, type ItemToSave } from "./item.ts";
import { ITEM_MEMBERS, type ItemName, type ItemTexts } from "./item-members.ts";
import { findItemsByCode } from "./item-store.ts";
import { planItems } from "./save-items.ts";

export const MAX_FILE_ITEMS = 10_000;

/** The headings of a file of items. */
export const ITEM_HEADINGS: readonly ItemName[] = ITEM_MEMBERS.map(({ name }) => name);
/** Synonyms of these headings. */
const SYNONYMS: readonly (readonly [string, ItemName])[] = [
  ["code", "item_code"],
  ["item_name", "name"],
  ["item", "name"],
  ["hsn", "sac_code"],
  ["hsn_sac", "sac_code"],
  ["hsn_code", "sac_code"],
  ["uqc", "unit"],
  ["price", "unit_price"],
  ["gst_rate", "gst"],
  ["cess", "cess_percentage"],
  ["treatment", "tax_treatment"],
];

/** The effect of importing a line. */
export type ItemOutcome = "new" | "changed" | "unchanged";

export type ItemFile = {
  /** The number of lines with an item, valid or not. */
  readonly lines: number;
  /** Members in the API's form. Columns missing in the file are left out, so that they don't change. */
  readonly good: readonly { readonly line: number; readonly outcome: ItemOutcome; readonly item: Partial<ItemTexts> }[];
  /** The errors, by line. `field` is the heading. */
  readonly errors: readonly { readonly line: number; readonly field: string; readonly message: string }[];
  /** Unknown headings. */
  readonly ignored: readonly string[];
};

type Line = { readonly line: number; readonly item: Partial<ItemTexts>; readonly toSave: ItemToSave };

const decodeItem = decoderOf(object(savedItemFields));

/**
 * Reads a CSV file of items, with the effect of importing each line. Nothing is saved. docs/rules/items.md#files-of-items
 * @throws NodalError `validation_failed` for an unusable file: not CSV, without the headings, or too long
 */
export async function readItemFile({ pool, merchant }: ReadContext, bytes: Uint8Array): Promise<ItemFile> {
  const { rows, places, misshapen, ignored } = await readCsvTable<ItemName>(bytes, {
    items: "items",
    maxRows: MAX_FILE_ITEMS,
    columns: [...SYNONYMS, ...ITEM_HEADINGS.map((name) => [name, name] as const)],
    required: ["item_code"],
    key: String(merchant.merchantId),
  });
  const twice = places.find((name, index) => name !== null && places.indexOf(name) !== index);
  if (twice)
    throw fieldRefusal("validation_failed", "file", `The file has two columns for ${twice}: remove one of them.`);
  const errors = misshapen.map(({ record: { line }, field, problem }) => ({
    line,
    field,
    message: sentenceOf({ field: field || "The line", problem }),
  }));
  const note = (line: number, found: readonly FieldError[]): void => {
    for (const error of found) errors.push({ line, field: error.field, message: sentenceOf(error) });
  };
  const read = rows.flatMap((record): Line[] => {
    const found: FieldError[] = [];
    const item = cellsOf(record, places);
    const change = readItem(decodeItem(item, "", found));
    note(record.line, found);
    const { itemCode = "" } = change;
    return found.length > 0
      ? []
      : [{ line: record.line, item, toSave: { change: { ...change, itemCode }, path: `line ${record.line}` } }];
  });
  const codes = read.map(({ toSave }) => toSave.change.itemCode);
  const known = await findItemsByCode(pool, merchant, codes);
  const found: FieldError[] = [];
  const planned = planItems(
    read.map(({ toSave }) => toSave),
    known,
    found,
  );
  for (const error of found) {
    const [, line = "", field = ""] = /^line (\d+)\.(.+)$/.exec(error.field)!;
    note(Number(line), [{ ...error, field }]);
  }
  const bad = new Set(errors.map(({ line }) => line));
  const outcomes = planned.map(({ before, details }): ItemOutcome => {
    if (!before) return "new";
    return isSameItem(before, details) ? "unchanged" : "changed";
  });
  const lines = read.map(({ line, item }, index) => ({ line, item, outcome: outcomes[index]! }));
  return {
    lines: rows.length + misshapen.length,
    good: lines.filter(({ line }) => !bad.has(line)),
    errors: errors.toSorted((one, other) => one.line - other.line),
    ignored,
  };
}

function cellsOf({ cells }: CsvRecord, places: readonly (ItemName | null)[]): Partial<ItemTexts> {
  const texts: Record<string, string> = {};
  for (const [index, name] of places.entries()) {
    if (name !== null) texts[name] = typedField(name, cells[index] ?? "");
  }
  return texts;
}
