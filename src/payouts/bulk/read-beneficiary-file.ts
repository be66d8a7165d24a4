// Query: reads the beneficiaries of a CSV file, and the errors of its lines. Nothing is saved.
import { findPolicy, type Merchant, type ReadContext } from "../../merchants/index.ts";
import { csvFile } from "../../platform/csv.ts";
import { readCsvTable } from "../../platform/csv-table.ts";
import { decoderOf } from "../../platform/http/field.ts";
import { object } from "../../platform/http/fields.ts";
import { readBeneficiaryDetails, requireAccount } from "../beneficiaries/beneficiary-routes.ts";
import { findSavedAccounts } from "../beneficiaries/beneficiary-store.ts";
import { beneficiaryRecord, type Beneficiary, type BeneficiaryDetails } from "../beneficiaries/beneficiary.ts";
import { inFileOrder, notesOfShape, readRow, warnOfShortLines, type LineNote } from "./file-line.ts";

/** How many beneficiaries a file may have. */
const MAX_BENEFICIARIES = 5000;

const HEADINGS = beneficiaryRecord.names;
type Heading = (typeof HEADINGS)[number];
const decodeLine = decoderOf(object(beneficiaryRecord.fields, requireAccount));

/** A valid line. */
export type FileBeneficiary = {
  readonly line: number;
  readonly details: BeneficiaryDetails;
  /** The id of the saved beneficiary with this account and handle, if there is one; nothing is saved then. */
  readonly savedId: bigint | null;
  /** The earlier line with the same account and handle, if there is one; both are one beneficiary. */
  readonly sameAsLine: number | null;
};

export type BeneficiaryFile = {
  /** How many lines have a beneficiary, valid or not. */
  readonly rowCount: number;
  readonly good: readonly FileBeneficiary[];
  /** A file with any error is refused. */
  readonly errors: readonly LineNote[];
  readonly warnings: readonly LineNote[];
  /** Headings of ignored columns. */
  readonly ignored: readonly string[];
  /** Whether new ones have to be approved before they can be paid. */
  readonly mustWait: boolean;
};

/** A file, and the last line that is known to be saved. Only later lines are compared with saved beneficiaries. */
export type ReadBeneficiaryFile = { readonly bytes: Uint8Array; readonly after: number };

/** A file that can be filled in, with two examples. */
export function beneficiaryFileSample(): string {
  const examples: Readonly<Partial<Record<Heading, string>>>[] = [
    { name: "Asha Rao", account_number: "00011020001772", ifsc: "HDFC0000001", email_id: "asha@example.com" },
    { name: "Uma Iyer", upi: "uma@upi", mobile: "9876543210" },
  ];
  return csvFile([HEADINGS, ...examples.map((example) => HEADINGS.map((heading) => example[heading] ?? ""))]);
}

/**
 * Reads a file of beneficiaries.
 * @throws NodalError `validation_failed` for a file that is not CSV, lacks the headings, or is too long
 */
export async function readBeneficiaryFile(
  { pool, merchant }: ReadContext<Merchant>,
  { bytes, after }: ReadBeneficiaryFile,
): Promise<BeneficiaryFile> {
  const table = await readCsvTable<Heading>(bytes, {
    items: "beneficiaries",
    maxRows: MAX_BENEFICIARIES,
    columns: HEADINGS.map((heading) => [heading, heading] as const),
    required: ["name"],
    key: String(merchant.merchantId),
  });
  const { rows, places, misshapen, ignored } = table;
  const errors = notesOfShape(misshapen);
  const warnings = warnOfShortLines(table);
  const lines = rows.flatMap((row): ReadLine[] => {
    const decoded = readRow(row, { headings: HEADINGS, places }, decodeLine, errors);
    return decoded ? [{ line: row.line, details: readBeneficiaryDetails(decoded) }] : [];
  });
  const open = lines.filter(({ line }) => line > after);
  const accounts = open.map(({ details }) => details);
  const saved = await findSavedAccounts(pool, merchant, accounts);
  const savedAt = new Map(open.map(({ line }, index) => [line, saved[index] ?? null]));
  const good: FileBeneficiary[] = [];
  const before = new SeenLines();
  for (const each of lines) {
    const found = savedAt.get(each.line) ?? null;
    const earlier = before.findAndAdd(each);
    const mixed = findMixture(each, found, earlier);
    if (mixed) errors.push(mixed);
    else {
      const same = earlier[0] ?? null;
      warnings.push(...findRemarks(each, found, same));
      good.push({ ...each, savedId: found?.beneficiaryId ?? null, sameAsLine: same?.line ?? null });
    }
  }
  const { approvePayees: mustWait } = await findPolicy(pool, merchant);
  return {
    rowCount: rows.length + misshapen.length,
    good,
    ignored,
    mustWait,
    errors: inFileOrder(errors),
    warnings: inFileOrder(warnings),
  };
}

type ReadLine = Pick<FileBeneficiary, "line" | "details">;
type Account = Pick<Beneficiary, "accountNumber" | "ifsc" | "upi">;

/** The lines so far, by account and by handle. */
class SeenLines {
  readonly #first = new Map<string, ReadLine>();

  /** The lines that first had this line's account or its handle: none, one, or two. */
  findAndAdd(line: ReadLine): readonly ReadLine[] {
    const { accountNumber, ifsc, upi } = line.details;
    const keys = [accountNumber === null ? "" : `${accountNumber} ${ifsc}`, upi === null ? "" : `upi ${upi}`];
    const found = new Set<ReadLine>();
    for (const key of keys.filter((each) => each !== "")) {
      const first = this.#first.get(key);
      if (first) found.add(first);
      else this.#first.set(key, line);
    }
    return [...found];
  }
}

/** Whether `there` has this account and this handle, as far as they are given. */
function hasAllOf(there: Account, { accountNumber, ifsc, upi }: Account): boolean {
  const hasAccount = accountNumber === null || (there.accountNumber === accountNumber && there.ifsc === ifsc);
  return hasAccount && (upi === null || there.upi === upi);
}

/** The error for a line whose account and handle belong to different beneficiaries: neither may be dropped silently. */
function findMixture(
  { line, details }: ReadLine,
  saved: Beneficiary | null,
  earlier: readonly ReadLine[],
): LineNote | null {
  const whose = (one: Account, who: string): LineNote => {
    const field = details.upi !== null && one.upi === details.upi ? "upi" : "account_number";
    const [has, other] = field === "upi" ? ["handle", "account"] : ["account", "handle"];
    const problem = `${who} already has this ${has}, without this ${other}: use a separate line for each.`;
    return { line, field, problem };
  };
  if (saved && !hasAllOf(saved, details)) return whose(saved, `Beneficiary ${saved.beneficiaryId}`);
  const other = earlier.find((each) => !hasAllOf(each.details, details));
  return other ? whose(other.details, `Line ${other.line}`) : null;
}

/** Warnings about duplicates in the file, and about accounts that are saved under another name. */
function findRemarks({ line, details }: ReadLine, saved: Beneficiary | null, same: ReadLine | null): LineNote[] {
  const remarks: LineNote[] = [];
  const what = details.accountNumber === null ? "handle" : "account";
  if (same) {
    const problem = `Line ${same.line} has the same ${what}: both lines are one beneficiary.`;
    remarks.push({ line, field: what === "handle" ? "upi" : "account_number", problem });
  }
  const name = saved?.name ?? same?.details.name ?? details.name;
  if (name.toLowerCase() !== details.name.toLowerCase()) {
    const who = saved ? `Beneficiary ${saved.beneficiaryId}` : `Line ${same!.line}`;
    const problem = `${who} has this ${what} with the saved name “${name}”, which is kept; check that it is the right person.`;
    remarks.push({ line, field: "name", problem });
  }
  return remarks;
}
