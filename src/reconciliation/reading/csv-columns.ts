// Which column of a bank's CSV file is what. No bank publishes its layout, and layouts drift: so columns are found by their
// headings, wherever these stand, and not by their places.
import type { CsvRecord } from "../../platform/csv.ts";
import { type ColumnMapping, type ColumnRole, COLUMN_ROLES, unreadable } from "./statement.ts";

/**
 * Headings of HDFC, ICICI, SBI, Axis, Kotak, Cashfree and RazorpayX, in small letters and digits alone, the better ones first: a
 * file may have a date of the booking and one of the value.
 */
const HEADINGS: Readonly<Record<ColumnRole, readonly string[]>> = {
  date: [
    "transactiondate",
    "txndate",
    "trandate",
    "date",
    "postdate",
    "postingdate",
    "bookingdate",
    "transactiontime",
    "eventtime",
    "createdat",
    "addedon",
    "valuedate",
    "valuedt",
  ],
  narration: [
    "narration",
    "transactionremarks",
    "description",
    "particulars",
    "transactiondescription",
    "transactionparticulars",
    "remarks",
    "details",
    "event",
    "eventtype",
    "type",
  ],
  reference: [
    "utr",
    "utrnumber",
    "utrno",
    "bankreferencenumber",
    "chqrefno",
    "chqrefnumber",
    "refnochequeno",
    "chequenorefno",
    "refno",
    "referenceno",
    "referencenumber",
    "referenceid",
    "transferid",
    "chequenumber",
    "chequeno",
    "chqno",
    "transactionid",
  ],
  debit: [
    "debit",
    "dr",
    "withdrawalamt",
    "withdrawalamount",
    "withdrawalamountinr",
    "withdrawal",
    "withdrawals",
    "debitamount",
    "debitinr",
  ],
  credit: [
    "credit",
    "cr",
    "depositamt",
    "depositamount",
    "depositamountinr",
    "deposit",
    "deposits",
    "creditamount",
    "creditinr",
  ],
  amount: ["amount", "transactionamount", "amountinr", "transactionamountinr"],
  side: ["drcr", "crdr", "debitcredit", "creditdebit", "saletype", "transactiontype"],
  balance: ["closingbalance", "balance", "bal", "balanceinr", "runningbalance", "availablebalance", "balanceamount"],
  fee: ["fees", "fee", "servicecharge", "charges"],
  tax: ["tax", "servicetax", "gst"],
};

/** So far down the headings may stand: banks put an address and a summary above them. */
const HEADINGS_WITHIN = 80;

/** The columns of a file: the place of each role, and their headings. */
export type Columns = {
  readonly places: Places;
  /** The place of a second `Dr / Cr`, which says the side of the balance. */
  readonly balanceSide: number | null;
  readonly mapping: ColumnMapping;
  readonly headings: readonly string[];
  /** How many records come before the first line. */
  readonly skipped: number;
};

/**
 * Finds the row of headings, and which column is what: by the mapping that is given, or by the one that is remembered where the
 * file has its headings, or by what headings mostly are.
 * @throws NodalError `validation_failed` where there is no such row
 */
export function findColumns(
  records: readonly CsvRecord[],
  given: ColumnMapping | null,
  remembered: ColumnMapping | null,
): Columns {
  const known = given ?? remembered;
  const found = known ? findRow(records, (cells) => placesGiven(cells, known)) : null;
  if (found) return found;
  if (given) {
    const wanted = Object.values(given).join(", ");
    throw unreadable(
      `The file has no row with all of these headings: ${wanted}.`,
      "Name its columns with a new mapping.",
    );
  }
  const guessed = findRow(records, placesFound);
  if (guessed) return guessed;
  throw unreadable(
    "The file has no row of headings that name a date, and either an amount or a debit and a credit.",
    "Say which column is what, such as date=Txn Date and debit=Withdrawal.",
  );
}

type Places = ReadonlyMap<ColumnRole, number>;

function findRow(records: readonly CsvRecord[], placesOf: (cells: readonly string[]) => Places | null): Columns | null {
  for (const [index, { cells }] of records.slice(0, HEADINGS_WITHIN).entries()) {
    const places = placesOf(cells);
    if (places) return { ...describe(cells, places), skipped: index + 1 };
  }
  return null;
}

function placesFound(cells: readonly string[]): Places | null {
  const keys = cells.map(headingKey);
  const places = new Map<ColumnRole, number>();
  for (const role of COLUMN_ROLES) {
    const place = HEADINGS[role].map((heading) => keys.indexOf(heading)).find((at) => at >= 0);
    if (place !== undefined) places.set(role, place);
  }
  return isEnough(places) ? places : null;
}

function placesGiven(cells: readonly string[], given: ColumnMapping): Places | null {
  const keys = cells.map(headingKey);
  const places = new Map<ColumnRole, number>();
  for (const role of COLUMN_ROLES) {
    const heading = given[role];
    if (heading === undefined) continue;
    const place = keys.indexOf(headingKey(heading));
    if (place < 0) return null;
    places.set(role, place);
  }
  return isEnough(places) ? places : null;
}

function isEnough(roles: { readonly has: (role: ColumnRole) => boolean }): boolean {
  return roles.has("date") && (roles.has("amount") || (roles.has("debit") && roles.has("credit")));
}

/**
 * Whether a mapping that somebody gives says enough.
 * @throws NodalError `validation_failed`
 */
export function requireWholeMapping(mapping: ColumnMapping): void {
  if (!isEnough(new Set(Object.keys(mapping) as ColumnRole[]))) {
    throw unreadable(
      "The mapping has to name a date, and either an amount or a debit and a credit.",
      "Add what is missing.",
    );
  }
}

function describe(cells: readonly string[], places: Places): Omit<Columns, "skipped"> {
  const mapping = Object.fromEntries([...places].map(([role, place]) => [role, cells[place]!])) as ColumnMapping;
  const keys = cells.map(headingKey);
  const first = places.get("side");
  const side = first === undefined ? -1 : keys.indexOf(keys[first]!, first + 1);
  return { places, mapping, headings: cells, balanceSide: side >= 0 && places.has("balance") ? side : null };
}

/** "Chq./Ref.No." and "chq ref no" are the same heading. */
function headingKey(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
