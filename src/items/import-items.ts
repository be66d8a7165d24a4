import type { WriteContext } from "../merchants/index.ts";
import { validationError } from "../platform/errors.ts";
import { decoderOf } from "../platform/http/field.ts";
import { MAX_ITEMS, itemList, readItem } from "./item.ts";
import { readItemFile } from "./read-item-file.ts";
import { saveItems, type SavedItems } from "./save-items.ts";

/**
 * Saves the items of a CSV file in batches, if no line has an error. If it is interrupted, importing the same file again continues:
 * items already saved don't change.
 * @throws NodalError `validation_failed`, naming every line at fault, or for an unusable file
 */
export async function importItems(context: WriteContext, bytes: Uint8Array): Promise<SavedItems> {
  const { good, errors } = await readItemFile(context, bytes);
  if (errors.length > 0) {
    throw validationError(
      errors.map(({ line, message }) => ({ field: `line ${line}`, code: "invalid", problem: `: ${message}` })),
    );
  }
  const total = { created: 0, changed: 0, unchanged: 0 };
  for (let start = 0; start < good.length; start += MAX_ITEMS) {
    const some = good.slice(start, start + MAX_ITEMS);
    const sent = decodeItems(
      some.map(({ item }) => item),
      "item",
      [],
    );
    const saved = await saveItems(
      context,
      sent.map((item, index) => ({
        change: { ...readItem(item), itemCode: item.item_code },
        path: `line ${some[index]!.line}`,
      })),
    );
    total.created += saved.created;
    total.changed += saved.changed;
    total.unchanged += saved.unchanged;
  }
  return total;
}

const decodeItems = decoderOf(itemList());
