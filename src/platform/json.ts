// JSON: its values as a type, and parsing and writing it with exact numbers.
import { randomBytes } from "node:crypto";
import { findRepeatedMember, scanJson, type JsonScan } from "./json-scan.ts";
import { formatPaise } from "./money.ts";

/** A JSON value. JSON has no bigint: amounts and ids are texts. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export type JsonObject = { readonly [name: string]: Json | undefined };

/** Writes a number from its text. TypeScript's library has no type for it yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => object }).rawJSON;

/**
 * A number that would change as a double: it has an exponent, too many digits, or is a negative zero. Only number
 * fields read its text. docs/rules/values-and-errors.md#numbers-and-strings
 */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A random prefix of the strings that replace numbers during parsing. No sender can know it. */
const NUMBER_MARK = randomBytes(16).toString("hex");
const QUOTE = 0x22;

/** An object has a member more than once. JSON parsers differ in which one they take. */
export class RepeatedMemberError extends SyntaxError {
  readonly member: string;

  constructor(member: string) {
    super(`${describeMember(member)} is repeated`);
    this.member = member;
  }
}

const MAX_SHOWN_NAME = 60;

/** A member's name as messages show it. */
export function describeMember(name: string): string {
  return JSON.stringify(name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name);
}

/**
 * Parses JSON with a `NumberLiteral` for each number that a double would change. JSON.parse with a function that
 * reads each number's source is slower by two orders of magnitude.
 * @param scan what `scanJson` has found
 * @param parse parses the text, in which these numbers are strings
 * @throws RepeatedMemberError, SyntaxError, or or what `parse` throws
 */
export function parseExactly(
  bytes: Buffer,
  { numbers, members }: Pick<JsonScan, "numbers" | "members">,
  parse: (text: string) => unknown,
): unknown {
  const value = parse(numbers.length === 0 ? bytes.toString("utf8") : markNumbers(bytes, numbers));
  // Objects only keep one member of each name. `parse` may also have removed unrepeated ones.
  if (countMembers(value) !== members) {
    const repeated = findRepeatedMember(bytes);
    if (repeated !== null) throw new RepeatedMemberError(repeated);
  }
  return numbers.length === 0 ? value : readMarks(value);
}

/**
 * Parses JSON with every number as text, so that amounts stay exact and ids are always strings. `1.50` may become `1.5`.
 * @throws SyntaxError for text that is not JSON, or has an object with a member more than once
 */
export function parseJson(text: string): unknown {
  const bytes = Buffer.from(text);
  const scan = scanJson(bytes, NO_LIMITS);
  return numbersToText(parseExactly(bytes, scan, (marked) => JSON.parse(marked) as unknown));
}

/** The number of members of all objects in a value. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) if (typeof item === "object") count += countMembers(item);
    return count;
  }
  for (const name in value) {
    count += 1;
    const member = (value as Record<string, unknown>)[name];
    if (typeof member === "object") count += countMembers(member);
  }
  return count;
}

const NO_LIMITS = { depth: Infinity, values: Infinity, unusualNumbers: Infinity };

/** Replaces these numbers by marked strings. A string is allowed wherever a number is. */
function markNumbers(bytes: Buffer, numbers: readonly number[]): string {
  const mark = Buffer.from(`"${NUMBER_MARK}`);
  const marked = Buffer.allocUnsafe(bytes.length + (numbers.length / 2) * (mark.length + 1));
  let from = 0;
  let to = 0;
  for (let index = 0; index < numbers.length; index += 2) {
    const [start, end] = [numbers[index]!, numbers[index + 1]!];
    to += bytes.copy(marked, to, from, start);
    to += mark.copy(marked, to);
    to += bytes.copy(marked, to, start, end);
    to = marked.writeUInt8(QUOTE, to);
    from = end;
  }
  to += bytes.copy(marked, to, from);
  return marked.toString("utf8", 0, to);
}

/** Replaces each marked string with a `NumberLiteral`. */
function readMarks(value: unknown): unknown {
  if (typeof value === "string" && value.startsWith(NUMBER_MARK)) {
    return new NumberLiteral(value.slice(NUMBER_MARK.length));
  }
  if (typeof value === "object" && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = members[name];
      if (typeof member === "string" || typeof member === "object") members[name] = readMarks(member);
    }
  }
  return value;
}

function numbersToText(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  if (value instanceof NumberLiteral) return value.text;
  if (typeof value === "object" && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) members[name] = numbersToText(members[name]);
  }
  return value;
}

/** Writes JSON; a bigint is a number. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? rawJson(String(item)) : item));
}

/** Rupees with two decimals as a JSON number, from paise. */
export function rupeesNumber(paise: bigint): object {
  return rawJson(formatPaise(paise));
}
