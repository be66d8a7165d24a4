import { writeXlsxStream } from "hucre/xlsx";
import type { CsvCell } from "./csv.ts";
import { formatPaise } from "./money.ts";

/** The media type of a workbook. */
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
 * A workbook with one sheet of any length, streamed as it is read. Texts stay texts: formulas in them don't run.
 * Amounts (bigint, in paise) and `numbers` are numbers; amounts have two decimals. A day in a column named as a date is
 * a date, so that spreadsheets can sort and group it.
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
 * A cell for the file. Numbers are texts of at most 15 digits, which a float prints exactly; nothing calculates with them.
 */
function toCell(cell: CsvCell, kind: Kind): string | number | Date {
  const text = typeof cell === "bigint" ? formatPaise(cell) : cell;
  if (kind === "date" && DAY.test(text)) return new Date(`${text}T00:00:00Z`);
  return text !== "" && (kind === "number" || typeof cell === "bigint") ? Number(text) : text;
}
