// Which column of a bank's table is what. No bank publishes its layout, and layouts drift: so columns are found by their headings,
// wherever these are, and not by their places.
import { createHash } from "node:crypto";
import type { CsvRecord } from "../../platform/csv.ts";
import { accountColumn } from "./account-names.ts";
import { isForeignCurrency, namesForeignCurrency } from "./csv-currency.ts";
import { findSides, hasSignsBelow } from "./csv-sides.ts";
import {
  type ColumnMapping,
  type ColumnRole,
  COLUMN_ROLES,
  type DateOrder,
  type Side,
  unreadable,
} from "./statement.ts";
import { readAmount } from "./values.ts";

/**
 * Headings of HDFC, ICICI, SBI, Axis, Kotak, PNB, Bank of Baroda, Canara, Union, IndusInd, Federal, Cashfree and RazorpayX, in small
 * letters and digits alone, without the currency, the better ones first: a file may have a date of the booking and one of the value.
 */
const HEADINGS: Readonly<Record<ColumnRole, readonly string[]>> = {
  date: listOf(`txnposteddate transactionposteddate transactionposteddateandtime posteddate transactiondate txndate trandate
    transdate trndate date transactiondatetime transactiondateandtime txndatetime datetime dateandtime postdate postingdate
    bookingdate transactiontime eventtime createdat addedon valuedate valuedt valdate valdt`),
  narration:
    listOf(`narration transactionremarks description particulars particular transactiondescription transactionparticulars
    transactiondetails detailsoftransaction detailsoftransactions detailsofthetransaction transactionnarration paymentnarration
    paymentdetails paymentdescription narrative remarks remark details event eventtype type`),
  reference:
    listOf(`utr utrnumber utrno utrrrn rrn utrrrnnumber utrrrnno rrnutr rrnutrnumber rrnutrno rrnnumber rrnno utrref utrrefno
    utrreference bankreferencenumber bankreferenceno bankrefno bankreference bankref bankrefnumber chqrefno chqrefnumber refchqno
    refnochequeno refnochqno chequenorefno chqnorefno chequerefno chequereferenceno refno referenceno referencenumber reference
    ref refnumber refid referenceid transactionreference transactionreferenceno transactionreferencenumber transactionrefno
    transactionref txnrefno txnref txnreference tranrefno paymentreference paymentreferenceno paymentrefno paymentref transferid instrumentid instrumentno instchqno chequenumber chequeno chqno chqnumber cheque chequedetails chequenoreferenceno referencechequeno utrnochequeno neftrtgsutr transactionidchequeno refnoutr utrrefno customerrefno customerreferenceno instrumentnumber
    transactionid transactionno tranid txnid txnno`),
  debit:
    listOf(`debit dr withdrawalamt withdrawalamount withdrawal withdrawals withdrawl withdrawls withdraws withdrawaldr
    withdrawldr withdrawlamt withdrawlamount debitdr debitamount debitamt debits dramount dramt amountdebited paidout moneyout
    payment payments paid outflow outward out`),
  credit:
    listOf(`credit cr depositamt depositamount deposit deposits depositcr creditcr creditamount creditamt credits cramount
    cramt amountcredited depositsamt depositsamount paidin moneyin receipt receipts received inflow inward in`),
  amount:
    listOf(`amount transactionamount transactionamt tranamount transamount txnamount txnamt amt withdrawaldrdepositcr
    depositcrwithdrawaldr drcramount`),
  side: listOf(`drcr crdr debitcredit creditdebit drorcr crordr drcrindicator crdrindicator debitcreditindicator
    creditdebitindicator debitorcredit creditordebit saletype`),
  balance: listOf(`closingbalance closingbal balance bal runningbalance availablebalance accountbalance ledgerbalance
    balanceamount balanceamt`),
  fee: listOf("fees fee servicecharge charges"),
  tax: listOf("tax servicetax gst"),
};
const MONEY_HEADINGS = (["debit", "credit", "amount", "fee", "tax"] as const).flatMap((role) => HEADINGS[role]);
const CURRENCY_HEADINGS =
  listOf(`currency currencycode ccy cur curr txncurrency transactioncurrency tranccy txnccy accountcurrency
  accountccy acctcurrency amountcurrency accountcurrencycode transactioncurrencycode currencytype currencyiso`);
/** Headings of the statement's account. Any text below them is compared; below other headings, only numbers are. */
const ACCOUNT_HEADINGS = listOf("accountno accountnumber accountnum acno acnumber acctno acctnumber account");
/** Headings that are of sides in some files, and of channels such as NEFT in others: what is below them tells. */
const MAY_BE_SIDES =
  listOf(`type transactiontype txntype trantype entrytype flow cashflow moneyflow transactionflow direction inout
  outin movement nature transactionnature indicator sign plusminus`);
/** Headings of the people who are paid. */
const PAYEE_NAME = /\b(?:ben|bene|beneficiary|payee|recipient|receiver|vendor)(?:['’]s)?[\s_]*name\b/i;
/** Headings below which a dash is a minus. */
const SIGN_HEADINGS = listOf("sign plusminus");
/** Amounts below these headings name their own side: `1,000.00(Dr)`. */
const NAMED_AMOUNTS = new Set(listOf("withdrawaldrdepositcr depositcrwithdrawaldr drcramount"));

const RUPEES_IN_HEADING = /[\s([]+(?:in\s+)?(?:inr|rs\.?|rupees|₹)\s*[)\]]?\s*$/i;
const CURRENCY_IN_HEADING = /[\s([]+(?:in\s+)?([A-Z]{3}|[$€£¥])\s*[)\]]?\s*$/;
/** `(dd/mm/yyyy)`, `DD-MMM-YY`, `[dd.mm.yyyy hh:mm:ss]`. */
const DATE_FORMAT =
  /[\s([]+((?:dd?|mmm?|yy(?:yy)?)(?:[-/. ]?(?:dd?|mmm?|yy(?:yy)?)){2})(?:[ ,t]*hh?:?mm(?::?ss)?(?: ?(?:am\/pm|tt|a))?)?\s*[)\]]?\s*$/i;

/** So far down the headings may be: banks put an address and a summary above them. */
const HEADINGS_WITHIN = 80;

/** The columns of a file: the place of each role, and their headings. */
export type Columns = {
  readonly places: Places;
  /** Where references may be, the better ones first: a cheque's column is empty for a transfer. */
  readonly referencePlaces: readonly number[];
  /** Where narrations are: a heading may occur twice. */
  readonly narrationPlaces: readonly number[];
  /** Where other dates are, such as that of the value. */
  readonly otherDates: readonly number[];
  /** The place of a second `Dr / Cr`, which says the side of the balance. */
  readonly balanceSide: number | null;
  /** Whether the column of sides has `+` and `-` in place of words. */
  readonly hasSigns: boolean;
  /** The place of a column that is one of sides by its heading, and has no word below it that is known. */
  readonly unknownSides: number | null;
  /** Whether each amount has to name its side, as its heading says. */
  readonly hasNamedAmounts: boolean;
  /** Whether some debits are below zero and others are not. */
  readonly hasMixedDebits: boolean;
  /** Where each line has its currency. */
  readonly currencyPlaces: readonly number[];
  /** Where the lines of a side, or all of them, have the account of the statement. `isNumber`: other texts are passed over. */
  readonly accountPlaces: readonly {
    readonly place: number;
    readonly side: Side | "both";
    readonly isNumber: boolean;
  }[];
  /** Where the headings are of amounts too, beside those of debits, credits and amounts that are used. */
  readonly spareMoney: readonly number[];
  /** Where there are amounts of any kind. */
  readonly moneyPlaces: readonly number[];
  readonly mapping: ColumnMapping;
  readonly headings: readonly string[];
  /** How many records come before the first line. */
  readonly skipped: number;
};

/**
 * Finds the row of headings, and which column is what: by the mapping that is given, or by the one that is remembered if the
 * file has its headings, or by what headings mostly are.
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
  // Amounts of another currency are found too, so that they can be refused as such.
  const guessed = findRow(records, placesFound) ?? findRow(records, (cells) => placesFound(cells, foreignKey));
  if (guessed) return guessed;
  throw unreadable(
    "The file has no heading row with a date, and either an amount or a debit and a credit.",
    "Map the columns, such as date=Txn Date and debit=Withdrawal.",
  );
}

/** Whether these cells are headings, of the mapping or of those that are known. */
export function areHeadings(cells: readonly string[], mapping: ColumnMapping | null): boolean {
  return (mapping !== null && placesGiven(cells, mapping) !== null) || placesFound(cells) !== null;
}

/** Whether cells are the headings of a statement, as far as headings are known. */
export function areHeadingsOf(cells: readonly string[]): boolean {
  return placesFound(cells) !== null;
}

/** The places of headings of dates, such as `Due Date`. */
export function dateHeadings(cells: readonly string[]): number[] {
  return cells.flatMap((cell, place) =>
    /\bdate\b/i.test(cell) || HEADINGS.date.includes(headingKey(cell)) ? [place] : [],
  );
}

/** Whether cells are the headings of these columns, perhaps written in another way: with or without the currency, or in capitals. */
export function areSameHeadings(cells: readonly string[], { headings, places }: Columns): boolean {
  if (cells.map(headingKey).join("\0") === headings.map(headingKey).join("\0")) return true;
  const found = placesFound(cells);
  const roles = ["date", "debit", "credit", "amount"] as const;
  return found !== null && roles.every((role) => found.get(role) === places.get(role));
}

/** What a table looks like: a hash over its headings, and over those of the columns that say which line a line is. */
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
    if (places) return { ...describe(cells, places, records.slice(index + 1)), skipped: index + 1 };
  }
  return null;
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

/** Where some headings are, in the order of those. */
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
 * Whether a mapping that somebody gives says enough.
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
  // Beside the name of a payee, an account is the payee's.
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
    hasMixedDebits: hasMixedDebits(places, below),
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

/** @throws NodalError `validation_failed` if another column has the heading of one with amounts, and amounts that differ */
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

function hasMixedDebits(places: Places, below: readonly CsvRecord[]): boolean {
  const place = places.get("debit");
  if (place === undefined || !places.has("credit")) return false;
  const amounts = below.flatMap(({ cells }) => readAmount(cells[place] ?? "") ?? []).filter(({ paise }) => paise > 0n);
  return amounts.some(({ isNegative }) => isNegative) && amounts.some(({ isNegative }) => !isNegative);
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

/** Which column says the side of the amount, and which that of the balance. Kotak's have the same heading. */
function sidesIn(
  keys: readonly string[],
  places: Places,
  below: readonly CsvRecord[],
): Pick<Columns, "balanceSide" | "hasSigns"> & { readonly side: number | null } {
  const balanceAt = places.get("balance");
  const said = places.get("side");
  const all = keys.flatMap((key, place) => (HEADINGS.side.includes(key) || place === said ? [place] : []));
  const besideBalanceAt = balanceAt === undefined ? null : (all.find((place) => place > balanceAt) ?? null);
  // Beside a debit and a credit, it can only be that of the balance.
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

/** "Chq./Ref.No." and "chq ref no" are the same heading; so are "Debit (INR)" and "DEBIT", and "Date (dd/mm/yyyy)" and "DATE". */
function headingKey(text: string): string {
  if (/^\(?\+ ?\/ ?[-−]\)?$/.test(text)) return "plusminus";
  return plainKey(text.replace(RUPEES_IN_HEADING, "").replace(DATE_FORMAT, ""));
}

/** A heading without another currency than rupees: "Debit (USD)" is "debit". */
function foreignKey(text: string): string {
  const code = CURRENCY_IN_HEADING.exec(text)?.[1] ?? "";
  return headingKey(
    isForeignCurrency(code) || namesForeignCurrency(code) ? text.replace(CURRENCY_IN_HEADING, "") : text,
  );
}

/** Whether a heading says that its dates have the day or the month first, as `(dd/mm/yyyy)` does; `null` if it does not. */
export function orderInHeading(heading: string): DateOrder | null {
  const first = DATE_FORMAT.exec(heading)?.[1]?.[0]?.toLowerCase();
  if (first === "d") return "day-first";
  return first === "m" ? "month-first" : null;
}

function plainKey(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function listOf(words: string): readonly string[] {
  return words.split(/\s+/);
}
