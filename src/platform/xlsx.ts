import { writeXlsxStream } from "hucre/xlsx";
import type { CsvCell } from "./csv.ts";
import { formatPaise } from "./money.ts";

/** Sent as the type of a file with a sheet. */
export const XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export type Sheet = {
  readonly name: string;
  readonly headings: readonly string[];
  /** The columns whose texts are numbers, such as rates and quantities. */
  readonly numbers: ReadonlySet<string>;
  readonly rows: AsyncIterable<readonly CsvCell[]>;
};

/**
 * A workbook with one sheet, made as fast as it is read, however long it is. Texts stay texts: one that begins like a formula is
 * not run. Amounts (bigint, in paise) and `numbers` are numbers; amounts have two decimals.
 */
export function xlsxFile({ name, headings, numbers, rows }: Sheet): AsyncIterable<Uint8Array> {
  const columns = headings.map((header) => ({ header, ...(numbers.has(header) ? {} : { numFmt: "0.00" }) }));
  const isNumber = headings.map((heading) => numbers.has(heading));
  const cells = async function* (): AsyncGenerator<(string | number)[]> {
    for await (const row of rows) yield row.map((cell, index) => toCell(cell, isNumber[index]!));
  };
  return writeXlsxStream(cells(), { name, columns, freezePane: { rows: 1 } });
}

/**
 * A cell as the file has it. A number there is text of at most 15 digits, which a float has exactly and writes as it was; nothing
 * calculates with it.
 */
function toCell(cell: CsvCell, isNumber: boolean): string | number {
  const text = typeof cell === "bigint" ? formatPaise(cell) : cell;
  return text !== "" && (isNumber || typeof cell === "bigint") ? Number(text) : text;
}
