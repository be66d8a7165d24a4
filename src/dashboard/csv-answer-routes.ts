// Lists as files: CSV that is sent while it is read, so that its length does not matter.
// What belongs here: the answer. Which columns there are is the routes' choice.
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { csvLine, type CsvCell } from "../platform/csv.ts";

/** Lines that go out together. */
const LINES_AT_ONCE = 500;

/** Answers with a file of a line of headings and one line for each row. */
export function sendCsv<Row>(
  reply: FastifyReply,
  fileName: string,
  columns: Readonly<Record<string, (row: Row) => CsvCell>>,
  rows: AsyncIterable<Row>,
): FastifyReply {
  const cells = Object.values(columns);
  const lines = async function* (): AsyncGenerator<string> {
    let waiting = [csvLine(Object.keys(columns))];
    for await (const row of rows) {
      waiting.push(csvLine(cells.map((cell) => cell(row))));
      if (waiting.length < LINES_AT_ONCE) continue;
      yield `${waiting.join("\r\n")}\r\n`;
      waiting = [];
    }
    if (waiting.length > 0) yield `${waiting.join("\r\n")}\r\n`;
  };
  reply.header("content-disposition", `attachment; filename="${fileName}"`);
  return reply.type("text/csv; charset=utf-8").send(Readable.from(lines()));
}
