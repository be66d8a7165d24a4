// What names a deposit in a line of a statement, so that it is credited once whatever file, account or command it comes from.
// docs/rules/payouts.md#deposits
import type { StatementLine } from "./statement-store.ts";

/** UTRs of NEFT and RTGS: 16 to 22 letters and digits, the bank first. */
const UTR = /^(?=.{16,22}$)[A-Z]{3}[A-Z0-9]{1,6}\d{8,}$/;
/** Of IMPS and UPI: the last digit of the year, the day of the year, the hour, and a number. */
const RRN = /^\d(\d{3})\d{8}$/;
/** Banks may book a payment some days after it was made. */
const DAYS_APART = 5;

type NamedLine = Pick<
  StatementLine,
  "bookedOn" | "amountPaise" | "reference" | "narration" | "balancePaise" | "copyNo" | "keys"
>;

/** The bank's own references in a line. */
export function bankReferencesOf({ keys, bookedOn }: Pick<NamedLine, "keys" | "bookedOn">): string[] {
  return keys.split(" ").filter((key) => UTR.test(key) || isOfDay(key, bookedOn));
}

/** The names of a deposit beside its reference. One without any is named by its day, amount and balance, or else its text. */
export function depositNamesOf(line: NamedLine): string[] {
  const references = bankReferencesOf(line);
  if (line.reference || references.length > 0) return references;
  const { bookedOn, amountPaise, balancePaise, narration, copyNo } = line;
  const what =
    balancePaise === null
      ? ["text", (narration ?? "").toUpperCase().replaceAll(/\s+/g, ""), copyNo]
      : ["balance", String(balancePaise)];
  return [`line ${JSON.stringify([bookedOn.toString(), String(amountPaise), ...what])}`];
}

function isOfDay(key: string, bookedOn: Temporal.PlainDate): boolean {
  const day = Number(RRN.exec(key)?.[1] ?? Number.NaN);
  return Math.abs(day - bookedOn.dayOfYear) <= DAYS_APART;
}
