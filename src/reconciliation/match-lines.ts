// Matches statement lines with ledger items of the same money, and explains the other lines. docs/rules/reconciliation.md#matching
import { inTurns } from "../platform/turns.ts";
import type { Side } from "./reading/statement.ts";

/** Items that the ledger expects on a statement; a statement must not show `failed` ones. */
export type ItemKind = "paid" | "returned" | "fee" | "fee_returned" | "funding" | "failed";
export type MatchedBy = "utr" | "payment_id" | "reference" | "sum" | "hand";
/** `fee` is a fee that nobody has booked yet; `undone` is a line whose match was undone. */
export type Difference = "amount" | "side" | "failed" | "again" | "duplicate" | "fee" | "undone";

/** A line without a match. */
export type OpenLine = {
  readonly lineId: bigint;
  readonly bookedOn: Temporal.PlainDate;
  readonly side: Side;
  readonly amountPaise: bigint;
  /** Separated by spaces. */
  readonly keys: string;
  readonly paymentOf: bigint | null;
  readonly isCharge: boolean;
  /** The line that it may repeat, in a file of another format. */
  readonly duplicateOf: bigint | null;
};

export type Item = {
  readonly subjectId: bigint;
  readonly kind: ItemKind;
  readonly amountPaise: bigint;
  readonly postedOn: Temporal.PlainDate;
  readonly utrKey: string | null;
  readonly referenceKey: string | null;
  readonly matchId: bigint | null;
  /** The subject of its next posting, if it is not its own: an earlier match of it was undone. */
  readonly postingId: bigint | null;
};

export type Match = { readonly lines: readonly OpenLine[]; readonly items: readonly Item[]; readonly by: MatchedBy };
/** A line that was not matched, and why. */
export type UnmatchedLine = {
  readonly line: OpenLine;
  readonly state: "missing_here" | "different";
  readonly aboutId: bigint | null;
  readonly difference: Difference | null;
};
export type Decision = { readonly matches: readonly Match[]; readonly unmatched: readonly UnmatchedLine[] };

/** The items that a line with a UTR may match: one kind, or a payment with its fee, as accounts that charge at once show it. */
const KINDS_OF_A_LINE: readonly (readonly ItemKind[])[] = [
  ["paid"],
  ["fee"],
  ["returned"],
  ["fee_returned"],
  ["funding"],
  ["paid", "fee"],
  ["returned", "fee_returned"],
];
/** The last day whose fees a line may combine: the line's own day, or one before it. */
const CHARGE_ENDS_DAYS_BEFORE = [0, 1, 2, 3];
/** The number of days: RazorpayX current accounts collect fees every one to three days, and banks may book over a weekend. */
const CHARGE_DAYS_MOST = 7;

/** The side of the account an item is on; none if it failed. */
export function sideOf(kind: ItemKind): Side | null {
  if (kind === "failed") return null;
  return kind === "paid" || kind === "fee" ? "out" : "in";
}

/**
 * Matches lines with items. `items` are those with a reference of any of the lines, matched or not; `fees` are all open fees and
 * returned fees. Yields to other work.
 */
export async function matchLines(
  lines: readonly OpenLine[],
  items: readonly Item[],
  fees: readonly Item[],
): Promise<Decision> {
  const matcher = new Matcher(items);
  const later: OpenLine[] = [];
  for await (const line of inTurns(lines)) if (!matcher.takeEqual(line)) later.push(line);
  // Lines that may repeat others are not added up.
  const counted = later.filter(({ duplicateOf }) => duplicateOf === null);
  await matcher.takeSums(counted);
  await matcher.takeCharges(counted, fees);
  const unmatched: UnmatchedLine[] = [];
  for await (const line of inTurns(later)) if (!matcher.isTaken(line)) unmatched.push(matcher.explainUnmatched(line));
  return { matches: matcher.matches, unmatched };
}

type Candidate = { readonly item: Item; readonly by: "utr" | "payment_id" | "reference" };

type OpenDay = { readonly items: readonly Item[]; readonly paise: bigint };

class Matcher {
  readonly matches: Match[] = [];
  readonly #byUtr: ReadonlyMap<string, readonly Item[]>;
  readonly #byReference: ReadonlyMap<string, readonly Item[]>;
  readonly #bySubject: ReadonlyMap<bigint, readonly Item[]>;
  readonly #taken = new Set<bigint | string>();
  readonly #openDays = new Map<string, OpenDay>();

  constructor(items: readonly Item[]) {
    const named = (nameOf: (item: Item) => string | null) => {
      const withName = items.filter((item) => nameOf(item) !== null);
      return Map.groupBy(withName, (item) => nameOf(item)!);
    };
    this.#byUtr = named(({ utrKey }) => utrKey);
    this.#byReference = named(({ referenceKey }) => referenceKey);
    this.#bySubject = Map.groupBy(items, ({ subjectId }) => subjectId);
  }

  isTaken(line: OpenLine): boolean {
    return this.#taken.has(line.lineId);
  }

  /** Matches the item with a line's reference, side and amount: by UTR, then by the payment's id, then by our own reference. */
  takeEqual(line: OpenLine): boolean {
    const found = this.#candidates(line).find(
      ({ item, by }) =>
        (line.duplicateOf === null || by !== "reference") &&
        this.#isOpen(item) &&
        sideOf(item.kind) === line.side &&
        item.amountPaise === line.amountPaise,
    );
    if (found) this.#take({ lines: [line], items: [found.item], by: found.by });
    return found !== undefined;
  }

  /** Matches lines and items that share a UTR and have the same amount only together; and a failed payment that came back. */
  async takeSums(lines: readonly OpenLine[]): Promise<void> {
    const byUtr = new Map<string, OpenLine[]>();
    for await (const line of inTurns(lines)) {
      const key = line.keys.split(" ").find((each) => this.#byUtr.has(each));
      if (key === undefined) continue;
      const withKey = byUtr.get(key);
      if (withKey) withKey.push(line);
      else byUtr.set(key, [line]);
    }
    for await (const [key, withKey] of inTurns(byUtr)) {
      const items = this.#byUtr.get(key)!;
      for (const kinds of KINDS_OF_A_LINE) {
        const open = items.filter((item) => kinds.includes(item.kind) && this.#isOpen(item));
        this.#takeSum(
          withKey.filter((line) => line.side === sideOf(kinds[0]!) && !this.isTaken(line)),
          open,
        );
      }
      this.#takeReturned(
        withKey.filter((line) => !this.isTaken(line)),
        items,
      );
    }
  }

  #takeSum(lines: readonly OpenLine[], items: readonly Item[]): void {
    if (lines.length === 0 || items.length === 0 || sumOf(lines) !== sumOf(items)) return;
    this.#take({ lines, items, by: "utr" });
  }

  /** A failed payment may have left the account and come back: both lines match each other, and no money has moved. */
  #takeReturned(lines: readonly OpenLine[], items: readonly Item[]): void {
    const failed = items.find((item) => item.kind === "failed" && this.#isOpen(item));
    const [out, back] = (["out", "in"] as const).map((side) =>
      lines.find((line) => line.side === side && line.amountPaise === failed?.amountPaise),
    );
    if (failed && out && back) this.#take({ lines: [out, back], items: [failed], by: "utr" });
  }

  /** Matches lines that are the sum of all open fees of a day or of several consecutive days, less refunds. */
  async takeCharges(lines: readonly OpenLine[], fees: readonly Item[]): Promise<void> {
    if (fees.length === 0) return;
    const byDay = Map.groupBy(fees, ({ postedOn }) => postedOn.toString());
    for await (const line of inTurns(lines)) {
      if (!line.isCharge || this.isTaken(line)) continue;
      const items = this.#feesOf(line, byDay);
      if (items) this.#take({ lines: [line], items, by: "sum" });
    }
  }

  /** The fees that a line combines: of as few days as possible, the latest first. */
  #feesOf({ bookedOn, side, amountPaise }: OpenLine, byDay: ReadonlyMap<string, readonly Item[]>): Item[] | null {
    const wanted = side === "out" ? amountPaise : -amountPaise;
    for (let count = 1; count <= CHARGE_DAYS_MOST; count += 1) {
      for (const before of CHARGE_ENDS_DAYS_BEFORE) {
        const days = Array.from({ length: count }, (_, index) =>
          this.#openOn(byDay, bookedOn.subtract({ days: before + index }).toString()),
        );
        const sum = days.reduce((paise, day) => paise + day.paise, 0n);
        // A run that begins or ends with an empty day equals a shorter one.
        if (sum === wanted && days[0]!.items.length > 0 && days.at(-1)!.items.length > 0)
          return days.flatMap(({ items }) => items);
      }
    }
    return null;
  }

  /** The open fees of a day, and their sum less refunds. Cached until one is matched. */
  #openOn(byDay: ReadonlyMap<string, readonly Item[]>, day: string): OpenDay {
    const known = this.#openDays.get(day);
    if (known) return known;
    const items = (byDay.get(day) ?? []).filter((item) => this.#isOpen(item));
    const paise = items.reduce((sum, { kind, amountPaise }) => sum + (kind === "fee" ? amountPaise : -amountPaise), 0n);
    const open = { items, paise };
    this.#openDays.set(day, open);
    return open;
  }

  /** Why a line has no match: the item with its reference, if any, and how the two differ. */
  explainUnmatched(line: OpenLine): UnmatchedLine {
    if (line.duplicateOf !== null)
      return { line, state: "different", aboutId: line.duplicateOf, difference: "duplicate" };
    // Equal digits in a merchant's own reference prove little: only the bank's or provider's references count.
    const known = this.#candidates(line)
      .filter(({ by }) => by !== "reference")
      .map(({ item }) => item);
    const about = known.find(({ kind }) => sideOf(kind) === line.side) ?? known[0];
    if (!about) return { line, state: "missing_here", aboutId: null, difference: null };
    return { line, state: "different", aboutId: about.subjectId, difference: this.#differenceOf(line, about) };
  }

  #differenceOf(line: OpenLine, { kind, amountPaise, ...item }: Item): Difference {
    if (kind === "failed") return "failed";
    if (sideOf(kind) !== line.side) return "side";
    if (amountPaise !== line.amountPaise) return "amount";
    return this.#isOpen({ kind, amountPaise, ...item }) ? "amount" : "again";
  }

  #candidates(line: OpenLine): Candidate[] {
    const keys = line.keys === "" ? [] : line.keys.split(" ");
    const payment = line.paymentOf === null ? [] : (this.#bySubject.get(line.paymentOf) ?? []);
    return [
      ...keys.flatMap((key) => (this.#byUtr.get(key) ?? []).map((item) => ({ item, by: "utr" as const }))),
      ...payment.map((item) => ({ item, by: "payment_id" as const })),
      ...keys.flatMap((key) => (this.#byReference.get(key) ?? []).map((item) => ({ item, by: "reference" as const }))),
    ];
  }

  #isOpen(item: Item): boolean {
    return item.matchId === null && !this.#taken.has(nameOf(item));
  }

  #take(match: Match): void {
    this.matches.push(match);
    this.#openDays.clear();
    for (const { lineId } of match.lines) this.#taken.add(lineId);
    for (const item of match.items) this.#taken.add(nameOf(item));
  }
}

function nameOf({ subjectId, kind }: Item): string {
  return `${subjectId} ${kind}`;
}

function sumOf(parts: readonly { readonly amountPaise: bigint }[]): bigint {
  return parts.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
}
