// Reads the text of a statement in tests. No assertions.
import { formatPaise } from "../../platform/money.ts";
import { readStatementFile } from "./read-statement.ts";
import { signed, type ColumnMapping, type ReadStatement } from "./statement.ts";

/** Reads a file as an import does. */
export function read(file: string | Uint8Array, mapping: ColumnMapping | null = null): Promise<ReadStatement> {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  return readStatementFile(bytes, { mapping, key: "test" });
}

/** Each line as a text: day, signed amount, reference, narration. */
export async function linesOf(file: string | Uint8Array, mapping: ColumnMapping | null = null): Promise<string[]> {
  const { lines } = await read(file, mapping);
  return lines.map((line) => {
    return [line.bookedOn.toString(), formatPaise(signed(line)), line.reference ?? "none", line.narration].join(" | ");
  });
}

/** Opening and closing balance, or none. */
export async function balancesOf(file: string): Promise<string[]> {
  const { openingPaise, closingPaise } = await read(file);
  return [openingPaise, closingPaise].map((paise) => (paise === null ? "none" : formatPaise(paise)));
}

/** The text of a file with these rows. */
export const rows = (...lines: string[]): string => `${lines.join("\n")}\n`;
