// `nodal item`: list, export and import a merchant's catalogue.
import { describeItem, importItems, ITEM_HEADINGS, readItemFile, walkItems, type Item } from "../items/index.ts";
import { csvFile } from "../platform/csv.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { optionalText, requiredText } from "../platform/http/fields.ts";
import { flag, group, merchantCommand, option, type MerchantScope } from "./command.ts";
import { readFileOption, writeResult } from "./given-file.ts";
import { formatNotes, formatRecord, formatTable, paragraphs, type Answer } from "./output.ts";

const PATH_LENGTH = 4096;
const COLUMNS = ["item_id", "item_code", "name", "sac_code", "unit", "unit_price", "gst"] as const;

const importFile = merchantCommand({
  description: "check a CSV file of items; with --confirm, add and change them by their codes",
  example: "--file items.csv --confirm",
  options: {
    file: option(
      "<path>",
      "the CSV file; its first line names the columns (docs/rules/items.md)",
      requiredText(PATH_LENGTH),
    ),
    confirm: flag("save the items, if no line has an error"),
  },
  async run(scope, { file, confirm }) {
    const bytes = readFileOption(file, MAX_FILE_BYTES);
    if (!confirm) return preview(scope, bytes);
    const record = await importItems(scope, bytes);
    return { json: record, text: formatRecord(record) };
  },
});

async function preview({ pool, merchant }: MerchantScope, bytes: Buffer): Promise<Answer> {
  const { lines, good, errors, ignored } = await readItemFile({ pool, merchant }, bytes);
  const count = (wanted: string): number => good.filter(({ outcome }) => outcome === wanted).length;
  const record = { lines, new: count("new"), changed: count("changed"), unchanged: count("unchanged") };
  const isGood = errors.length === 0;
  return {
    json: { ...record, errors, ignored },
    text: paragraphs(
      formatRecord(record),
      formatNotes({ errors, warnings: [], ignored }),
      isGood ? "Nothing was changed. Add --confirm to save these items." : "Nothing was changed.",
    ),
    exitCode: isGood ? 0 : 1,
  };
}

const exportFile = merchantCommand({
  description: "write a merchant's items to a CSV file that can be imported again",
  example: "--file items.csv",
  options: {
    file: option("<path>", "the CSV file to write", requiredText(PATH_LENGTH)),
    archived: flag("archived items, instead of those in use"),
  },
  async run({ pool, merchant }, { file, archived }) {
    const rows: string[][] = [];
    for await (const item of walkItems(pool, merchant, { search: "", isArchived: archived ?? false })) {
      const texts = describeItem(item);
      rows.push(ITEM_HEADINGS.map((name) => texts[name]));
    }
    writeResult(file, csvFile([ITEM_HEADINGS, ...rows]));
    const record = { items: rows.length, file };
    return { json: record, text: formatRecord(record) };
  },
});

const list = merchantCommand({
  description: "list a merchant's items in the order of their codes",
  options: {
    search: option("<text>", "a part of the code, the name or the HSN/SAC code", optionalText(200)),
    archived: flag("archived items, instead of those in use"),
  },
  async run({ pool, merchant }, { search, archived }) {
    const items: ReturnType<typeof describe>[] = [];
    for await (const item of walkItems(pool, merchant, { search: search ?? "", isArchived: archived ?? false })) {
      items.push(describe(item));
    }
    return { json: items, text: formatTable(items, "This merchant has no items.", COLUMNS) };
  },
});

export const itemCommands = group("list, import and export a merchant's items", {
  list,
  import: importFile,
  export: exportFile,
});

function describe(item: Item) {
  return { item_id: String(item.itemId), ...describeItem(item), archived: item.archivedAt ? "1" : "0" };
}
