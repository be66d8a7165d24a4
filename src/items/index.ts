// The public interface of the catalogue.
export { describeItem, itemChanges, itemFields, itemList, readItem, type Item } from "./item.ts";
export { findItem, findItemsByCode, itemKeyOf, pageItems, walkItems } from "./item-store.ts";
export { archiveItem, changeItem, createItem, itemNotFound, saveItems } from "./save-items.ts";
export { ITEM_HEADINGS, MAX_FILE_ITEMS, readItemFile } from "./read-item-file.ts";
export { importItems } from "./import-items.ts";
