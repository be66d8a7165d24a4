// Names of a deposit on a statement line, so that it is credited once from any file, account or command.
// docs/rules/payouts.md#deposits
import { dayOfRrn, isUtr } from "../ledger/index.ts";
import type { StatementLine } from "./statement-store.ts";

/** Banks may book a payment some days later. */
const MAX_DAYS_APART = 5;

type NamedLine = Pick<
  StatementLine,
  "bookedOn" | "amountPaise" | "reference" | "narration" | "balancePaise" | "copyNo" | "keys"
>;

/** The bank's own references in a line. */
export function bankReferencesOf({ keys, bookedOn }: Pick<NamedLine, "keys" | "bookedOn">): string[] {
  return keys.split(" ").filter((key) => isUtr(key) || isOfDay(key, bookedOn));
}

/** The names of a deposit besides its reference. Without a bank reference: its day, amount and balance, or else its text. */
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
  const day = dayOfRrn(key);
  return day !== null && Math.abs(day - bookedOn.dayOfYear) <= MAX_DAYS_APART;
}
