// `nodal beneficiary import`: beneficiaries from a CSV file.
import {
  importBeneficiaries,
  importedResult,
  readBeneficiaryFile,
  showNotes,
  type ImportedLine,
} from "../payouts/index.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { fail } from "../platform/http/field.ts";
import { optional, requiredText } from "../platform/http/fields.ts";
import { flag, merchantCommand, option, type MerchantScope } from "./command.ts";
import { readFileOption, writeResult } from "./given-file.ts";
import { formatNotes, formatRecord, formatTable, paragraphs, type Answer } from "./output.ts";

const SHOWN = 50;
const PATH_LENGTH = 4096;
const COLUMNS = ["line", "name", "beneficiary_id", "status"] as const;

/** Checks a file, or saves its beneficiaries. */
export const importBeneficiaryFile = merchantCommand({
  description: "check a CSV file of beneficiaries; with --confirm, save them",
  example: "--file staff.csv --confirm",
  options: {
    file: option("<path>", "the CSV file; its first line names the columns (docs/bulk.md)", requiredText(PATH_LENGTH)),
    confirm: flag("save the new ones, if no line has an error"),
    result: option("<path>", "write the ids of all lines to this CSV file", optional(requiredText(PATH_LENGTH))),
  },
  check({ confirm, result }, errors) {
    if (result === undefined || confirm) return;
    fail(errors, "result", "not_allowed", "needs --confirm, as ids are created only then.");
  },
  async run(scope, { file, confirm, result }) {
    const bytes = readFileOption(file, MAX_FILE_BYTES);
    if (!confirm) return preview(scope, bytes);
    const { lines } = await importBeneficiaries(scope, { bytes, after: 0, most: null });
    if (result !== null) writeResult(result, importedResult(lines, true));
    const count = (status: ImportedLine["status"]): number => lines.filter((line) => line.status === status).length;
    const waiting = count("AWAITING_APPROVAL");
    const record = {
      lines: lines.length,
      saved: count("SAVED") + waiting,
      awaiting_approval: waiting,
      there_already: count("THERE_ALREADY"),
    };
    const described = lines.map(describe);
    return {
      json: { ...record, beneficiaries: described },
      text: paragraphs(
        formatRecord(record),
        formatTable(described.slice(0, SHOWN), "", COLUMNS),
        lines.length > SHOWN ? `Showing the first ${SHOWN} lines.` : "",
        result === null ? "" : `All lines were written to ${result}.`,
        waiting === 0
          ? ""
          : "Those that need approval can be paid once a second approver has approved them: `nodal approval list`.",
      ),
    };
  },
});

async function preview({ pool, merchant }: MerchantScope, bytes: Buffer): Promise<Answer> {
  const file = await readBeneficiaryFile({ pool, merchant }, { bytes, after: 0 });
  const { rowCount, good, ignored, mustWait } = file;
  const [errors, warnings] = [showNotes(file.errors), showNotes(file.warnings)];
  const there = good.flatMap(({ line, details: { name }, savedId }) =>
    savedId === null ? [] : [{ line, name, beneficiary_id: String(savedId) }],
  );
  const fresh = good.filter(({ savedId, sameAsLine }) => savedId === null && sameAsLine === null).length;
  const record = { lines: rowCount, good_lines: good.length, to_be_saved: fresh, there_already: there.length };
  const isGood = errors.length === 0;
  return {
    json: { ...record, errors, warnings, there, ignored },
    text: paragraphs(
      formatRecord(record),
      formatNotes({ errors, warnings, ignored }),
      there.length === 0 ? "" : `Already saved, and not changed:\n${formatTable(there.slice(0, SHOWN), "")}`,
      isGood && mustWait ? "Each new beneficiary needs a second approver before it can be paid." : "",
      isGood ? "Nothing was changed. Add --confirm to save these beneficiaries." : "Nothing was changed.",
    ),
    exitCode: isGood ? 0 : 1,
  };
}

function describe({ line, details: { name }, beneficiaryId, status }: ImportedLine) {
  return { line, name, beneficiary_id: String(beneficiaryId), status };
}
