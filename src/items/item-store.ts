// All SQL of the catalogue.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import { codeKey, ITEM_COLUMNS, type Item } from "./item.ts";

type ItemKey = MerchantKey & { readonly itemId: bigint };
type Stored = Item & { readonly codeKey: string };

const ITEMS = table<Stored, ItemKey>("item", ["bucket", "merchantId", "itemId"], {
  bucket: "smallint",
  merchantId: "bigint",
  itemId: "bigint",
  codeKey: "text",
  ...ITEM_COLUMNS,
  archivedAt: "timestamptz",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
});
const CHANGING = ITEMS.without("createdAt");

const stored = (item: Item): Stored => ({ ...item, codeKey: codeKey(item.itemCode) });

/** Inserts items. The caller has made sure that their codes are free. */
export async function insertItems(connection: Connection, items: readonly Item[]): Promise<void> {
  if (items.length > 0) await ITEMS.insertAll(connection, items.map(stored));
}

/** Saves changed items. The caller has made sure that their codes are free. */
export async function updateItems(connection: Connection, items: readonly Item[]): Promise<void> {
  if (items.length > 0) await CHANGING.updateAll(connection, items.map(stored));
}

/** An item of a merchant; `null` where there is none. */
export function findItem(db: Queryable, { bucket, merchantId, itemId }: ItemKey): Promise<Item | null> {
  return ITEMS.find(db, { bucket, merchantId, itemId });
}

/** A merchant's items by the keys of their codes, archived ones too; codes of no item are left out. */
export async function findItemsByCode(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  codes: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  if (codes.length === 0) return new Map();
  const items = await ITEMS.select(db, {
    name: "find-items-by-code",
    text: "select * from item where bucket = $1 and merchant_id = $2 and code_key = any($3)",
    values: [bucket, merchantId, [...new Set(codes.map(codeKey))]],
  });
  return new Map(items.map((item) => [item.codeKey, item]));
}

export type ItemFilter = {
  /** A part of the code, the name or the HSN/SAC code, in any case; "" for all items. */
  readonly search: string;
  /** Archived items, or those that can be used. */
  readonly isArchived: boolean;
};

/** The start of a page: after the item with this key. */
export type ItemPage = { readonly after: string | null; readonly limit: number };

/** A page of a merchant's items in the order of their codes. */
export async function pageItems(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { search, isArchived }: ItemFilter,
  { after, limit }: ItemPage,
): Promise<Item[]> {
  return ITEMS.select(db, {
    name: `page-items-${isArchived ? "archived" : "used"}`,
    text: `select * from item
      where bucket = $1 and merchant_id = $2 and archived_at is ${isArchived ? "not null" : "null"}
        and ($3::text is null or code_key > $3::text)
        and ($4::text = '' or strpos(customer_fold(item_code), customer_fold($4)) > 0
          or strpos(customer_fold(item.name), customer_fold($4)) > 0 or strpos(sac_code, $4) > 0)
      order by code_key limit $5`,
    values: [bucket, merchantId, after, search, limit],
  });
}

const WALKED = 1000;

/** All items of a filter, in the order of their codes, a page at a time. */
export async function* walkItems(db: Queryable, merchant: MerchantKey, filter: ItemFilter): AsyncGenerator<Item> {
  let after: string | null = null;
  for (;;) {
    const items: Item[] = await pageItems(db, merchant, filter, { after, limit: WALKED });
    yield* items;
    const last = items.at(-1);
    if (!last || items.length < WALKED) return;
    after = itemKeyOf(last);
  }
}

/** The end of a page whose last item is this one. */
export function itemKeyOf({ itemCode }: Pick<Item, "itemCode">): string {
  return codeKey(itemCode);
}
