// `nodal receipt import`: receipts of a CSV file.
import { importReceipts, readReceiptFile, toImportedReceipt, importedReceiptList } from "../invoices/index.ts";
import { DATE_ORDERS } from "../platform/as-typed.ts";
import { fieldRefusal, validationError, type FieldError } from "../platform/errors.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { decoderOf } from "../platform/http/field.ts";
import { oneOf, optional, requiredText } from "../platform/http/fields.ts";
import { flag, merchantCommand, option } from "./command.ts";
import { readFileOption } from "./given-file.ts";
import { formatNotes, formatRecord, paragraphs } from "./output.ts";
import { receiptContext } from "./receipt-context.ts";

const PATH_LENGTH = 4096;
/** The receipts per call of the use case. Each has its own transaction. */
const STEP = 100;

/** Reads a file, or records its receipts. */
export const importReceiptFile = merchantCommand({
  description: "check a CSV file of receipts; with --confirm, record them, each once",
  example: "--file receipts.csv --confirm",
  options: {
    file: option(
      "<path>",
      "the CSV file; its first line names the columns (docs/rules/receipts.md)",
      requiredText(PATH_LENGTH),
    ),
    dateOrder: option(
      "<order>",
      "for dates such as 02/03/2026: day-first or month-first",
      optional(oneOf(DATE_ORDERS)),
      { named: "date_order" },
    ),
    confirm: flag("record the receipts, if no line has an error"),
  },
  async run(scope, { file, dateOrder, confirm }) {
    const { pool, merchant } = scope;
    const bytes = readFileOption(file, MAX_FILE_BYTES);
    const read = await readReceiptFile({ pool, merchant }, { bytes, dateOrder });
    const { lines, good, recorded, errors, warnings, ignored } = read;
    const record = { lines, new: good.length, recorded_before: recorded.length };
    const notes = formatNotes({ errors, warnings, ignored });
    if (!confirm) {
      const isGood = errors.length === 0;
      const hint = isGood ? "Nothing was changed. Add --confirm to record these receipts." : "Nothing was changed.";
      return {
        json: { ...record, errors, warnings, ignored },
        text: paragraphs(formatRecord(record), notes, hint),
        exitCode: isGood ? 0 : 1,
      };
    }
    const [first] = errors;
    if (first) throw fieldRefusal("validation_failed", "file", `Line ${first.line}: ${first.message}`);
    const refused: { readonly line: number; readonly field: string; readonly message: string }[] = [];
    for (let from = 0; from < good.length; from += STEP) {
      const step = good.slice(from, from + STEP);
      const outcomes = await importReceipts(receiptContext(scope), decodeReceipts(step.map(({ receipt }) => receipt)));
      for (const [place, outcome] of outcomes.entries()) {
        if ("message" in outcome)
          refused.push({ line: step[place]!.line, field: outcome.field, message: outcome.message });
      }
    }
    const done = { lines, recorded: good.length - refused.length, recorded_before: recorded.length };
    return {
      json: { ...done, errors: refused },
      text: paragraphs(formatRecord(done), formatNotes({ errors: refused, warnings: [], ignored: [] })),
      exitCode: refused.length === 0 ? 0 : 1,
    };
  },
});

const decode = decoderOf(importedReceiptList());

/** Receipts of a file as the use case takes them: the file's reader has checked each line. */
function decodeReceipts(sent: readonly unknown[]) {
  const errors: FieldError[] = [];
  const receipts = decode(sent, "receipt", errors);
  if (errors.length > 0) throw validationError(errors);
  return receipts.map(toImportedReceipt);
}
