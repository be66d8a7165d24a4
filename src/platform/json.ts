// JSON: its values as a type, and parsing and writing it with exact numbers.
import { randomBytes } from "node:crypto";
import { scanJson } from "./json-scan.ts";
import { formatPaise } from "./money.ts";

/** What JSON can say. There is no bigint in it: amounts and ids are texts. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export type JsonObject = { readonly [name: string]: Json | undefined };

/** TypeScript's library has no type for it yet: writes a number from its text. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => object }).rawJSON;

/**
 * A number whose text in the JSON source means more than the double it would become: an exponent, more digits than a
 * double keeps, a negative zero. Only the fields that take numbers look inside.
 * docs/rules/values-and-errors.md#numbers-and-strings
 */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A random text that begins the strings which stand for numbers during parsing. No sender can know it. */
const NUMBER_MARK = randomBytes(16).toString("hex");
const QUOTE = 0x22;

/**
 * Parses JSON with a `NumberLiteral` for each of these numbers, which `scanJson` has found. JSON.parse with a function that
 * reads each number's source is slower by two orders of magnitude.
 * @param parse parses the text, in which these numbers are strings
 * @throws SyntaxError, or what else `parse` throws
 */
export function parseExactly(bytes: Buffer, numbers: readonly number[], parse: (text: string) => unknown): unknown {
  if (numbers.length === 0) return parse(bytes.toString("utf8"));
  return readMarks(parse(markNumbers(bytes, numbers)));
}

/**
 * Parses JSON with every number as text, so that amounts stay exact and ids are always strings. `1.50` may become `1.5`.
 * @throws SyntaxError for text that is not JSON
 */
export function parseJson(text: string): unknown {
  const bytes = Buffer.from(text);
  const { numbers } = scanJson(bytes, NO_LIMITS);
  return numbersToText(parseExactly(bytes, numbers, (marked) => JSON.parse(marked) as unknown));
}

const NO_LIMITS = { depth: Infinity, values: Infinity, unusualNumbers: Infinity };

/** The text with these numbers as marked strings. A string is allowed wherever a number is. */
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
