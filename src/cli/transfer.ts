// `nodal transfer`: payouts from a file with their results, and scheduled payouts. Stuck ones are in stuck.ts.
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
  description: "check a CSV file of payouts; with --confirm, request them",
  example: "--file salaries.csv --confirm",
  options: {
    file: option("<path>", "the CSV file; its first line names the columns (docs/bulk.md)", requiredText(4096)),
    dates: option(
      "<order>",
      `${DATE_ORDERS.join(" or ")}: needed if the dates in the file are ambiguous`,
      optional(oneOf(DATE_ORDERS)),
      { named: "date_order" },
    ),
    confirm: flag("request the payouts, if no line has an error"),
    acceptWarnings: flag("with --confirm: request them although an amount may be cut at its comma"),
  },
  check({ confirm, acceptWarnings }, errors) {
    if (acceptWarnings && !confirm) fail(errors, "acceptWarnings", "not_allowed", "needs --confirm.");
  },
  async run(scope, { file, dates, confirm, acceptWarnings }) {
    const bytes = readFileOption(file, MAX_FILE_BYTES);
    const name = file.split("/").at(-1)!.slice(0, 100);
    const sent = { bytes, dateOrder: dates };
    if (!confirm) return preview(scope, sent);
    if (!acceptWarnings && (await needsAcceptance(scope, sent))) return preview(scope, sent);
    const { answer } = await importPayouts(scope, { name, ...sent, acceptsWarnings: acceptWarnings ?? false });
    const { batchId, status, lineCount, total } = answer;
    const record = { batch_id: batchId, batch_status: status, payouts: lineCount, amount: total };
    const waits = status === "awaiting_approval" ? BigInt(batchId) : null;
    return {
      json: record,
      text: paragraphs(
        formatRecord(record),
        waitsForApproval("The batch", waits) ||
          "A running server sends them: `nodal transfer batch` shows the progress.",
      ),
    };
  },
});

type SentFile = Parameters<typeof readPayoutFile>[1];

/** Does a file without errors have a warning that must be accepted first? */
async function needsAcceptance({ pool, merchant }: MerchantScope, file: SentFile): Promise<boolean> {
  const { errors, warnings } = await readPayoutFile({ pool, merchant }, file);
  return errors.length === 0 && warnings.some(({ mustAccept }) => mustAccept);
}

async function preview({ pool, merchant }: MerchantScope, file: SentFile): Promise<Answer> {
  const { rowCount, good, ignored, ...notes } = await readPayoutFile({ pool, merchant }, file);
  const [errors, warnings] = [showNotes(notes.errors), showNotes(notes.warnings)];
  const totalPaise = good.reduce((sum, { payoutRequest }) => sum + payoutRequest.amountPaise, 0n);
  const record = { lines: rowCount, good_lines: good.length, amount_of_good_lines: formatPaise(totalPaise) };
  const hasErrors = errors.length > 0;
  const mustAccept = notes.warnings.some((note) => note.mustAccept);
  const options = mustAccept ? "--confirm and --accept-warnings" : "--confirm";
  return {
    json: { ...record, errors, warnings, ignored },
    text: paragraphs(
      formatRecord(record),
      formatNotes({ errors, warnings, ignored }),
      hasErrors ? "Nothing was changed." : `Nothing was changed. Add ${options} to request these payouts.`,
    ),
    exitCode: hasErrors || mustAccept ? 1 : 0,
  };
}

const batches = merchantCommand({
  description: "list batches of payouts, newest first",
  options: {
    before: ifGiven(BATCH, "only batches before this one"),
    limit: option("<n>", `at most this many; default: ${LISTED}`, optional(wholeNumber(1, LISTED_MAXIMUM))),
  },
  async run({ pool, merchant }, { before, limit }) {
    const found = await listBatchObjects({ pool, merchant }, { before, limit: limit ?? LISTED });
    return listAnswer(found, "No batches.", BATCH_COLUMNS);
  },
});

const batch = merchantCommand({
  description: "show a batch's status and its first unpaid lines; --result writes all lines to a file",
  example: "--batch 1000412 --result result.csv",
  options: {
    batch: BATCH,
    result: option("<path>", "write the outcome of each line to this CSV file", optional(requiredText(4096))),
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
        result === null ? "" : `All lines were written to ${result}.`,
      ),
    };
  },
});

const cancelBatchCommand = merchantCommand({
  description: "cancel the payouts of a batch that were not requested yet",
  example: "--batch 1000412",
  options: { batch: BATCH },
  async run({ pool, merchant }, { batch: batchId }) {
    const cancelled = await cancelBatch({ pool, merchant }, batchId);
    return { json: { cancelled }, text: `${cancelled} payouts were cancelled.` };
  },
});

const scheduled = merchantCommand({
  description: "list scheduled payouts, next first",
  options: { limit: option("<n>", `at most this many; default: ${LISTED}`, optional(wholeNumber(1, LISTED_MAXIMUM))) },
  async run({ pool, merchant }, { limit }) {
    const lines = await listScheduled(pool, merchant, { after: null, limit: limit ?? LISTED });
    const columns = ["scheduled_for", "reference_id", "transfer_id", "beneficiary_id", "amount", "narrative"] as const;
    return listAnswer(describeAll(lines), "No scheduled payouts.", columns);
  },
});

function describeAll(lines: Awaited<ReturnType<typeof listScheduled>>) {
  return lines.map((line) => describeLine(line, mask));
}

const cancel = merchantCommand({
  description: "cancel a scheduled payout, by reference, or an unsent transfer, by id",
  example: "--transfer 1000412",
  options: {
    reference: option("<reference>", "reference of a scheduled payout", optional(requiredText(64)), {
      conflicts: ["transfer"],
    }),
    transfer: ifGiven(id("a transfer's id"), "id of an unsent transfer"),
  },
  check({ reference, transfer }, errors) {
    if (reference !== undefined || transfer !== undefined) return;
    fail(errors, "transfer", "required", "Give --transfer <id> or --reference.");
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
  description: "write a payout's advice as PDF, for the payee: amount, date and UTR",
  example: "--transfer 1000412 --out advice.pdf",
  options: { transfer: id("a transfer's id"), out: OUT },
  async run(scope, { transfer: transferId, out }) {
    const { pool, merchant } = scope;
    const transfer = await findTransfer(pool, { ...merchant, transferId });
    if (!transfer) throw new NodalError("transfer_not_found", "This merchant has no such transfer: check its id.");
    return writePdf(scope, (renderer) => renderPayoutAdvice(renderer, merchant, transfer), out);
  },
});

export const transferCommands = group("batch, scheduled and stuck transfers", {
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
