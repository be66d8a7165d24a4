// `nodal customer`: the columns that a merchant defines for its customers.
import { COLUMN_TYPES, listColumns, saveColumn, type CustomColumn } from "../customers/index.ts";
import { oneOf, requiredText } from "../platform/http/fields.ts";
import { group, merchantCommand, option } from "./command.ts";
import { listAnswer, recordAnswer } from "./output.ts";

const add = merchantCommand({
  description: "add a column; `custom_fields` refers to it by id",
  example: '--name "GST number" --type gst',
  options: {
    name: option("<text>", "name of the column", requiredText(100)),
    type: option("<type>", `type of its values: ${COLUMN_TYPES.join(", ")}`, oneOf(COLUMN_TYPES)),
  },
  run: async (scope, column) => recordAnswer(describe(await saveColumn(scope, column))),
});

const list = merchantCommand({
  description: "list a merchant's customer columns, oldest first",
  run: async ({ pool, merchant }) =>
    listAnswer((await listColumns(pool, merchant)).map(describe), "This merchant has no customer columns."),
});

export const customerCommands = group("define a merchant's own customer columns", {
  column: group("add and list a merchant's own customer columns", { add, list }),
});

function describe({ columnId, name, type }: CustomColumn) {
  return { column_id: String(columnId), name, type };
}
