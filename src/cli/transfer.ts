// `nodal transfer`: payouts of a file, and what became of them; payouts of later days. Those that are stuck are in stuck.ts.
import { renderPayoutAdvice } from "../documents/index.ts";
import {
  batchResult,
  cancelBatch,
  cancelScheduled,
  cancelTransfer,
  describeLine,
  findTransfer,
  importPayouts,
  listBatchObjects,
  listScheduled,
  readBatch,
  readPayoutFile,
  showNotes,
  wireStatus,
} from "../payouts/index.ts";
import { DATE_ORDERS } from "../platform/as-typed.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { NodalError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { oneOf, optional, requiredText, wholeNumber } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import { flag, group, id, ifGiven, merchantCommand, option, type MerchantScope } from "./command.ts";
import { readFileOption, writeResult } from "./given-file.ts";
import { OUT, writePdf } from "./invoice-options.ts";
import {
  formatNotes,
  formatRecord,
  formatTable,
  listAnswer,
  paragraphs,
  waitsForApproval,
  type Answer,
} from "./output.ts";
import { listStuck, resolveStuck } from "./stuck.ts";

const LISTED = 50;
const LISTED_MAXIMUM = 1000;
const BATCH = id("a batch's id, which `nodal transfer batches` shows");
const LINE_COLUMNS = ["line", "reference_id", "name", "amount", "status", "transfer_id", "utr", "reason"] as const;
const BATCH_COLUMNS = ["batch_id", "name", "batch_status", "payouts", "amount", "added_at"] as const;

const importFile = merchantCommand({
  description: "read a CSV file of payouts and say what is wrong with which line; with --confirm, ask for them",
  example: "--file salaries.csv --confirm",
  options: {
    file: option("<path>", "the CSV file; its first line names the columns (docs/bulk.md)", requiredText(4096)),
    dates: option(
      "<order>",
      `${DATE_ORDERS.join(" or ")}: asked for where the file's dates don't show it`,
      optional(oneOf(DATE_ORDERS)),
      { named: "date_order" },
    ),
    confirm: flag("ask for the payouts, where nothing is wrong with any line"),
  },
  async run(scope, { file, dates, confirm }) {
    const bytes = readFileOption(file, MAX_FILE_BYTES);
    const name = file.split("/").at(-1)!.slice(0, 100);
    if (!confirm) return preview(scope, { bytes, dateOrder: dates });
    const { answer } = await importPayouts(scope, { name, bytes, dateOrder: dates });
    const { batchId, status, lineCount, total } = answer;
    const record = { batch_id: batchId, batch_status: status, payouts: lineCount, amount: total };
    const waits = status === "awaiting_approval" ? BigInt(batchId) : null;
    return {
      json: record,
      text: paragraphs(
        formatRecord(record),
        waitsForApproval("The batch", waits) ||
          "A running server makes them: `nodal transfer batch` shows how far it is.",
      ),
    };
  },
});

async function preview({ pool, merchant }: MerchantScope, file: Parameters<typeof readPayoutFile>[1]): Promise<Answer> {
  const { rowCount, good, ignored, ...notes } = await readPayoutFile({ pool, merchant }, file);
  const [errors, warnings] = [showNotes(notes.errors), showNotes(notes.warnings)];
  const totalPaise = good.reduce((sum, { payoutRequest }) => sum + payoutRequest.amountPaise, 0n);
  const record = { lines: rowCount, good_lines: good.length, amount_of_good_lines: formatPaise(totalPaise) };
  const isGood = errors.length === 0;
  return {
    json: { ...record, errors, warnings, ignored },
    text: paragraphs(
      formatRecord(record),
      formatNotes({ errors, warnings, ignored }),
      isGood ? "Nothing was changed. Add --confirm to ask for these payouts." : "Nothing was changed.",
    ),
    exitCode: isGood ? 0 : 1,
  };
}

const batches = merchantCommand({
  description: "list batches of payouts, the newest first",
  options: {
    before: ifGiven(BATCH, "go on before the batch of this id"),
    limit: option("<n>", `how many; ${LISTED} without it`, optional(wholeNumber(1, LISTED_MAXIMUM))),
  },
  async run({ pool, merchant }, { before, limit }) {
    const found = await listBatchObjects({ pool, merchant }, { before, limit: limit ?? LISTED });
    return listAnswer(found, "There are no batches.", BATCH_COLUMNS);
  },
});

const batch = merchantCommand({
  description: "show how a batch stands, and its first lines that were not paid; --result writes all lines to a file",
  example: "--batch 1000412 --result result.csv",
  options: {
    batch: BATCH,
    result: option("<path>", "where to write what became of each line, as CSV", optional(requiredText(4096))),
  },
  async run({ pool, merchant }, { batch: batchId, result }) {
    const context = { pool, merchant };
    const { batch: found, lines } = await readBatch(context, { batchId, after: 0, limit: LISTED_MAXIMUM });
    if (result !== null) writeResult(result, await batchResult(context, batchId));
    const { outcomes, ...record } = found;
    const unpaid = lines.map((line) => describeLine(line, mask)).filter(({ status }) => status !== "SUCCESS");
    const counts = Object.entries(outcomes).map(([status, each]) => ({ status, ...each! }));
    return {
      json: found,
      text: paragraphs(
        formatRecord(record),
        formatTable(counts, ""),
        unpaid.length === 0 ? "" : formatTable(unpaid.slice(0, LISTED), "", LINE_COLUMNS),
        result === null ? "" : `All lines are in ${result}.`,
      ),
    };
  },
});

const cancelBatchCommand = merchantCommand({
  description: "cancel what has not been requested of a batch",
  example: "--batch 1000412",
  options: { batch: BATCH },
  async run({ pool, merchant }, { batch: batchId }) {
    const cancelled = await cancelBatch({ pool, merchant }, batchId);
    return { json: { cancelled }, text: `${cancelled} payouts were cancelled.` };
  },
});

const scheduled = merchantCommand({
  description: "list payouts that wait for a later day, the next first",
  options: { limit: option("<n>", `how many; ${LISTED} without it`, optional(wholeNumber(1, LISTED_MAXIMUM))) },
  async run({ pool, merchant }, { limit }) {
    const lines = await listScheduled(pool, merchant, { after: null, limit: limit ?? LISTED });
    const columns = ["scheduled_for", "reference_id", "transfer_id", "beneficiary_id", "amount", "narrative"] as const;
    return listAnswer(describeAll(lines), "No payout waits for a later day.", columns);
  },
});

function describeAll(lines: Awaited<ReturnType<typeof listScheduled>>) {
  return lines.map((line) => describeLine(line, mask));
}

const cancel = merchantCommand({
  description:
    "cancel a payout of a later day, by its reference, or a transfer that waits and was never sent, by its id",
  example: "--transfer 1000412",
  options: {
    reference: option("<reference>", "of a payout of a later day", optional(requiredText(64)), {
      conflicts: ["transfer"],
    }),
    transfer: ifGiven(id("a transfer's id"), "the id of a transfer that waits"),
  },
  check({ reference, transfer }, errors) {
    if (reference !== undefined || transfer !== undefined) return;
    fail(errors, "transfer", "required", "Say which one: --transfer <id>, or --reference.");
  },
  async run({ pool, merchant }, { reference, transfer }) {
    if (transfer !== null) {
      const { state, reason } = await cancelTransfer({ pool, merchant }, transfer);
      const json = { transfer_id: String(transfer), status: wireStatus(state), reason };
      return { json, text: "The transfer was cancelled." };
    }
    const { transferId } = await cancelScheduled({ pool, merchant }, reference!);
    return { json: { transfer_id: String(transferId) }, text: "The payout was cancelled." };
  },
});

const advice = merchantCommand({
  description: "write the advice of a payout as PDF, for its payee: what was paid, when and under which UTR",
  example: "--transfer 1000412 --out advice.pdf",
  options: { transfer: id("a transfer's id"), out: OUT },
  async run(scope, { transfer: transferId, out }) {
    const { pool, merchant } = scope;
    const transfer = await findTransfer(pool, { ...merchant, transferId });
    if (!transfer) throw new NodalError("transfer_not_found", "This merchant has no such transfer: check its id.");
    return writePdf(scope, (renderer) => renderPayoutAdvice(renderer, merchant, transfer), out);
  },
});

export const transferCommands = group("payouts of a file, of later days, and such as are stuck", {
  list: listStuck,
  resolve: resolveStuck,
  import: importFile,
  batches,
  batch,
  "cancel-batch": cancelBatchCommand,
  scheduled,
  cancel,
  advice,
});
