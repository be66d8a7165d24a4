// Finds the role of each column in a bank's table. Banks don't publish their layouts, and layouts change: so columns are found by
// their headings, in any place.
import { createHash } from "node:crypto";
import type { CsvRecord } from "../../platform/csv.ts";
import { accountColumn } from "./account-names.ts";
import {
  ACCOUNT_HEADINGS,
  CURRENCY_HEADINGS,
  foreignKey,
  headingKey,
  HEADINGS,
  MAY_BE_SIDES,
  MONEY_HEADINGS,
  NAMED_AMOUNTS,
  PAYEE_NAME,
  plainKey,
  SIGN_HEADINGS,
} from "./csv-headings.ts";
import { findSides, findRepeatedSides, hasSignsBelow, sideInColumn } from "./csv-sides.ts";
import { type ColumnMapping, type ColumnRole, COLUMN_ROLES, type Side, unreadable } from "./statement.ts";
import { readAmount } from "./values.ts";

/** No statement has more columns. */
const MAX_COLUMNS = 100;
/** How far down the headings may be: banks put an address and a summary above them. */
const HEADINGS_WITHIN = 80;

/** The columns of a file: the place of each role, and their headings. */
export type Columns = {
  readonly places: Places;
  /** Columns that may hold references, the better ones first: a cheque column is empty for a transfer. */
  readonly referencePlaces: readonly number[];
  /** Narration columns: a heading may occur twice. */
  readonly narrationPlaces: readonly number[];
  /** Columns with other dates, such as the value date. */
  readonly otherDates: readonly number[];
  /** The place of a second `Dr / Cr` column, which has the side of the balance. */
  readonly balanceSide: number | null;
  /** Whether the side column has `+` and `-` instead of words. */
  readonly hasSigns: boolean;
  /** The place of a column that is a side column by its heading, but has no known word below it. */
  readonly unknownSides: number | null;
  /** Whether each amount must name its side, as its heading says. */
  readonly hasNamedAmounts: boolean;
  /** Whether some debits are negative and others are not. */
  readonly hasMixedDebits: boolean;
  /** The place of a column that repeats the sides of lines, beside debit and credit columns. */
  readonly saidAgain: number | null;
  /** Columns with the currency of each line. */
  readonly currencyPlaces: readonly number[];
  /** Columns with the statement's account, for lines of one side or all. `isNumber`: other texts are skipped. */
  readonly accountPlaces: readonly {
    readonly place: number;
    readonly side: Side | "both";
    readonly isNumber: boolean;
  }[];
  /** Columns with an amount heading besides the debit, credit and amount columns in use. */
  readonly spareMoney: readonly number[];
  /** Columns with amounts of any kind. */
  readonly moneyPlaces: readonly number[];
  readonly mapping: ColumnMapping;
  readonly headings: readonly string[];
  /** The number of records before the first line. */
  readonly skipped: number;
};

/**
 * Finds the row of headings and the role of each column: by the given mapping, or the remembered one if the file has its headings,
 * or by the usual headings.
 * @throws NodalError `validation_failed` if there is no such row
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
  // Amounts in another currency are found too, so that the error can say so.
  const guessed = findRow(records, placesFound) ?? findRow(records, (cells) => placesFound(cells, foreignKey));
  if (guessed) return guessed;
  throw unreadable(
    "The file has no heading row with a date, and either an amount or a debit and a credit.",
    "Map the columns, such as date=Txn Date and debit=Withdrawal.",
  );
}

/** Whether these cells are headings, of the mapping or known ones. */
export function areHeadings(cells: readonly string[], mapping: ColumnMapping | null): boolean {
  return (mapping !== null && placesGiven(cells, mapping) !== null) || placesFound(cells) !== null;
}

/** Whether cells are known headings of a statement. */
export function areHeadingsOf(cells: readonly string[]): boolean {
  return placesFound(cells) !== null;
}

/** The places of date headings, such as `Due Date`. */
export function dateHeadings(cells: readonly string[]): number[] {
  return cells.flatMap((cell, place) =>
    /\bdate\b/i.test(cell) || HEADINGS.date.includes(headingKey(cell)) ? [place] : [],
  );
}

/**
 * Whether cells are the headings of these columns, perhaps spelled differently: with or without the currency, or in capitals. No
 * column may have moved.
 */
export function areSameHeadings(cells: readonly string[], { headings, places }: Columns): boolean {
  // No date heading has a digit.
  if (/\d/.test(cells[places.get("date")!] ?? "")) return false;
  const [keys, own] = [cells.map(headingKey), headings.map(headingKey)];
  if (keys.join("\0") === own.join("\0")) return true;
  const found = placesFound(cells);
  const roles = ["date", "debit", "credit", "amount"] as const;
  if (found === null || !roles.every((role) => found.get(role) === places.get(role))) return false;
  return !keys.some((key, place) => key !== "" && key !== own[place] && own.includes(key));
}

/**
 * Whether a row without a date gives amount columns other headings, such as `Credit` in the debit column: the amounts below it have
 * another meaning then.
 */
export function renamesAmounts(cells: readonly string[], { headings, places }: Columns): boolean {
  const sides = ["debit", "credit", "amount"] as const;
  const roleOf = (key: string): ColumnRole | undefined =>
    sides.find((role) => headingKey(headings[places.get(role) ?? -1] ?? "") === key) ??
    sides.find((role) => HEADINGS[role].includes(key));
  return sides.some((role) => {
    const cell = cells[places.get(role) ?? -1] ?? "";
    const key = headingKey(cell);
    if (key === "" || key === headingKey(headings[places.get(role)!]!)) return false;
    const named = roleOf(key);
    return named !== undefined && named !== role;
  });
}

/** A table's layout: a hash of its headings, and of those of the columns that identify a line. */
export function layoutOf({ headings, mapping }: Columns): string {
  const plain = (heading: string): string => heading.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "");
  const used = [mapping.date, mapping.narration, mapping.reference, mapping.balance].map((each) => plain(each ?? ""));
  const all = headings.map(plain).filter((heading) => heading !== "");
  return createHash("sha256")
    .update(JSON.stringify([all, used]))
    .digest("hex");
}

type Places = ReadonlyMap<ColumnRole, number>;

function findRow(records: readonly CsvRecord[], placesOf: (cells: readonly string[]) => Places | null): Columns | null {
  for (const [index, { cells }] of records.slice(0, HEADINGS_WITHIN).entries()) {
    const places = placesOf(cells);
    if (!places) continue;
    refuseTooWide(cells);
    return { ...describe(cells, places, records.slice(index + 1)), skipped: index + 1 };
  }
  return null;
}

/** @throws NodalError `validation_failed` for more columns than a statement has */
function refuseTooWide(headings: readonly string[]): void {
  const count = headings.filter((heading) => heading !== "").length;
  if (count <= MAX_COLUMNS) return;
  throw unreadable(
    `The table has ${count} columns.`,
    `Remove those that are not the statement's: ${MAX_COLUMNS} are read.`,
  );
}

function placesFound(cells: readonly string[], keyOf: (heading: string) => string = headingKey): Places | null {
  const keys = cells.map(keyOf);
  const places = new Map<ColumnRole, number>();
  for (const role of COLUMN_ROLES) {
    const [place] = placesOf(keys, HEADINGS[role]);
    if (place !== undefined) places.set(role, place);
  }
  return isEnough(places) ? places : null;
}

/** The places of these headings, in the given order. */
function placesOf(keys: readonly string[], headings: readonly string[]): number[] {
  return headings.map((heading) => keys.indexOf(heading)).filter((place) => place >= 0);
}

function placesGiven(cells: readonly string[], given: ColumnMapping): Places | null {
  const places = new Map<ColumnRole, number>();
  for (const role of COLUMN_ROLES) {
    const heading = given[role];
    if (heading === undefined) continue;
    const place = [plainKey, headingKey]
      .map((keyOf) => cells.map(keyOf).indexOf(keyOf(heading)))
      .find((found) => found >= 0);
    if (place === undefined) return null;
    places.set(role, place);
  }
  return isEnough(places) ? places : null;
}

function isEnough(roles: { readonly has: (role: ColumnRole) => boolean }): boolean {
  return roles.has("date") && (roles.has("amount") || (roles.has("debit") && roles.has("credit")));
}

/**
 * Checks that a given mapping is complete.
 * @throws NodalError `validation_failed`
 */
export function requireWholeMapping(mapping: ColumnMapping): void {
  if (!isEnough(new Set(Object.keys(mapping) as ColumnRole[]))) {
    throw unreadable(
      "The mapping must have a date, and either an amount or a debit and a credit.",
      "Add what is missing.",
    );
  }
}

function describe(cells: readonly string[], found: Places, below: readonly CsvRecord[]): Omit<Columns, "skipped"> {
  const keys = cells.map(headingKey);
  const places = new Map(found);
  refuseSecondColumn(cells, places, below);
  const { side, balanceSide, hasSigns } = sidesIn(keys, places, below);
  if (side === null) places.delete("side");
  else places.set("side", side);
  if (side !== null && places.get("narration") === side) places.delete("narration");
  const reference = places.get("reference");
  const sameAs = (place: number | undefined): number[] =>
    place === undefined ? [] : allPlacesOf(keys, [keys[place]!]);
  const others = [...sameAs(reference), ...HEADINGS.reference.flatMap((heading) => allPlacesOf(keys, [heading]))];
  const free = others.filter((place) => !isTaken(places, place));
  // Next to a payee's name, an account is the payee's.
  const hasPayees = cells.some((each) => PAYEE_NAME.test(each));
  return {
    places,
    referencePlaces: reference === undefined ? [] : [...new Set([reference, ...free])],
    narrationPlaces: sameAs(places.get("narration")),
    otherDates: allPlacesOf(keys, HEADINGS.date).filter((place) => place !== places.get("date")),
    balanceSide,
    hasSigns,
    unknownSides: side === null ? (placesOf(keys, MAY_BE_SIDES)[0] ?? null) : null,
    hasNamedAmounts: NAMED_AMOUNTS.has(keys[places.get("amount") ?? -1] ?? ""),
    hasMixedDebits: hasMixedDebits(places, below, hasSigns),
    saidAgain: places.has("debit") && places.has("credit") ? repeatedSides(keys, { places, balanceSide }, below) : null,
    currencyPlaces: allPlacesOf(keys, CURRENCY_HEADINGS),
    accountPlaces: cells.flatMap((heading, place) => {
      const of = isTaken(places, place) || hasPayees ? null : accountColumn(heading);
      return of === null ? [] : [{ place, side: of, isNumber: !ACCOUNT_HEADINGS.includes(keys[place]!) }];
    }),
    spareMoney: spareMoneyIn(keys, places),
    moneyPlaces: (["debit", "credit", "amount", "balance"] as const).flatMap((role) => places.get(role) ?? []),
    mapping: Object.fromEntries([...places].map(([role, place]) => [role, cells[place]!])),
    headings: cells,
  };
}

/** @throws NodalError `validation_failed` if another column has the same heading as an amount column, and other amounts */
function refuseSecondColumn(cells: readonly string[], places: Places, below: readonly CsvRecord[]): void {
  for (const role of ["debit", "credit", "amount"] as const) {
    const place = places.get(role);
    if (place === undefined) continue;
    const heading = cells[place]!;
    const others = [...cells.keys()].filter((at) => at !== place && headingKey(cells[at]!) === headingKey(heading));
    const paiseAt = (record: CsvRecord, at: number): bigint => readAmount(record.cells[at] ?? "")?.paise ?? 0n;
    const record = below.find((each) =>
      others.some((other) => paiseAt(each, other) > 0n && paiseAt(each, other) !== paiseAt(each, place)),
    );
    if (record === undefined) continue;
    throw unreadable(
      `Two columns are named “${heading}”, and differ on line ${record.line}.`,
      "Rename or remove the one that does not count.",
    );
  }
}

function hasMixedDebits(places: Places, below: readonly CsvRecord[], hasSigns: boolean): boolean {
  const hasColumns = places.has("debit") && places.has("credit");
  const [place, sideAt] = [places.get(hasColumns ? "debit" : "amount"), places.get("side")];
  const amounts = below.flatMap(({ cells }) => {
    const amount = readAmount(cells[place ?? -1] ?? "");
    if (!amount || amount.paise === 0n) return [];
    const said = sideAt === undefined ? amount.side : sideInColumn(cells[sideAt] ?? "", hasSigns);
    return hasColumns || said === "out" ? [amount] : [];
  });
  return amounts.some(({ isNegative }) => isNegative) && amounts.some(({ isNegative }) => !isNegative);
}

/** A column such as `Type` or `Dr/Cr` that repeats the sides of debits and credits, not that of the balance. */
function repeatedSides(
  keys: readonly string[],
  { places, balanceSide }: { readonly places: Places; readonly balanceSide: number | null },
  below: readonly CsvRecord[],
): number | null {
  const likely = [...allPlacesOf(keys, HEADINGS.side), ...allPlacesOf(keys, MAY_BE_SIDES)].filter(
    (place) => place !== balanceSide,
  );
  const moved = [places.get("debit")!, places.get("credit")!];
  const isLine = ({ cells }: CsvRecord): boolean =>
    moved.some((place) => (readAmount(cells[place] ?? "")?.paise ?? 0n) > 0n) &&
    (cells[places.get("date")!] ?? "") !== "";
  return findRepeatedSides(below, likely, isLine);
}

function allPlacesOf(keys: readonly string[], headings: readonly string[]): number[] {
  return keys.flatMap((key, place) => (headings.includes(key) ? [place] : []));
}

function spareMoneyIn(keys: readonly string[], places: Places): number[] {
  const moved: readonly ColumnRole[] = places.has("debit") && places.has("credit") ? ["debit", "credit"] : ["amount"];
  const used = [...moved, ...(["date", "narration", "reference", "side", "balance"] as const)].map((role) =>
    places.get(role),
  );
  return allPlacesOf(keys, MONEY_HEADINGS).filter((place) => !used.includes(place));
}

function isTaken(places: Places, place: number): boolean {
  return [...places.values()].includes(place);
}

/** Which column is the side of the amount, and which that of the balance. Kotak gives both the same heading. */
function sidesIn(
  keys: readonly string[],
  places: Places,
  below: readonly CsvRecord[],
): Pick<Columns, "balanceSide" | "hasSigns"> & { readonly side: number | null } {
  const balanceAt = places.get("balance");
  const said = places.get("side");
  const all = keys.flatMap((key, place) => (HEADINGS.side.includes(key) || place === said ? [place] : []));
  const besideBalanceAt = balanceAt === undefined ? null : (all.find((place) => place > balanceAt) ?? null);
  // With debit and credit columns, it can only be that of the balance.
  if (places.has("debit") && places.has("credit")) return { side: null, balanceSide: besideBalanceAt, hasSigns: false };
  const [movedAt, date] = [places.get("amount")!, places.get("date")!];
  const named = all.find((place) => place === movedAt + 1) ?? all.find((place) => place !== besideBalanceAt) ?? all[0];
  const tried = {
    date,
    movedAt,
    likely: placesOf(keys, MAY_BE_SIDES),
    signs: new Set(placesOf(keys, SIGN_HEADINGS)),
    others: [...keys.keys()].filter((place) => !isTaken(places, place)),
  };
  const side = named ?? findSides(below, tried);
  return {
    side,
    balanceSide: besideBalanceAt === side ? null : besideBalanceAt,
    hasSigns: side !== null && hasSignsBelow(below, side, tried),
  };
}
