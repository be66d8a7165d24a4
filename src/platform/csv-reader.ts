// Reading CSV as people's spreadsheets write it: quotes, line breaks in quotes, commas or semicolons, a mark at the start.
// What belongs here: text to cells, with the line on which each record begins. What the cells mean is the caller's.
export type CsvRecord = {
  /** Of the file, from 1: where the record begins. */
  readonly line: number;
  readonly cells: readonly string[];
};

const BYTE_ORDER_MARK = "\uFEFF";

/** The records of a text; lines without any content are left out. Cells are trimmed. */
export function readCsv(text: string): CsvRecord[] {
  const source = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const separator = separatorOf(source);
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  let line = 1;
  let firstLine = 1;
  const endRecord = (): void => {
    cells.push(cell.trim());
    if (cells.some((each) => each !== "")) records.push({ line: firstLine, cells });
    cells = [];
    cell = "";
  };
  for (let place = 0; place < source.length; place += 1) {
    const character = source[place]!;
    if (character === "\n") line += 1;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (source[place + 1] === '"') {
        cell += '"';
        place += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell.trim() === "") {
      cell = "";
      isQuoted = true;
    } else if (character === separator) {
      cells.push(cell.trim());
      cell = "";
    } else if (character === "\n") {
      endRecord();
      firstLine = line;
    } else if (character !== "\r") cell += character;
  }
  endRecord();
  return records;
}

/** The one of comma, semicolon and tab that the first line has most of, outside quotes. */
function separatorOf(source: string): string {
  const head = (source.split("\n", 1)[0] ?? "").replaceAll(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((separator) => ({ separator, count: head.split(separator).length }));
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).separator;
}
