// `nodal statement`: a merchant's ledger entries with running balances, for people, programs and spreadsheets.
// What belongs here: options and what is printed. Reading and naming the entries is in payouts/.
import type { Command } from "commander";
import type { Balances } from "../ledger/index.ts";
import { requireMerchant } from "../merchants/index.ts";
import { readStatement, type StatementEntry, type StatementPeriod } from "../payouts/index.ts";
import { csvLine, type CsvCell } from "../platform/csv.ts";
import { validationError } from "../platform/errors.ts";
import { fail, requiredField } from "../platform/http/field.ts";
import { optional, type Field } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type GivenOptions, type MerchantOption } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

/** Adds `statement`. */
export function registerStatement(program: Command): void {
  program
    .command("statement")
    .description("list a merchant's ledger entries in order, with the balances that each leaves")
    .option("--merchant <id>", "the merchant's id")
    .option("--from <date>", "first day, such as 2026-04-01, in the merchant's time zone")
    .option("--to <date>", "last day, included")
    .option("--csv", "write CSV for a spreadsheet: a line of headings, then one line for each entry")
    .addHelpText("after", example("nodal statement --merchant 1000001 --from 2026-04-01 --to 2026-04-30 --csv"))
    .action(onInstallation(readStatementOptions, writeStatement));
}

type StatementOptions = MerchantOption & { readonly period: StatementPeriod; readonly csv: boolean };

function readStatementOptions(given: GivenOptions): StatementOptions {
  const fields = { merchant: merchantId(), from: optional(calendarDate()), to: optional(calendarDate()) };
  const { merchant, ...period } = optionsOf(fields)(given);
  if (period.from && period.to && Temporal.PlainDate.compare(period.from, period.to) > 0) {
    throw validationError([{ field: "--from", code: "invalid", message: "--from must not be after --to." }]);
  }
  return { merchant, period, csv: given["csv"] === true };
}

async function writeStatement({ pool }: Installation, options: StatementOptions): Promise<Answer> {
  const { period, csv } = options;
  const merchant = await requireMerchant(pool, options.merchant);
  const entries: EntryCells[] = [];
  const { opening, closing } = await readStatement(pool, merchant, period, (entry) => {
    entries.push(cellsOf(entry, merchant.timeZone));
  });
  const head = {
    merchant_id: String(merchant.merchantId),
    from: period.from?.toString() ?? "",
    to: period.to?.toString() ?? "",
    time_zone: merchant.timeZone,
    opening_balance: formatPaise(opening.availablePaise),
    closing_balance: formatPaise(closing.availablePaise),
    opening_ledger_balance: formatPaise(ledgerPaise(opening)),
    closing_ledger_balance: formatPaise(ledgerPaise(closing)),
  };
  // Getters, since a long statement is costly to write out, and only one of the forms is asked for.
  return {
    get json() {
      return { ...head, entries: entries.map(withAmountsAsText) };
    },
    get text() {
      return csv ? toCsv(entries) : toTable(head, entries);
    },
  };
}

/** A calendar date that exists, as decisions.md has it: YYYY-MM-DD. */
function calendarDate(): Field<Temporal.PlainDate | null> {
  const hint = "a date that exists, in the form YYYY-MM-DD";
  return requiredField({ type: "string", format: "date" }, hint, (value, path, errors) => {
    try {
      if (typeof value === "string" && /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value))
        return Temporal.PlainDate.from(value);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    fail(errors, path, "invalid", `must be ${hint}.`);
    return null;
  });
}

/** An entry by column; amounts are bigints, all else is text. */
type EntryCells = Readonly<Record<(typeof COLUMNS)[number], CsvCell>>;

const COLUMNS = [
  "entry_no",
  "posted_at",
  "kind",
  "description",
  "reference",
  "transfer_id",
  "utr",
  "debit_account",
  "credit_account",
  "amount",
  "available_balance",
  "ledger_balance",
] as const;

function cellsOf(entry: StatementEntry, timeZone: string): EntryCells {
  return {
    entry_no: String(entry.entryNo),
    posted_at: formatTimestamp(entry.postedAt, timeZone),
    kind: entry.kind,
    description: entry.description,
    reference: entry.reference ?? "",
    transfer_id: entry.transfer ? String(entry.transfer.transferId) : "",
    utr: entry.transfer?.utr ?? "",
    debit_account: entry.debitAccount,
    credit_account: entry.creditAccount,
    amount: entry.amountPaise,
    available_balance: entry.balances.availablePaise,
    ledger_balance: ledgerPaise(entry.balances),
  };
}

function ledgerPaise({ availablePaise, heldPaise }: Balances): bigint {
  return availablePaise + heldPaise;
}

function withAmountsAsText(cells: EntryCells): Record<string, string> {
  return Object.fromEntries(
    Object.entries(cells).map(([column, cell]) => [column, typeof cell === "bigint" ? formatPaise(cell) : cell]),
  );
}

function toTable(head: Readonly<Record<string, string>>, entries: readonly EntryCells[]): string {
  return `${formatRecord(head)}\n\n${formatTable(entries.map(withAmountsAsText), "There are no entries.")}`;
}

function toCsv(entries: readonly EntryCells[]): string {
  const lines = [csvLine(COLUMNS), ...entries.map((cells) => csvLine(COLUMNS.map((column) => cells[column])))];
  // Every line of CSV ends with CR LF; the LF of the last one is what every command's output ends with.
  return `${lines.join("\r\n")}\r`;
}
