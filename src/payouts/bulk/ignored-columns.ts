// Columns of a payout file that Nodal does not use, but that say something about the money.
import type { CsvRecord } from "../../platform/csv.ts";
import type { CsvTable } from "../../platform/csv-table.ts";
import { excerpt } from "../../platform/excerpt.ts";
import type { LineNote } from "./file-line.ts";

/** Headings as `plain` has them. */
const CURRENCY =
  /^(?:(?:amount|payment|payout|transfer|transaction|txn|target|account) )?(?:currency|ccy|curr?)(?: code)?$/;
const MONEY =
  /\b(?:amounts?|amt|net|gross|total|payable|tds|tcs|tax|gst|[cisu]gst|cess|discounts?|deductions?|deducted|withheld|withholding|fees?|quantity|qty|charges?|commission|adjustments?|advance|recovery|penalty|bonus|refund|round off|exchange rate)\b/;
/** Such columns name something, and change no amount. */
const NO_MONEY = /\b(?:no|number|id|ids|code|date|ref|reference|section|type|name|remarks?)\b/;
const STATUS =
  /^(?:(?:payment|payout|transfer|transaction|txn) )?status$|^(?:is )?(?:already )?(?:paid|processed|cancelled)$|^(?:(?:on|put on) )?hold$|^(?:is )?held$/;
/** Only a payment that was made has one. */
const PROOF = /^(?:utr|rrn)(?: (?:no|number))?$|^(?:paid (?:on|at|date)|date paid)$/;

const RUPEES = /^(?:inr|rs|₹|rupees?|indian rupees?|356)$/;
/** The status of a payment that is still to be made. */
const TO_PAY =
  /^(?:unpaid|not paid|to (?:be paid|pay)|pending|due|open|new|ready|approved|active|initiated|scheduled|draft|no|n|false|na|nil|0|0 00)?$/;
/** A number as people write amounts and rates. */
const NUMBER = /^[-+(]?\s*(?:rs\.?|inr|₹)?\s*[-+]?[\d.,\s]+(?:%|\/-)?\s*(?:rs\.?|inr)?\)?$/i;
const MAX_SHOWN = 40;

type Cells = Pick<CsvTable<unknown>, "rows" | "places" | "headings">;

/** Errors about lines in another currency than the rupee: payouts are in rupees alone. */
export function findForeignCurrencies(table: Cells): LineNote[] {
  return ignoredColumns(table, CURRENCY).flatMap(({ heading, place }) =>
    table.rows.flatMap(({ line, cells }): LineNote[] => {
      const written = (cells[place] ?? "").trim();
      if (written === "" || RUPEES.test(plain(written))) return [];
      const problem = `must be INR: “${excerpt(written, MAX_SHOWN)}” is not paid. Write the amount in rupees with INR, or remove the line.`;
      return [{ line, field: heading, problem }];
    }),
  );
}

/**
 * A warning for each ignored column that would change an amount, or that marks a line as paid. It names the first such line, and
 * somebody has to accept it.
 */
export function warnOfIgnoredColumns(table: Cells): LineNote[] {
  const amountAt = table.places.indexOf("amount");
  const marks = [...ignoredColumns(table, STATUS), ...ignoredColumns(table, PROOF)];
  const money = ignoredColumns(table, MONEY).filter(
    ({ key, place }) => !NO_MONEY.test(key) && marks.every((mark) => mark.place !== place),
  );
  const warn = ({ heading, place }: Column, isOdd: (written: string, amount: string) => boolean, remedy: string) => {
    const cellOf = ({ cells }: CsvRecord, at: number): string => (cells[at] ?? "").trim();
    const odd = table.rows.filter((record) => isOdd(cellOf(record, place), cellOf(record, amountAt)));
    const [first] = odd;
    if (first === undefined) return [];
    const written = excerpt(cellOf(first, place), MAX_SHOWN);
    const paid = excerpt(cellOf(first, amountAt), MAX_SHOWN);
    const others =
      odd.length === 1 ? "" : ` ${odd.length - 1} more ${odd.length === 2 ? "line has" : "lines have"} one.`;
    const problem = `is ignored: the line has “${written}”, but ${paid} is paid.${others} ${remedy}`;
    return [{ line: first.line, field: heading, problem, mustAccept: true }];
  };
  return [
    ...money.flatMap((column) =>
      warn(column, isOtherAmount, "Put what is to be paid in amount, or remove the column."),
    ),
    ...marks.flatMap((column) => warn(column, isMarked, "Remove lines that must not be paid, or the column.")),
  ];
}

function isOtherAmount(written: string, amount: string): boolean {
  return NUMBER.test(written) && /[1-9]/.test(written) && digitsOf(written) !== digitsOf(amount);
}

function isMarked(written: string): boolean {
  return !TO_PAY.test(plain(written));
}

type Column = { readonly heading: string; readonly key: string; readonly place: number };

/** The columns that mean nothing here and have such a heading. */
function ignoredColumns({ headings, places }: Cells, wanted: RegExp): Column[] {
  return headings.flatMap((written, place) => {
    const key = plain(written);
    return places[place] === null && wanted.test(key)
      ? [{ heading: excerpt(written.trim(), MAX_SHOWN), key, place }]
      : [];
  });
}

/** Small letters, digits and ₹, with single blanks: `Net_Amount` is `net amount`. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9₹]+/g, " ")
    .trim();
}

/** The digits of a number without grouping and paise of zero: `1,590.00` and `1590` are the same. */
function digitsOf(written: string): string {
  return written
    .replaceAll(/[^\d.%-]/g, "")
    .replace(/^\./, "")
    .replace(/\.0*$|(?<=\.\d*[1-9])0+$/, "");
}
