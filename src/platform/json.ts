// Values that JSON can hold, as a type, and JSON whose numbers are exact. Bodies of requests are read by the platform's http.
import { formatPaise } from "./money.ts";

/** What JSON can say. There is no bigint in it: amounts and ids are texts. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export type JsonObject = { readonly [name: string]: Json | undefined };

/** What JavaScript has, and TypeScript's library has not yet: a number's own text, read and written. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => object }).rawJSON;

/** Parses JSON with every number as its text, so that amounts stay exact. Throws a SyntaxError for what is none. */
export function parseJson(text: string): unknown {
  const keep = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown =>
    typeof value === "number" ? source : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}

/** Writes JSON; a bigint is a number. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? rawJson(String(item)) : item));
}

/** Rupees with two decimals as a JSON number, from paise. */
export function rupeesNumber(paise: bigint): object {
  return rawJson(formatPaise(paise));
}
