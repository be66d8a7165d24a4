// Whether an amount came in or went out, in a bank's table with a single amount column.
import type { CsvRecord } from "../../platform/csv.ts";
import { isNewestFirst, signed, type ReadLine, type Side } from "./statement.ts";

/** The remedy for an amount without a side. */
export const SIDE_REMEDY =
  "came in or went out. Add a column that has DR or CR on each line, or write a minus before what went out, or give the balance before and after each line.";

/** The name of a side in errors. */
export const SIDE_WORDS: Readonly<Record<Side, string>> = { out: "debit", in: "credit" };

/** Words that mean one side in any column. */
const PLAIN_WORDS: Readonly<Record<Side, string>> = {
  out: "dr db dbt debit debits debited withdrawal withdrawals withdrawl withdrawn",
  in: "cr cdt credit credits credited deposit deposits deposited",
};
/** Words that mean a side only in a side column: `IN` may be a country, and `Paid` a status. */
const OTHER_WORDS: Readonly<Record<Side, string>> = {
  out: `d out outward outwards outgoing outflow paid paidout pay payment payments payout payouts sent send moneyout
    transferout minus`,
  in: `c in inward inwards incoming inflow received receive recd receipt receipts paidin moneyin transferin plus`,
};
const PLAIN = sidesBy(PLAIN_WORDS);
const WORDS = new Map([...PLAIN, ...sidesBy(OTHER_WORDS)]);
const SIGNS: ReadonlyMap<string, Side> = new Map([
  ["+", "in"],
  ["-", "out"],
  ["−", "out"],
  ["–", "out"],
]);

function sidesBy(words: Readonly<Record<Side, string>>): Map<string, Side> {
  return new Map((["out", "in"] as const).flatMap((side) => words[side].split(/\s+/).map((word) => [word, side])));
}

/** The side that a word names, such as `DR`, `Credit`, `(Cr)` or `Paid`; `null` for any other text. */
function sideNamed(text: string): Side | null {
  return sideIn(WORDS, text);
}

function sideIn(words: ReadonlyMap<string, Side>, text: string): Side | null {
  return /\d/.test(text) ? null : (words.get(text.toLowerCase().replaceAll(/[^a-z]/g, "")) ?? null);
}

/** The side in a cell of a side column: a word, or a sign if the column has signs. */
export function sideInColumn(text: string, hasSigns: boolean): Side | null {
  return hasSigns ? (SIGNS.get(text) ?? null) : sideNamed(text);
}

type Places = {
  readonly date: number;
  /** Of the amounts. */
  readonly movedAt: number;
  /** Of columns whose headings suggest sides, and of those whose headings suggest signs. */
  readonly likely: readonly number[];
  readonly signs: ReadonlySet<number>;
  readonly others: readonly number[];
};

/**
 * The column that holds sides. Below a likely heading, one known word is enough if the amounts have no signs: a line with another
 * word is then refused. Below any other heading, each line needs an unambiguous word, or both sides must occur.
 */
export function findSides(below: readonly CsvRecord[], { likely, others, signs, ...places }: Places): number | null {
  const lines = linesBelow(below, places);
  const haveSigns = lines.some(({ cells }) => /^[-−+(]|-$|[cd]r?\.?\)?$/i.test(cells[places.movedAt]!));
  const textsAt = (place: number): string[] => lines.map(({ cells }) => cells[place] ?? "");
  const known = (place: number): Side[] => {
    const texts = textsAt(place);
    const hasSigns = isColumnOfSigns(texts, signs.has(place));
    return texts.flatMap((text) => sideInColumn(text, hasSigns) ?? []);
  };
  const isWhole = (place: number): boolean => lines.length > 0 && known(place).length === lines.length;
  const found = likely.find((place) => (haveSigns ? isWhole(place) : known(place).length > 0));
  if (found !== undefined) return found;
  const isCertain = (place: number): boolean =>
    new Set(known(place)).size === 2 || textsAt(place).every((text) => sideIn(PLAIN, text) !== null);
  return others.find((place) => isWhole(place) && isCertain(place)) ?? null;
}

/**
 * The first of these columns that repeats the side of each line, beside debit and credit columns: all of its words mean a side in
 * any column.
 */
export function findRepeatedSides(
  below: readonly CsvRecord[],
  likely: readonly number[],
  isLine: (record: CsvRecord) => boolean,
): number | null {
  const lines = below.filter(isLine);
  const saysSides = (place: number): boolean => {
    const texts = lines.map(({ cells }) => cells[place] ?? "").filter((text) => text !== "");
    return texts.length > 0 && texts.every((text) => sideIn(PLAIN, text) !== null);
  };
  return likely.find(saysSides) ?? null;
}

/** Whether the side column has signs. */
export function hasSignsBelow(below: readonly CsvRecord[], side: number, { signs, ...places }: Places): boolean {
  return isColumnOfSigns(
    linesBelow(below, places).map(({ cells }) => cells[side] ?? ""),
    signs.has(side),
  );
}

function linesBelow(below: readonly CsvRecord[], { date, movedAt }: Pick<Places, "date" | "movedAt">): CsvRecord[] {
  return below.filter(({ cells }) => /\d/.test(cells[movedAt] ?? "") && (cells[date] ?? "") !== "");
}

/** A lone dash may mean an empty cell: it is a sign only if there is a plus too, or if the heading says so. */
function isColumnOfSigns(texts: readonly string[], isNamedSo: boolean): boolean {
  const written = texts.filter((text) => text !== "");
  return written.every((text) => SIGNS.has(text)) && (isNamedSo ? written.length > 0 : written.includes("+"));
}

/** Where a line's side comes from: a column, a word or sign of its amount, nowhere, or two that contradict each other. */
export type SideSource = "column" | "word" | "minus" | "plus" | "contradicted" | null;

/** A line without a side, or whose sign and word contradict each other. */
export type UnclearLine = {
  readonly record: CsvRecord;
  readonly index: number;
  readonly hasCharges: boolean;
  readonly isContradicted: boolean;
};

/**
 * Settles the sides of lines without a word or sign. In a file that has a minus and no plus, they came in; otherwise the balances
 * before and after a line must prove its side. Returns the lines without proof.
 */
export function settleSides(
  lines: {
    side: Side;
    readonly amountPaise: bigint;
    readonly balancePaise: bigint | null;
    bookedOn: ReadLine["bookedOn"];
  }[],
  unsaid: readonly UnclearLine[],
  { opening, signs }: { opening: (isNewestFirst: boolean) => bigint | null; signs: ReadonlySet<SideSource> },
): readonly UnclearLine[] {
  if (signs.has("minus") && !signs.has("plus")) return [];
  const open = new Map(unsaid.map((each) => [each.index, each]));
  const forward = (): Proof => prove(lines.keys(), lines, open, opening(false));
  const backward = (): Proof => prove([...lines.keys()].toReversed(), lines, open, opening(true));
  const days = lines.length > 1 && !lines[0]!.bookedOn.equals(lines.at(-1)!.bookedOn);
  const tried = days ? [isNewestFirst(lines) ? backward() : forward()] : [forward(), backward()];
  const whole = tried.filter(({ unproved }) => unproved.length === 0);
  const [proof, other] = whole;
  if (!proof) return tried[0]!.unproved;
  if (other && [...proof.sides].some(([index, side]) => other.sides.get(index) !== side)) return unsaid;
  for (const [index, side] of proof.sides) lines[index]!.side = side;
  return [];
}

type Proof = { readonly sides: ReadonlyMap<number, Side>; readonly unproved: readonly UnclearLine[] };

/** The sides with which each balance follows from the one before it. */
function prove(
  order: Iterable<number>,
  lines: readonly Pick<ReadLine, "side" | "amountPaise" | "balancePaise">[],
  open: ReadonlyMap<number, UnclearLine>,
  openingPaise: bigint | null,
): Proof {
  const sides = new Map<number, Side>();
  const unproved: UnclearLine[] = [];
  let running = openingPaise;
  for (const index of order) {
    const line = lines[index]!;
    const { amountPaise, balancePaise } = line;
    const each = open.get(index);
    if (each) {
      const side = (["in", "out"] as const).find(
        (tried) => running !== null && running + signed({ side: tried, amountPaise }) === balancePaise,
      );
      if (side === undefined || each.hasCharges) unproved.push(each);
      else sides.set(index, side);
      running = balancePaise;
    } else running = balancePaise ?? (running === null ? null : running + signed(line));
  }
  return { sides, unproved };
}
