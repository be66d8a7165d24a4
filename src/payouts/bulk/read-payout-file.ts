// Reads the payouts of a CSV file and the errors of its lines, and requests all of them as a batch.
import {
  refuseUnlessAnswered,
  todayOf,
  type Merchant,
  type ReadContext,
  type Answered,
  type Context,
} from "../../merchants/index.ts";
import type { DateOrder } from "../../platform/as-typed.ts";
import { readCsvTable } from "../../platform/csv-table.ts";
import { csvFile } from "../../platform/csv.ts";
import { validationError, type FieldError } from "../../platform/errors.ts";
import { decoderOf } from "../../platform/http/field.ts";
import { object, optional, textOrNumber } from "../../platform/http/fields.ts";
import { formatPaise } from "../../platform/money.ts";
import { formatTimestamp } from "../../platform/time.ts";
import { findBeneficiaries, findSavedAccounts } from "../beneficiaries/beneficiary-store.ts";
import type { Beneficiary } from "../beneficiaries/beneficiary.ts";
import { refusalOfPayee } from "../make-payout.ts";
import { findTransfersByReferences } from "../transfer-store.ts";
import { lineFields, readLine, requirePayee } from "./batch-routes.ts";
import { findSameFile } from "./batch-store.ts";
import {
  asFieldError,
  inFileOrder,
  notesOfShape,
  readRow,
  warnOfDoubts,
  warnOfShortLines,
  type LineNote,
} from "./file-line.ts";
import { findForeignCurrencies, warnOfIgnoredColumns } from "./ignored-columns.ts";
import { findLinesByReference } from "./line-store.ts";
import { MAX_LINES, payeeKey, type LineRequest } from "./payout-batch.ts";
import { findDayProblem, findDuplicates, hashOfFile, requestBatch, type BatchAnswer } from "./request-batch.ts";

const fileFields = { ...lineFields, reference_id: optional(textOrNumber(64)) };
type Heading = keyof typeof fileFields;
const HEADINGS = Object.keys(fileFields) as Heading[];
const decodeLine = decoderOf(object(fileFields, requirePayee));

/** A valid line, with the name of its payee if that is saved. */
export type FileLine = { readonly line: number; readonly payoutRequest: LineRequest; readonly payeeName: string };

export type PayoutFile = {
  /** How many lines have a payout, valid or not. */
  readonly rowCount: number;
  readonly good: readonly FileLine[];
  /** A file with any error is refused. */
  readonly errors: readonly LineNote[];
  readonly warnings: readonly LineNote[];
  /** Headings of ignored columns. */
  readonly ignored: readonly string[];
};

export type ReadPayouts = {
  readonly bytes: Uint8Array;
  /** The order of day and month that the sender gives for the file's dates; `null` for none. */
  readonly dateOrder: DateOrder | null;
};

/** A file that can be filled in, with an example. */
export function payoutFileSample(): string {
  const example: Readonly<Partial<Record<Heading, string>>> = {
    name: "Asha Rao",
    account_number: "00011020001772",
    ifsc: "HDFC0000001",
    amount: "590.00",
    reference_id: "salary-2026-11-1",
    narrative: "Salary November",
  };
  return csvFile([HEADINGS, HEADINGS.map((heading) => example[heading] ?? "")]);
}

/**
 * Reads a file of payouts.
 * @throws NodalError `validation_failed` for a file that is not CSV, lacks the headings, or is too long; with the field `date_order`
 * for dates that can be read with the day or the month first
 */
export async function readPayoutFile(
  context: ReadContext<Merchant>,
  { bytes, dateOrder }: ReadPayouts,
): Promise<PayoutFile> {
  const { pool, merchant } = context;
  const table = await readCsvTable<Heading>(bytes, {
    items: "payouts",
    maxRows: MAX_LINES,
    columns: HEADINGS.map((heading) => [heading, heading] as const),
    required: ["amount"],
    isDate: (heading) => heading === "scheduled_for",
    dateOrder,
    key: String(merchant.merchantId),
  });
  const { rows, places, misshapen, ignored } = table;
  const errors = notesOfShape(misshapen);
  const lines = rows.flatMap((row) => {
    const decoded = readRow(row, { headings: HEADINGS, places }, decodeLine, errors);
    return decoded ? [{ line: row.line, payoutRequest: readLine(decoded) }] : [];
  });
  const used = await findUsedReferences(context, lines);
  const usedOn = new Set(used.map(({ line }) => line));
  // No other notes about a payout that exists already: it may have been made, even if it would be refused now.
  const fresh = lines.filter(({ line }) => !usedOn.has(line));
  const { payees, notes, warnings } = await lookPayeesUp(context, fresh);
  errors.push(
    ...findForeignCurrencies(table),
    ...used,
    ...findDays(fresh, merchant),
    ...findSameReferences(lines),
    ...notes,
  );
  warnings.push(
    ...warnOfDoubts(table),
    ...warnOfShortLines(table),
    ...warnOfIgnoredColumns(table),
    ...findSimilar(fresh, payees),
  );
  const same = await findSameFile(pool, merchant, hashOfFile(bytes));
  if (same) {
    const when = formatTimestamp(same.addedAt, merchant.timeZone);
    const problem = `The same file was already sent on ${when}, as batch ${same.batchId}: check that batch first.`;
    warnings.unshift({ line: 1, field: "file", problem });
  }
  const bad = new Set(errors.map(({ line }) => line));
  const good = lines
    .filter(({ line }) => !bad.has(line))
    .map(({ line, payoutRequest }) => ({
      line,
      payoutRequest,
      payeeName: payees.get(line)?.name ?? payoutRequest.payeeName,
    }));
  const rowCount = rows.length + misshapen.length;
  return { rowCount, good, errors: inFileOrder(errors), warnings: inFileOrder(warnings), ignored };
}

type ReadLine = { readonly line: number; readonly payoutRequest: LineRequest };

function findDays(lines: readonly ReadLine[], merchant: Merchant): LineNote[] {
  const today = todayOf(merchant);
  return lines.flatMap(({ line, payoutRequest: { scheduledFor } }) => {
    const problem = scheduledFor && findDayProblem(scheduledFor, today);
    return problem ? [{ line, field: "scheduled_for", problem }] : [];
  });
}

function findSameReferences(lines: readonly ReadLine[]): LineNote[] {
  return findDuplicates(lines.map(({ payoutRequest }) => payoutRequest)).map(([first, second]) => {
    const problem = `${lines[second]!.payoutRequest.referenceId} is already used on line ${lines[first]!.line}. Change one of the two.`;
    return { line: lines[second]!.line, field: "reference_id", problem };
  });
}

/** Looks up the saved payees of lines, by line, with notes about them. */
async function lookPayeesUp({ pool, merchant }: ReadContext<Merchant>, lines: readonly ReadLine[]) {
  const { bucket, merchantId } = merchant;
  const byId = lines.filter(({ payoutRequest }) => payoutRequest.beneficiaryId !== null);
  const found = await findBeneficiaries(
    pool,
    byId.map(({ payoutRequest }) => ({ bucket, merchantId, beneficiaryId: payoutRequest.beneficiaryId! })),
  );
  const payees = new Map<number, Beneficiary>();
  const notes: LineNote[] = [];
  for (const [index, { line, payoutRequest }] of byId.entries()) {
    const payee = found[index];
    if (payee) payees.set(line, payee);
    const refusal = payee
      ? refusalOfPayee(payee)?.message
      : `${payoutRequest.beneficiaryId} is not a beneficiary of this merchant: check the list of beneficiaries.`;
    if (refusal) notes.push({ line, field: "beneficiary_id", problem: refusal });
  }
  const fresh = lines.filter(({ payoutRequest }) => payoutRequest.beneficiaryId === null);
  const saved = await findSavedAccounts(
    pool,
    merchant,
    fresh.map(({ payoutRequest }) => payoutRequest),
  );
  const warnings: LineNote[] = [];
  for (const [index, { line, payoutRequest }] of fresh.entries()) {
    const payee = saved[index];
    if (!payee) continue;
    payees.set(line, payee);
    const refusal = refusalOfPayee(payee);
    if (refusal) notes.push({ line, field: "name", problem: refusal.message });
    else if (payee.name.toLowerCase() !== payoutRequest.payeeName.toLowerCase()) {
      const problem = `This payment goes to the saved name “${payee.name}” (${payee.beneficiaryId}); check that it is the right person.`;
      warnings.push({ line, field: "name", problem });
    }
  }
  return { payees, notes, warnings };
}

/** References that are used already. */
async function findUsedReferences({ pool, merchant }: ReadContext<Merchant>, lines: readonly ReadLine[]) {
  const { bucket, merchantId } = merchant;
  const named = lines.filter(({ payoutRequest }) => payoutRequest.referenceId !== null);
  const references = named.map(({ payoutRequest }) => payoutRequest.referenceId!);
  const waiting = await findLinesByReference(pool, merchant, references);
  const made = await findTransfersByReferences(
    pool,
    references.map((referenceId) => ({ bucket, merchantId, referenceId })),
  );
  return named.flatMap(({ line, payoutRequest: { referenceId } }, index): LineNote[] => {
    if (!made[index] && !waiting.has(referenceId!)) return [];
    const problem = `must be new: ${referenceId} already belongs to a payout. Change it, or remove the line.`;
    return [{ line, field: "reference_id", problem }];
  });
}

/** Possible duplicates: lines with the same payee and amount as an earlier one. */
function findSimilar(lines: readonly ReadLine[], payees: ReadonlyMap<number, Beneficiary>): LineNote[] {
  const first = new Map<string, number>();
  return lines.flatMap(({ line, payoutRequest }): LineNote[] => {
    const payee = payees.get(line);
    const key = `${payee ? `#${payee.beneficiaryId}` : payeeKey(payoutRequest)} ${payoutRequest.amountPaise}`;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, line);
      return [];
    }
    const amount = formatPaise(payoutRequest.amountPaise);
    const problem = `Line ${earlier} also pays this payee ${amount}: remove one if it is the same payment.`;
    return [{ line, field: "amount", problem }];
  });
}

const NOT_ACCEPTED: FieldError = {
  field: "accept_warnings",
  code: "required",
  problem: "must be 1 for a file with such warnings: check the lines, then send it again with it.",
};

/** A file with its name. */
export type ImportPayouts = ReadPayouts & {
  readonly name: string;
  /** Whether the user has seen and accepted the file's warnings. */
  readonly acceptsWarnings: boolean;
};

/**
 * Requests all payouts of a file, in its order. A file with any error, or with unaccepted warnings, is refused as a whole. A file that
 * was accepted with the same key gets the same answer again, although its references are used by its own payouts now.
 * @throws NodalError `validation_failed` with each line's errors or warnings to accept; as `requestBatch` does
 */
export async function importPayouts(
  context: Context<Merchant>,
  { name, bytes, dateOrder, acceptsWarnings }: ImportPayouts,
): Promise<Answered<BatchAnswer>> {
  const { good, errors, warnings } = await readPayoutFile(context, { bytes, dateOrder });
  if (errors.length > 0) return refuseUnlessAnswered(context, validationError(errors.map(asFieldError)));
  const open = acceptsWarnings ? [] : warnings.filter(({ mustAccept }) => mustAccept);
  if (open.length > 0) return refuseUnlessAnswered(context, validationError([...open.map(asFieldError), NOT_ACCEPTED]));
  const file = { bytes, lines: good.map(({ line }) => line) };
  return requestBatch(context, { name, file, lines: good.map(({ payoutRequest }) => payoutRequest) });
}
