// `nodal customer`: the columns that a merchant defines for its customers.
// What belongs here: options and what is printed. The work is done in customers/.
import type { Command } from "commander";
import { addColumn, COLUMN_TYPES, listColumns, type CustomColumn } from "../customers/index.ts";
import { requireMerchant } from "../merchants/index.ts";
import { oneOf, requiredText } from "../platform/http/fields.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type MerchantOption, type Values } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const ADD_FIELDS = { merchant: merchantId(), name: requiredText(100), type: oneOf(COLUMN_TYPES) };

/** Adds `customer` and its subcommands. */
export function registerCustomer(program: Command): void {
  const column = program
    .command("customer")
    .description("define what merchants keep of their customers")
    .command("column")
    .description("add and list a merchant's own customer columns");

  column
    .command("add")
    .description("add a column; its id is what `custom_fields` names it by")
    .option("--merchant <id>", "the merchant's id")
    .option("--name <text>", "name of the column")
    .option("--type <type>", `what its values are: ${COLUMN_TYPES.join(", ")}`)
    .addHelpText("after", example('nodal customer column add --merchant 1000001 --name "GST number" --type gst'))
    .action(onInstallation(optionsOf(ADD_FIELDS), add));

  column
    .command("list")
    .description("list a merchant's customer columns, oldest first")
    .option("--merchant <id>", "the merchant's id")
    .addHelpText("after", example("nodal customer column list --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), list));
}

async function add({ pool, ids }: Installation, options: Values<typeof ADD_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const json = describe(await addColumn(pool, ids, merchant, options.name, options.type));
  return { json, text: formatRecord(json) };
}

async function list({ pool }: Installation, options: MerchantOption): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const columns = (await listColumns(pool, merchant)).map(describe);
  return { json: columns, text: formatTable(columns, "This merchant has no customer columns.") };
}

function describe({ columnId, name, type }: CustomColumn) {
  return { column_id: String(columnId), name, type };
}
