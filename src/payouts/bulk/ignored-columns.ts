// Columns of a payout file that Nodal ignores although they may change what should be paid.
import type { CsvRecord } from "../../platform/csv.ts";
import type { CsvTable } from "../../platform/csv-table.ts";
import { excerpt } from "../../platform/excerpt.ts";
import type { LineNote } from "./file-line.ts";

/** Headings in the form that `plain` returns. */
const CURRENCY =
  /^(?:(?:amount|payment|payout|transfer|transaction|txn|target|account) )?(?:currency|ccy|curr?)(?: code)?$/;
const MONEY =
  /\b(?:amounts?|amt|net|gross|total|payable|tds|tcs|tax|gst|[cisu]gst|cess|discounts?|deductions?|deducted|withheld|withholding|fees?|quantity|qty|charges?|commission|adjustments?|advance|recovery|penalty|bonus|refund|round off|exchange rate)\b/;
/** Such columns name something, and change no amount. */
const NO_MONEY = /\b(?:no|number|id|ids|code|date|ref|reference|section|type|name|remarks?)\b/;
const STATUS =
  /^(?:(?:payment|payout|transfer|transaction|txn) )?status$|^(?:is )?(?:already )?(?:paid|processed|cancelled)$|^(?:(?:on|put on) )?hold$|^(?:is )?held$|^(?:to )?(?:skip|exclude|ignore|stop|cancel|reject|void)(?:d|ed|ped|ped|led)?(?: (?:payment|payout|line))?$|^(?:do not|don t|dont) pay$|^duplicate$/;
/** Columns that say whether to pay a line, such as `Pay?`: the opposite of a paid mark. */
const WANTED =
  /^(?:(?:is )?(?:ok|okay|ready|cleared|eligible|approved) )?(?:to )?(?:pay|be paid|release|send|process|transfer|include)(?:d|ed)?(?: (?:now|y n|yes no|payment|payout|line))?$|^(?:is )?(?:approved?|eligible|cleared|active|enabled)(?: (?:y n|yes no|for payment|for payout))?$/;
const YES = /^(?:y|yes|true|1|ok|okay|pay|paid|approved?|release|ready|eligible|cleared|active|enabled|x|✓|हाँ|हां)$/;
/** Columns for the unit of a line's amounts, and words for units other than the rupee. */
const UNIT = /^(?:amount |amt |currency |money )?(?:unit|units|denomination|scale|multiplier|factor|multiple|in)$/;
const OTHER_UNIT =
  /^(?:(?:in )?(?:inr |rs |rupees? )?(?:in )?(?:paise|paisa|ps|p|lakhs?|lacs?|l|crores?|cr|thousands?|k|hundreds?|millions?|mn|m)|1?0{2,}|[2-9]\d*|1\d+)$/;
/** Only a payment that was made has one. */
const PROOF = /^(?:utr|rrn)(?: (?:no|number))?$|^(?:paid (?:on|at|date)|date paid)$/;

const RUPEES = /^(?:inr|rs|₹|rupees?|indian rupees?|356)$/;
/** The status of a payment that is still to be made. */
const TO_PAY =
  /^(?:unpaid|not paid|to (?:be paid|pay)|pending|due|open|new|ready|approved|active|initiated|scheduled|draft|no|n|false|na|nil|0|0 00)?$/;
/** An amount or a rate as people write it. */
const NUMBER = /^[-+(]?\s*(?:rs\.?|inr|₹)?\s*[-+]?[\d.,\s]+(?:%|\/-)?\s*(?:rs\.?|inr)?\)?$/i;
const MAX_SHOWN = 40;

type Cells = Pick<CsvTable<unknown>, "rows" | "places" | "headings">;

/** Errors about lines in a currency other than the rupee. */
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
 * A warning for each ignored column that would change an amount, or marks a line as paid. It names the first such line and has to be
 * accepted.
 */
export function warnOfIgnoredColumns(table: Cells): LineNote[] {
  const amountAt = table.places.indexOf("amount");
  const marks = [...ignoredColumns(table, STATUS), ...ignoredColumns(table, PROOF)];
  const wanted = ignoredColumns(table, WANTED).filter(({ place }) => marks.every((mark) => mark.place !== place));
  const money = ignoredColumns(table, MONEY).filter(
    ({ key, place }) => !NO_MONEY.test(key) && [...marks, ...wanted].every((other) => other.place !== place),
  );
  const hasYes = ({ place }: Column): boolean => table.rows.some(({ cells }) => YES.test(plain(cells[place] ?? "")));
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
      warn(
        column,
        /\b(?:paise|paisa)\b/.test(column.key) ? isOtherPaise : isOtherAmount,
        "Put what is to be paid in amount, in rupees, or remove the column.",
      ),
    ),
    ...ignoredColumns(table, UNIT).flatMap((column) =>
      warn(
        column,
        (written) => OTHER_UNIT.test(plain(written)),
        "Amounts are in rupees: write them so, or remove the column.",
      ),
    ),
    ...wanted.flatMap((column) => {
      // In a column with a yes, an empty cell means no.
      const isNo = (written: string): boolean => (written === "" ? hasYes(column) : !YES.test(plain(written)));
      return warn(column, isNo, "Remove lines that must not be paid, or the column.");
    }),
    ...marks.flatMap((column) => warn(column, isMarked, "Remove lines that must not be paid, or the column.")),
  ];
}

function isOtherAmount(written: string, amount: string): boolean {
  return NUMBER.test(written) && /[1-9]/.test(written) && digitsOf(written) !== digitsOf(amount);
}

/** Whether an amount in paise differs from the one in rupees. */
function isOtherPaise(written: string, amount: string): boolean {
  if (!NUMBER.test(written) || !/[1-9]/.test(written)) return false;
  const [rupees = "", decimals = ""] = digitsOf(amount).split(".");
  return digitsOf(written) !== `${rupees}${decimals.padEnd(2, "0")}`.replace(/^0+(?=\d)/, "");
}

function isMarked(written: string): boolean {
  return !TO_PAY.test(plain(written));
}

type Column = { readonly heading: string; readonly key: string; readonly place: number };

/** The ignored columns with a matching heading. */
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
