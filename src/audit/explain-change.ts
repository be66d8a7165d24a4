// Does the log explain the changes of a thing since its seal? Only then is it sealed again: the next genuine entry
// about the same thing must not legalize a change by SQL.
import type { KeyObject } from "node:crypto";
import type { JsonObject } from "../platform/json.ts";
import { isSame } from "../platform/bytes.ts";
import { stampOf, STAMP_BYTES, type ThingState } from "./seal.ts";
import type { ItemFacts, ThingKind } from "./fact.ts";

/** The content of an entry about a thing. */
export type Word = {
  readonly type: string;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
};

/** A member of entries that were too long to list all changes. */
const CUT = "and_more";
const LONGEST_NAME = 60;

/**
 * Do the entries since the last mark explain all differences? @param sealed the facts of the last mark; `null` if there
 * is none @param words the entries since then, including unsealed ones, since the row is the current one
 */
export function isExplained(
  key: KeyObject,
  kind: ThingKind,
  { facts, ...thing }: ThingState,
  sealed: Buffer | null,
  words: readonly Word[],
): boolean {
  const says = (by: readonly string[]): boolean => by.some((each) => words.some((word) => matchesWord(word, each)));
  if (says(kind.made)) return true;
  if (sealed === null) return says(kind.first ?? []);
  if (facts.length === 0) return sealed.length === 0 || says(kind.ended ?? []);
  if (sealed.length === 0) return false;
  const reasons = [...kind.facts, ...(kind.secrets ?? [])];
  const fixedBytes = reasons.length * STAMP_BYTES;
  const isFixedPartExplained = reasons.every(({ by }, place) => {
    return isSame(stampAt(facts, place), stampAt(sealed, place)) || says(by);
  });
  if (!isFixedPartExplained) return false;
  const spokenOf = new Set(
    (kind.items ?? [])
      .flatMap((items) => namesIn(items, words))
      .map((name) => stampOf(key, { ...thing }, "item", name).toString("hex")),
  );
  const [now, then] = [facts, sealed].map((all) => readItems(all.subarray(fixedBytes)));
  const names = new Set([...now!.keys(), ...then!.keys()]);
  return [...names].every((name) => now!.get(name) === then!.get(name) || spokenOf.has(name));
}

/** The changed facts of a thing, for people: names of members, or of the missing entries. */
export function namesOfChanged(kind: ThingKind, now: Buffer, sealed: Buffer): string[] {
  const reasons = [
    ...kind.facts.map(({ sql, by }) => by[0] ?? sql.replaceAll(/\s+/g, " ").slice(0, LONGEST_NAME)),
    ...(kind.secrets ?? []).map(({ column }) => column),
  ];
  const changed = reasons.filter((_reason, place) => !isSame(stampAt(now, place), stampAt(sealed, place)));
  const [ofItems, sealedItems] = [now, sealed].map((all) => all.subarray(reasons.length * STAMP_BYTES));
  return ofItems!.equals(sealedItems!) ? changed : [...changed, ...(kind.items ?? []).map(({ table }) => table)];
}

function stampAt(facts: Buffer, place: number): Buffer {
  return facts.subarray(place * STAMP_BYTES, (place + 1) * STAMP_BYTES);
}

/** Does an entry have this type, or this member? */
function matchesWord({ type, before, after }: Word, by: string): boolean {
  const [name = "", member] = by.split(":");
  if (member !== undefined) return type === name && hasMember(before, after, member);
  return name.includes(".") ? type === name : hasMember(before, after, name);
}

function hasMember(before: JsonObject | null, after: JsonObject | null, name: string): boolean {
  return [before, after].some(
    (values) => values !== null && (Object.hasOwn(values, name) || Object.hasOwn(values, CUT)),
  );
}

/** The items that entries mention, by their names in facts. */
function namesIn({ table, by, member }: ItemFacts, words: readonly Word[]): string[] {
  return words
    .filter(({ type }) => type.startsWith(by))
    .flatMap(({ before, after }) => [before?.[member], after?.[member]])
    .filter((name) => typeof name === "string")
    .map((name) => itemName(table, name));
}

/** The name of a table's item among all items of a thing. */
export function itemName(table: string, name: string): string {
  return `${table} ${name}`;
}

/** The stamps of items, by the stamps of their names. */
function readItems(stamps: Buffer): Map<string, string> {
  const items = new Map<string, string>();
  for (let offset = 0; offset < stamps.length; offset += 2 * STAMP_BYTES) {
    const name = stamps.subarray(offset, offset + STAMP_BYTES).toString("hex");
    items.set(name, stamps.subarray(offset + STAMP_BYTES, offset + 2 * STAMP_BYTES).toString("hex"));
  }
  return items;
}
