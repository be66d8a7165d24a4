// What the pages about items say.
import type { ItemTexts } from "../../../src/items/item-members.ts";
import { UNITS } from "../../../src/platform/units.ts";

export const items = {
  add: "New item",
  importFile: "Import file",
  /** By their names in the API. */
  fields: {
    item_code: "Code",
    name: "Name",
    description: "Description",
    sac_code: "HSN/SAC",
    unit: "Unit",
    unit_price: "Price",
    price_includes_tax: "Price includes tax",
    gst: "GST rate",
    cess_percentage: "Cess %",
    tax_treatment: "Tax treatment",
  } satisfies ItemTexts,
  status: "Status",
  active: "Active",
  archivedOnes: "Archived",
  search: "Search by code, name or HSN/SAC",
  empty: "No items yet",
  emptyHint:
    "Items are what you sell: goods and services with their HSN/SAC code, price and GST rate. Save them once, then choose them when you write an invoice.",
  what: "Item",
  tax: "Price and tax",
  noUnit: "No unit",
  save: "Save",
  saved: "Saved",
  edit: "Edit",
  editTitle: (name: string) => `Edit ${name}`,
  archive: "Archive",
  archiveTitle: (name: string) => `Archive ${name}?`,
  archiveText: "The item leaves the list. Existing documents don't change. You can restore it at any time.",
  archived: "Archived",
  restore: "Restore",
  restored: "Restored",
  isArchived: (day: string) => `Archived on ${day}. Restore the item to use it again.`,
  priceHint: "Per unit, without tax",
  priceWithTaxHint: "Per unit, with tax",
  rateInPrice: (rate: string) => `${rate}% in price`,
  yes: "Yes",
  no: "No",
  added: "Added on",
  changed: "Last changed",
} as const;

/** Units by their codes. */
export const units: Readonly<Record<string, string>> = { ...UNITS };

export const itemImport = {
  title: "Import items",
  hint: "From a CSV file. You review it before anything is saved.",
  limits: "Up to 10,000 items",
  good: (count: number) =>
    count === 1 ? "1 row ready to import" : `${count.toLocaleString("en-IN")} rows ready to import`,
  bad: (count: number) => (count === 1 ? "1 row with errors" : `${count.toLocaleString("en-IN")} rows with errors`),
  ignored: (names: string) => `Ignored columns: ${names}.`,
  more: (count: number) => `${count.toLocaleString("en-IN")} more errors. Correct these first.`,
  importGood: (count: number) => (count === 1 ? "Import 1 item" : `Import ${count.toLocaleString("en-IN")} items`),
  importNone: "Don't import",
  onlyGood: "Rows with errors are skipped. To include them, correct the file and choose it again.",
  progress: (done: number, all: number) =>
    `${done.toLocaleString("en-IN")} of ${all.toLocaleString("en-IN")} items saved`,
  done: (count: number) => (count === 1 ? "1 item imported" : `${count.toLocaleString("en-IN")} items imported`),
  doneHint: "Items with a code that you already had are updated.",
  toList: "View items",
  again: "Try again",
  another: "Import another file",
  rows: "Rows to import",
  outcome: "Result",
  outcomes: { new: "New", changed: "Changed", unchanged: "Unchanged" },
  firstRows: (count: number) => `${count.toLocaleString("en-IN")} more rows`,
} as const;
