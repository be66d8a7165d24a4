// Routes of the catalogue: the list, one item, new ones, changes, archiving, batches and files.
import { csvFile } from "../platform/csv.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { digitsOrNumber, flag, optional, optionalText } from "../platform/http/fields.ts";
import {
  archiveItem,
  changeItem,
  createItem,
  describeItem,
  findItem,
  ITEM_HEADINGS,
  itemChanges,
  itemFields,
  itemKeyOf,
  itemList,
  itemNotFound,
  MAX_FILE_ITEMS,
  pageItems,
  readItem,
  readItemFile,
  saveItems,
  walkItems,
  type Item,
} from "../items/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { formatInstant } from "../platform/time.ts";
import { fileOf } from "./file-bodies.ts";
import { dashboardRoute, type DashboardScope, type Values } from "./guarded-routes.ts";
import { cutPage, listFileRoute, listRoute, placeField } from "./list-routes.ts";

const view = "items.view";
const manage = "items.manage";
const BATCH_LIMIT_BYTES = 4 * 1024 * 1024;
/** The most errors to show; all are counted. */
const MAX_ERRORS = 1000;
const itemParams = { item_id: digitsOrNumber(16) };

const FILTER_FIELDS = { search: optionalText(200), archived: optional(flag()) };
const list = { url: "/items", summary: "List items", permission: view, filters: FILTER_FIELDS } as const;

/** Adds the routes of the catalogue. */
export function registerItemRoutes(scope: DashboardScope) {
  return [...registerReadRoutes(scope), ...registerWriteRoutes(scope), ...registerFileRoutes(scope)];
}

function registerReadRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...list,
      // The longest code; each character may become three in upper case.
      paging: { after: placeField(135) },
      rowsIn: "items",
      read: async ({ db, merchant, query }, { after, limit }) => {
        const found = await pageItems(db, merchant, readFilter(query), { after, limit: limit + 1 });
        const { rows, next } = cutPage(found, { limit }, itemKeyOf);
        return { rows: rows.map((item) => describe(item, merchant)), next };
      },
    }),
    listFileRoute(scope, {
      ...list,
      read: ({ db, merchant, query }) => ({
        columns: Object.fromEntries(ITEM_HEADINGS.map((name) => [name, (item: Item) => describeItem(item)[name]])),
        rows: walkItems(db, merchant, readFilter(query)),
      }),
    }),
    dashboardRoute(scope, {
      route: "GET /items/:item_id",
      summary: "Read an item",
      permission: view,
      params: itemParams,
      handler: async ({ db, merchant, params }) => {
        const item = await findItem(db, { ...merchant, itemId: BigInt(params.item_id) });
        if (!item) throw itemNotFound();
        return { item: describe(item, merchant) };
      },
    }),
  ];
}

function registerWriteRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  const archiving = (action: "archive" | "restore", summary: string) =>
    dashboardRoute(scope, {
      route: `POST /items/:item_id/${action}`,
      summary,
      permission: manage,
      params: itemParams,
      handler: async ({ db, merchant, params }) => {
        const archive = { itemId: BigInt(params.item_id), isArchived: action === "archive" };
        return { item: describe(await archiveItem({ pool: db, merchant }, archive), merchant) };
      },
    });
  return [
    dashboardRoute(scope, {
      route: "POST /items",
      summary: "Create an item",
      permission: manage,
      body: itemFields,
      handler: async ({ db, merchant, body }) => ({
        item: describe(await createItem({ pool: db, ids, merchant }, readItem(body)), merchant),
      }),
    }),
    dashboardRoute(scope, {
      route: "PUT /items/:item_id",
      summary: "Change an item",
      permission: manage,
      params: itemParams,
      body: itemChanges,
      handler: async ({ db, merchant, params, body }) => {
        const change = { itemId: BigInt(params.item_id), change: readItem(body) };
        return { item: describe(await changeItem({ pool: db, merchant }, change), merchant) };
      },
    }),
    archiving("archive", "Archive an item"),
    archiving("restore", "Restore an archived item"),
    dashboardRoute(scope, {
      route: "POST /items/batch",
      summary: "Save many items by their codes, all or none",
      permission: manage,
      body: { item: itemList() },
      bodyLimitBytes: BATCH_LIMIT_BYTES,
      handler: async ({ db, merchant, body }) => {
        const items = body.item.map((sent, index) => {
          return { change: { ...readItem(sent), itemCode: sent.item_code }, path: `item[${index}]` };
        });
        return saveItems({ pool: db, ids, merchant }, items);
      },
    }),
  ];
}

function registerFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /item-files/sample",
      summary: "Download a sample file of items",
      permission: manage,
      handler: async ({ reply }) => {
        reply.header("content-disposition", 'attachment; filename="items-to-import.csv"');
        return reply.type("text/csv; charset=utf-8").send(csvFile([ITEM_HEADINGS]));
      },
    }),
    dashboardRoute(scope, {
      route: "POST /item-files/preview",
      summary: "Check a file of items",
      once: "changes_nothing",
      permission: manage,
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, request }) => {
        const { lines, good, errors, ignored } = await readItemFile({ pool: db, merchant }, fileOf(request.body));
        return {
          lines,
          good,
          bad_lines: lines - good.length,
          errors: errors.slice(0, MAX_ERRORS),
          more_errors: Math.max(0, errors.length - MAX_ERRORS),
          ignored,
          most_lines: MAX_FILE_ITEMS,
        };
      },
    }),
  ];
}

function readFilter({ search, archived }: Values<typeof FILTER_FIELDS>) {
  return { search: search ?? "", isArchived: archived ?? false };
}

function describe(item: Item, { timeZone }: Merchant) {
  return {
    item_id: String(item.itemId),
    ...describeItem(item),
    archived_at: item.archivedAt && formatInstant(item.archivedAt, timeZone),
    created_at: formatInstant(item.createdAt, timeZone),
    updated_at: formatInstant(item.updatedAt, timeZone),
  };
}
