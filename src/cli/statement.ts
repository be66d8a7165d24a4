// `nodal statement`: a merchant's ledger entries with running balances, for people, programs and spreadsheets, and as PDF.
import { renderStatementPdf } from "../documents/index.ts";
import { todayOf } from "../merchants/index.ts";
import { collectStatementLines, readStatement, statementColumns } from "../payouts/index.ts";
import { csvFile, type CsvCell } from "../platform/csv.ts";
import { fail, readOnlyField } from "../platform/http/field.ts";
import { optional, type Field } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { flag, ifGiven, merchantCommand, option } from "./command.ts";
import { OUT, writePdf } from "./invoice-options.ts";
import { formatRecord, formatTable, paragraphs } from "./output.ts";

export const statement = merchantCommand({
  description: "list a merchant's ledger entries in order, with the balances after each",
  example: "--from 2026-04-01 --to 2026-04-30 --csv",
  options: {
    from: option("<date>", "first day, such as 2026-04-01, in the merchant's time zone", optional(calendarDate())),
    to: option("<date>", "last day, included", optional(calendarDate())),
    csv: flag("write CSV for a spreadsheet, with headings and one line per entry"),
    pdf: {
      ...ifGiven(OUT, "write a PDF with one line per payout; an existing file is replaced"),
      conflicts: ["csv"],
    },
  },
  check({ from, to }, errors) {
    if (errors.length === 0 && typeof from === "string" && typeof to === "string" && from > to) {
      fail(errors, "from", "invalid", "must not be after --to.");
    }
  },
  async run(scope, { csv, pdf, ...period }) {
    const { merchant } = scope;
    if (pdf !== null) {
      const found = await collectStatementLines(scope, period);
      const statement = { ...found, period, today: todayOf(merchant) };
      return writePdf(scope, (renderer) => renderStatementPdf(renderer, merchant, statement), pdf);
    }
    const columns = Object.entries(statementColumns(merchant.timeZone));
    const entries: CsvCell[][] = [];
    const { opening, closing } = await readStatement(scope, {
      ...period,
      onEntry: (entry) => entries.push(columns.map(([, cellOf]) => cellOf(entry))),
    });
    const head = {
      merchant_id: String(merchant.merchantId),
      from: period.from?.toString() ?? "",
      to: period.to?.toString() ?? "",
      time_zone: merchant.timeZone,
      opening_balance: formatPaise(opening.availablePaise),
      closing_balance: formatPaise(closing.availablePaise),
      opening_ledger_balance: formatPaise(opening.availablePaise + opening.heldPaise),
      closing_ledger_balance: formatPaise(closing.availablePaise + closing.heldPaise),
    };
    const asText = (cells: readonly CsvCell[]): Record<string, string> =>
      Object.fromEntries(
        columns.map(([name], index) => {
          const cell = cells[index]!;
          return [name, typeof cell === "bigint" ? formatPaise(cell) : cell];
        }),
      );
    // Getters, since a long statement is costly to format, and only one form is used.
    return {
      get json() {
        return { ...head, entries: entries.map(asText) };
      },
      get text() {
        // Every CSV line ends with CR LF; the last LF is the one that every command's output ends with.
        if (csv) return csvFile([columns.map(([name]) => name), ...entries]).slice(0, -1);
        return paragraphs(formatRecord(head), formatTable(entries.map(asText), "No entries."));
      },
    };
  },
});

/** A calendar date that exists, YYYY-MM-DD: docs/rules/values-and-errors.md#dates-and-times. */
function calendarDate(): Field<Temporal.PlainDate | null> {
  const hint = "a date that exists, in the form YYYY-MM-DD";
  return readOnlyField({ type: "string", format: "date" }, hint, (value, path, errors) => {
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
