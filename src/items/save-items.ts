import { recordEvents } from "../ledger/index.ts";
import { lockMerchant, type ReadContext, type WriteContext } from "../merchants/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { fieldRefusal, NodalError, validationError, type FieldError } from "../platform/errors.ts";
import {
  checkItem,
  codeKey,
  isSameItem,
  itemEvent,
  withChange,
  type Item,
  type ItemChange,
  type ItemToSave,
} from "./item.ts";
import type { ItemDetails } from "./item-members.ts";
import { findItem, findItemsByCode, insertItems, updateItems } from "./item-store.ts";

/**
 * Adds an item to the catalogue and returns it.
 * @throws NodalError `item_code_exists` where an item has this code in any case; `validation_failed` for members that contradict each other
 */
export async function createItem({ pool, ids, merchant }: WriteContext, change: ItemChange): Promise<Item> {
  const details = checked(withChange(null, change));
  const itemId = await ids.next();
  return inTransaction(pool, async (connection) => {
    // With the lock, a code that is free stays free.
    await lockMerchant(connection, merchant);
    const holder = (await findItemsByCode(connection, merchant, [details.itemCode])).values().next().value;
    if (holder) throw codeExists(holder);
    const item = newItem(merchant, itemId, details);
    await insertItems(connection, [item]);
    await recordEvents(connection, merchant, [itemEvent(itemId, null, item)]);
    return item;
  });
}

export type ChangeItem = { readonly itemId: bigint; readonly change: ItemChange };

/**
 * Changes the sent members of an item and returns the new item. Documents don't change.
 * @throws NodalError `item_not_found`, `item_code_exists`, or `validation_failed` for members that contradict each other
 */
export async function changeItem({ pool, merchant }: ReadContext, { itemId, change }: ChangeItem): Promise<Item> {
  return inTransaction(pool, async (connection) => {
    await lockMerchant(connection, merchant);
    const before = await findItem(connection, { ...merchant, itemId });
    if (!before) throw itemNotFound();
    const details = checked(withChange(before, change));
    if (isSameItem(before, details)) return before;
    const holder = (await findItemsByCode(connection, merchant, [details.itemCode])).values().next().value;
    if (holder && holder.itemId !== itemId) throw codeExists(holder);
    const after = { ...before, ...details, updatedAt: Temporal.Now.instant() };
    await updateItems(connection, [after]);
    await recordEvents(connection, merchant, [itemEvent(itemId, before, after)]);
    return after;
  });
}

export type ArchiveItem = { readonly itemId: bigint; readonly isArchived: boolean };

/**
 * Archives an item, or restores it. Documents that use it don't change. docs/rules/items.md#archived-items
 * @throws NodalError `item_not_found`
 */
export async function archiveItem({ pool, merchant }: ReadContext, { itemId, isArchived }: ArchiveItem): Promise<Item> {
  return inTransaction(pool, async (connection) => {
    await lockMerchant(connection, merchant);
    const before = await findItem(connection, { ...merchant, itemId });
    if (!before) throw itemNotFound();
    if ((before.archivedAt !== null) === isArchived) return before;
    const now = Temporal.Now.instant();
    const after = { ...before, archivedAt: isArchived ? now : null, updatedAt: now };
    await updateItems(connection, [after]);
    const type = isArchived ? "item.archived" : "item.restored";
    await recordEvents(connection, merchant, [{ type, subjectId: itemId, after: { item_code: after.itemCode } }]);
    return after;
  });
}

/** The numbers of added, changed and unchanged items. */
export type SavedItems = { readonly created: number; readonly changed: number; readonly unchanged: number };

/**
 * Saves a batch of items in one transaction, all or none: an item whose code is known is changed, any other is added.
 * Missing members don't change, so saving the same batch again changes nothing.
 * @throws NodalError `validation_failed`, naming every item at fault
 */
export async function saveItems(
  { pool, ids, merchant }: WriteContext,
  items: readonly ItemToSave[],
): Promise<SavedItems> {
  return inTransaction(pool, async (connection) => {
    await lockMerchant(connection, merchant);
    const codes = items.map(({ change }) => change.itemCode);
    const known = await findItemsByCode(connection, merchant, codes);
    const errors: FieldError[] = [];
    const planned = planItems(items, known, errors);
    if (errors.length > 0) throw validationError(errors);
    const created: Item[] = [];
    for (const { before, details } of planned) {
      if (!before) created.push(newItem(merchant, await ids.next(), details));
    }
    const updatedAt = Temporal.Now.instant();
    const changes = planned.flatMap(({ before, details }) =>
      before && !isSameItem(before, details) ? [{ before, after: { ...before, ...details, updatedAt } }] : [],
    );
    await insertItems(connection, created);
    await updateItems(
      connection,
      changes.map(({ after }) => after),
    );
    await recordEvents(connection, merchant, [
      ...created.map((item) => itemEvent(item.itemId, null, item)),
      ...changes.map(({ before, after }) => itemEvent(after.itemId, before, after)),
    ]);
    return {
      created: created.length,
      changed: changes.length,
      unchanged: items.length - created.length - changes.length,
    };
  });
}

/** An item that a batch would save: its current state, or `null` for a new one, and the new state. */
export type PlannedItem = { readonly before: Item | null; readonly details: ItemDetails };

/** The effect of saving these items; `known` has the merchant's items by the keys of their codes. Adds errors to `errors`. */
export function planItems(
  items: readonly ItemToSave[],
  known: ReadonlyMap<string, Item>,
  errors: FieldError[],
): PlannedItem[] {
  const places = new Map<string, string>();
  return items.map(({ change, path }) => {
    const key = codeKey(change.itemCode);
    const before = known.get(key) ?? null;
    const details = withChange(before, change);
    const prefix = path === "" ? "" : `${path}.`;
    const refuseCode = (problem: string): void => {
      errors.push({ field: `${prefix}item_code`, code: "not_allowed", problem });
    };
    checkItem(details, prefix, errors);
    const first = places.getOrInsert(key, path);
    if (first !== path) refuseCode(`: ${change.itemCode} is that of ${first} too: remove one of the two.`);
    if (before?.archivedAt && !isSameItem(before, details)) {
      refuseCode(`: ${change.itemCode} is archived: restore the item first, or remove it here.`);
    }
    return { before, details };
  });
}

function newItem({ bucket, merchantId }: WriteContext["merchant"], itemId: bigint, details: ItemDetails): Item {
  const now = Temporal.Now.instant();
  return { ...details, bucket, merchantId, itemId, archivedAt: null, createdAt: now, updatedAt: now };
}

function checked(details: ItemDetails): ItemDetails {
  const errors: FieldError[] = [];
  checkItem(details, "", errors);
  if (errors.length > 0) throw validationError(errors);
  return details;
}

function codeExists({ itemCode, archivedAt }: Item): NodalError {
  const remedy = archivedAt ? "restore that item, or send another code" : "change that item, or send another code";
  const whose = archivedAt ? "an archived item" : "an item";
  return fieldRefusal("item_code_exists", "item_code", `: ${itemCode} already belongs to ${whose}: ${remedy}.`);
}

export function itemNotFound(): NodalError {
  return new NodalError(
    "item_not_found",
    "Item not found. Look for it in the list of items, and among the archived ones.",
  );
}
