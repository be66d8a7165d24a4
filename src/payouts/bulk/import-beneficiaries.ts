// Use case: saves the beneficiaries of a CSV file, a few at a time, so that the merchant's other work continues. An import
// that stops at any point can be repeated: existing beneficiaries are left unchanged
// (docs/rules/payouts.md#beneficiaries).
import type { Merchant, WriteContext } from "../../merchants/index.ts";
import { csvFile, csvText } from "../../platform/csv.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { validationError } from "../../platform/errors.ts";
import { mask } from "../../platform/secrets/index.ts";
import type { BeneficiaryDetails } from "../beneficiaries/beneficiary.ts";
import { saveBeneficiaries, type KeptBeneficiary, type NewBeneficiary } from "../beneficiaries/save-beneficiary.ts";
import { asFieldError } from "./file-line.ts";
import { readBeneficiaryFile, type FileBeneficiary } from "./read-beneficiary-file.ts";

/** How many are saved in one transaction; the merchant's other transactions wait meanwhile. */
const SLICE = 50;

export type ImportBeneficiaries = {
  readonly bytes: Uint8Array;
  /** Lines up to this one were imported before; 0 for none. */
  readonly after: number;
  /** How many lines to import; `null` for all. */
  readonly most: number | null;
};

/** The outcome of a line: saved, saved and waiting for approval, or existing before. */
export type ImportedStatus = "SAVED" | "AWAITING_APPROVAL" | "THERE_ALREADY";

export type ImportedLine = {
  readonly line: number;
  readonly details: BeneficiaryDetails;
  readonly beneficiaryId: bigint;
  readonly status: ImportedStatus;
};

export type ImportedBeneficiaries = {
  readonly lines: readonly ImportedLine[];
  /** The line to continue after; `null` at the end of the file. */
  readonly next: number | null;
};

/**
 * Saves the beneficiaries of a file, in its order. A file with any error is refused as a whole.
 * @throws NodalError `validation_failed` with the errors of each line
 */
export async function importBeneficiaries(
  context: WriteContext<Merchant>,
  { bytes, after, most }: ImportBeneficiaries,
): Promise<ImportedBeneficiaries> {
  const { good, errors } = await readBeneficiaryFile(context, { bytes, after });
  if (errors.length > 0) throw validationError(errors.map(asFieldError));
  const open = good
    .filter(({ line }) => line > after)
    // Lines that were imported before are found among the saved beneficiaries, if they still exist.
    .map((each) => ({ ...each, sameAsLine: (each.sameAsLine ?? 0) > after ? each.sameAsLine : null }));
  const now = most === null ? open : open.slice(0, most);
  const done = new Map<number, ImportedLine>();
  for (let first = 0; first < now.length; first += SLICE) {
    for (const each of await importSlice(context, now.slice(first, first + SLICE), done)) done.set(each.line, each);
  }
  return { lines: [...done.values()], next: now.length < open.length ? now.at(-1)!.line : null };
}

async function importSlice(
  { pool, ids, merchant }: WriteContext<Merchant>,
  slice: readonly FileBeneficiary[],
  done: ReadonlyMap<number, ImportedLine>,
): Promise<ImportedLine[]> {
  const fresh = slice.filter(({ savedId, sameAsLine }) => savedId === null && sameAsLine === null);
  const drafted: NewBeneficiary[] = [];
  for (const { details } of fresh) drafted.push({ ...details, beneficiaryId: await ids.next() });
  const kept =
    drafted.length === 0
      ? []
      : await inTransaction(pool, (connection) => saveBeneficiaries({ connection, merchant }, drafted));
  const keptOn = new Map(fresh.map(({ line }, index) => [line, kept[index]!]));
  return slice.map(({ line, details, savedId, sameAsLine }) => {
    const own = keptOn.get(line);
    if (own) return { line, details, beneficiaryId: own.beneficiaryId, status: statusOf(own) };
    const first = sameAsLine === null ? undefined : (keptOn.get(sameAsLine) ?? done.get(sameAsLine));
    return { line, details, beneficiaryId: savedId ?? first!.beneficiaryId, status: "THERE_ALREADY" };
  });
}

function statusOf({ isNew, isPending }: KeptBeneficiary): ImportedStatus {
  if (!isNew) return "THERE_ALREADY";
  return isPending ? "AWAITING_APPROVAL" : "SAVED";
}

/** The outcomes of lines as CSV, with the headings for the first ones. Only the ends of accounts and handles are shown. */
export function importedResult(lines: readonly ImportedLine[], hasHeadings: boolean): string {
  const headings = ["line", "name", "account_number", "ifsc", "upi", "beneficiary_id", "status"];
  const rows = lines.map(({ line, details: { name, accountNumber, ifsc, upi }, beneficiaryId, status }) => [
    String(line),
    name,
    mask(accountNumber ?? ""),
    ifsc ?? "",
    mask(upi ?? ""),
    String(beneficiaryId),
    status,
  ]);
  return hasHeadings ? csvFile([headings, ...rows]) : csvText(rows);
}
