// What the stand-ins read from the bodies of requests.
import { parsePaise } from "../src/platform/money.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text of a member; empty where there is none. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Paise of a member in rupees; `null` where it is none. */
export function paiseOf(fields: Fields, name: string): bigint | null {
  return parsePaise(fields[name]);
}
