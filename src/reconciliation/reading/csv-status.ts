// Columns of a bank's table that show whether a line was booked: its status, or that it was reversed.
import type { CsvRecord } from "../../platform/csv.ts";
import { cellAt, dateCell } from "./csv-cells.ts";
import type { Columns } from "./csv-columns.ts";
import { sideInColumn } from "./csv-sides.ts";
import { Problems, unreadable, type DateOrder } from "./statement.ts";
import { isNothing, readAmount, readBalance, readDay } from "./values.ts";

/** Headings in the form of `plain`. */
const STATUS =
  /^(?:transaction|txn|tran|trans|trn|payment|transfer|payout|entry|posting|booking|current|final)?status$/;
/** `State` may be that of a transaction, or one of India's: the words below it decide. */
const STATE = /^(?:transaction|txn|tran|payment|transfer|payout)?state$/;
/** Other headings of a status: the words below them decide. */
const LIKE_STATUS = /status|^(?:txn|tran|transaction|payment)?(?:result|outcome|response)$/;
/** Headings above `Y` or `N` for booked lines, and for lines that weren't booked. */
const DONE = /^(?:is)?(?:success|successful|booked|posted|processed|settled|completed)(?:flag|yn)?$/;
const UNDONE = /^(?:is)?(?:cancell?ed|failed|rejected|declined|void(?:ed)?)(?:flag|yn)?$/;
const REVERSAL = /^(?:is)?(?:reversal|reversed)(?:flag|indicator|yn|status)?$/;

const BOOKED =
  /^(?:success|successful|successfully|succeeded|completed?|processed|book(?:ed)?|settled|paid|posted|cleared|credited|debited|executed|done|ok)(?: (?:successfully|\d+))?$/;
/** A reason follows these words. */
const NOT_BOOKED =
  /^(?:fail(?:ed|ure)?|pending|rejected|declined|cancell?ed|initiated|in ?progress|in process|under process(?:ing)?|processing|queued|scheduled|on hold|held|hold|awaiting|submitted|expired|aborted|timed ?out|timeout|blocked|dropped|void(?:ed)?|created|un(?:successful|paid|processed|settled|cleared|posted|booked)|not (?:successful|paid|processed|completed|settled|cleared|posted|booked))\b/;
/** Money left the account and came back, or never left: other lines of the file decide. */
const REVERSED = /^(?:reversed|reversal|returned|refunded|bounced|dishonou?red)\b/;
const YES = /^(?:y|yes|true|1)$/;
const NO = /^(?:n|no|false|0)$/;
/** The most pairs of lines with the same amount that are compared. */
const MAX_COMPARED = 300_000;
/** Shorter texts are not references. */
const MIN_REFERENCE = 6;

type BookingStatus = "booked" | "not booked" | "reversed";

/**
 * The lines of a table that were not booked, according to a column with their status or one that marks reversals. A reversed line
 * counts if its reversal has its own line, or if the balances show that the money left. docs/rules/reconciliation.md#reading
 * @throws NodalError `validation_failed`, with line and column, for an unknown status
 */
export function findNotBooked(
  records: readonly CsvRecord[],
  columns: Columns,
  order: DateOrder,
): ReadonlySet<CsvRecord> {
  const lines = linesAmong(records, columns, order);
  const readers = readersOf(lines, columns);
  if (readers.length === 0) return new Set();
  const problems = new Problems();
  const standings = lines.map((record) => standingOf(record, columns, { readers, problems }));
  problems.refuse();
  const counted = lines.filter((_, index) => standings[index] !== "not booked");
  const byAmount = Map.groupBy(counted, (record) => amountOf(record, columns));
  let compared = 0;
  const left = lines.filter((record, index) => {
    if (standings[index] !== "reversed") return standings[index] === "not booked";
    if (hasMoved(index, lines, { columns, order })) return false;
    const others = byAmount.get(amountOf(record, columns)) ?? [];
    compared += others.length;
    if (compared > MAX_COMPARED)
      throw unreadable(
        "Too many lines with one amount were reversed.",
        "Split the file by days. Nothing was imported.",
      );
    return !hasLineOfReturn(record, others, columns);
  });
  return new Set(left);
}

/** A record reduced to its day: it moves nothing, and no narration continues below it. */
export function withoutAmount({ line, cells }: CsvRecord, { places }: Columns): CsvRecord {
  return { line, cells: cells.map((cell, place) => (place === places.get("date") ? cell : "")) };
}

/** Reads a cell of a column; `null` for an unknown word. */
type StatusReader = { readonly place: number; readonly read: (written: string) => BookingStatus | null };

function readersOf(lines: readonly CsvRecord[], { headings, places }: Columns): StatusReader[] {
  const taken = new Set(places.values());
  return [...headings.entries()].flatMap(([place, heading]): StatusReader[] => {
    const key = plain(heading).replaceAll(" ", "");
    const written = lines.map((record) => cellAt(record, place)).filter((cell) => !isNothing(cell));
    if (taken.has(place) || written.length === 0) return [];
    if (REVERSAL.test(key)) return [{ place, read: readReversal }];
    if ((DONE.test(key) || UNDONE.test(key)) && written.every((cell) => readYes(cell) !== null)) {
      const isDone = DONE.test(key);
      return [{ place, read: (cell) => (readYes(cell) === isDone ? "booked" : "not booked") }];
    }
    const isKnown = written.some((cell) => readStatus(cell) !== null);
    const hasSides = written.every((cell) => sideInColumn(cell, false) !== null);
    if ((STATUS.test(key) && !hasSides) || ((STATE.test(key) || LIKE_STATUS.test(key)) && isKnown && !hasSides))
      return [{ place, read: readStatus }];
    return [];
  });
}

function standingOf(
  record: CsvRecord,
  { headings }: Columns,
  { readers, problems }: { readonly readers: readonly StatusReader[]; readonly problems: Problems },
): BookingStatus {
  const found = readers.map(({ place, read }): BookingStatus => {
    const written = cellAt(record, place);
    const standing = isNothing(written) ? "booked" : read(written);
    if (standing !== null) return standing;
    const remedy =
      read === readReversal
        ? "was reversed. Write Y or N, or remove the column."
        : "was booked. Write SUCCESS if it was and FAILED if not, or remove the column.";
    problems.add(record.line, headings[place]!, `“${written}” does not say whether the line ${remedy}`);
    return "booked";
  });
  return (["not booked", "reversed"] as const).find((each) => found.includes(each)) ?? "booked";
}

function readStatus(written: string): BookingStatus | null {
  const text = plain(written).replace(/^(?:transaction|txn|payment|transfer|payout) (?:is |was )?/, "");
  if (BOOKED.test(text)) return "booked";
  if (NOT_BOOKED.test(text)) return "not booked";
  return REVERSED.test(text) ? "reversed" : null;
}

function readYes(written: string): boolean | null {
  const text = plain(written);
  return YES.test(text) ? true : NO.test(text) ? false : null;
}

function readReversal(written: string): BookingStatus | null {
  const text = plain(written);
  if (YES.test(text) || REVERSED.test(text)) return "reversed";
  return NO.test(text) || BOOKED.test(text) ? "booked" : null;
}

/** The records with a day and an amount. */
function linesAmong(records: readonly CsvRecord[], columns: Columns, order: DateOrder): CsvRecord[] {
  return records.filter(
    (record) => readDay(dateCell(record, columns), order) !== null && amountOf(record, columns) !== 0n,
  );
}

function amountOf(record: CsvRecord, { places }: Columns): bigint {
  const roles = places.has("debit") && places.has("credit") ? (["debit", "credit"] as const) : (["amount"] as const);
  const amounts = roles.map((role) => readAmount(cellAt(record, places.get(role)))?.paise ?? 0n);
  return amounts.find((paise) => paise !== 0n) ?? 0n;
}

/** Whether another of these lines, all of the same amount, has this line's reference in a cell. */
function hasLineOfReturn(record: CsvRecord, lines: readonly CsvRecord[], columns: Columns): boolean {
  const references = columns.referencePlaces.map((place) => plain(cellAt(record, place)));
  const wanted = references.filter((reference) => reference.length >= MIN_REFERENCE);
  if (wanted.length === 0) return false;
  return lines.some(
    (other) =>
      other !== record && other.cells.some((cell) => wanted.some((reference) => plain(cell).includes(reference))),
  );
}

/** Whether the balance of a line differs from that of the line before it by the line's amount. */
function hasMoved(
  index: number,
  lines: readonly CsvRecord[],
  { columns, order }: { readonly columns: Columns; readonly order: DateOrder },
): boolean {
  const dayAt = (at: number): Temporal.PlainDate => readDay(dateCell(lines.at(at)!, columns), order)!;
  const isNewestFirst = Temporal.PlainDate.compare(dayAt(0), dayAt(-1)) > 0;
  const before = lines[isNewestFirst ? index + 1 : index - 1];
  const balanceOf = (record: CsvRecord): bigint | null => readBalance(cellAt(record, columns.places.get("balance")));
  const [own, earlier] = [balanceOf(lines[index]!), before ? balanceOf(before) : null];
  if (own === null || earlier === null) return false;
  const amount = amountOf(lines[index]!, columns);
  return own - earlier === amount || earlier - own === amount;
}

/** Lower-case letters and digits, with single blanks: `IN_PROGRESS` is `in progress`. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim();
}
