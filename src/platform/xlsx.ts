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

type Kind = "number" | "date" | "other";

const DATE = /(?:^|_)date$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const FORMATS: Readonly<Record<Kind, { readonly numFmt?: string; readonly width?: number }>> = {
  number: {},
  // Narrower, a spreadsheet shows ##### in place of a date.
  date: { numFmt: "yyyy-mm-dd", width: 12 },
  other: { numFmt: "0.00" },
};

/**
 * A workbook with one sheet, made as fast as it is read, however long it is. Texts stay texts: one that begins like a formula is
 * not run. Amounts (bigint, in paise) and `numbers` are numbers; amounts have two decimals. A day in a column that is called a
 * date is a date, which a spreadsheet sorts and groups.
 */
export function xlsxFile({ name, headings, numbers, rows }: Sheet): AsyncIterable<Uint8Array> {
  const kinds = headings.map((heading) => (numbers.has(heading) ? "number" : DATE.test(heading) ? "date" : "other"));
  const columns = headings.map((header, index) => ({ header, ...FORMATS[kinds[index]!] }));
  const cells = async function* (): AsyncGenerator<(string | number | Date)[]> {
    for await (const row of rows) yield row.map((cell, index) => toCell(cell, kinds[index]!));
  };
  return writeXlsxStream(cells(), { name, columns, freezePane: { rows: 1 } });
}

/**
 * A cell as the file has it. A number there is text of at most 15 digits, which a float has exactly and writes as it was; nothing
 * calculates with it.
 */
function toCell(cell: CsvCell, kind: Kind): string | number | Date {
  const text = typeof cell === "bigint" ? formatPaise(cell) : cell;
  if (kind === "date" && DAY.test(text)) return new Date(`${text}T00:00:00Z`);
  return text !== "" && (kind === "number" || typeof cell === "bigint") ? Number(text) : text;
}
