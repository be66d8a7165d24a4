// Lists as files: CSV that is sent while it is read, so that its length does not matter.
// What belongs here: the answer. Which columns there are is the routes' choice.
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { NodalError } from "../platform/errors.ts";
import { csvLine, type CsvCell } from "../platform/csv.ts";
import { Gate } from "../platform/gate.ts";

/** Lines that go out together. */
const LINES_AT_ONCE = 500;

/** A file that nobody reads on for so long is broken off, and one that takes so long in all. */
const UNREAD_MS = 30_000;
const LONGEST_MS = 10 * 60_000;

const REFUSAL = "Too many files are being made for you at once: wait until one of them is there, then try again.";
/** Files are made a few at a time, since each reads a whole list: two of one merchant, which takes turns with others. */
const files = new Gate({
  atOnce: 6,
  atOncePerKey: 2,
  maxWaiting: 200,
  maxWaitingPerKey: 4,
  waitMs: 60_000,
  refusal: REFUSAL,
});

/**
 * Answers a route of a merchant with a file of a line of headings and one line for each row.
 * @throws NodalError `unavailable` where too many files are being made
 */
export async function sendCsv<Row>(
  reply: FastifyReply,
  fileName: string,
  columns: Readonly<Record<string, (row: Row) => CsvCell>>,
  rows: AsyncIterable<Row>,
): Promise<FastifyReply> {
  const leave = await files.enter(String(reply.request.dashboard.merchant?.merchantId));
  if (reply.raw.destroyed) {
    // He left while he waited.
    leave();
    throw new NodalError("unavailable", REFUSAL);
  }
  const cells = Object.values(columns);
  const lines = async function* (): AsyncGenerator<string> {
    let waiting = [csvLine(Object.keys(columns))];
    for await (const row of rows) {
      waiting.push(csvLine(cells.map((cell) => cell(row))));
      if (waiting.length < LINES_AT_ONCE) continue;
      const unread = setTimeout(breakOff, UNREAD_MS);
      yield `${waiting.join("\r\n")}\r\n`;
      clearTimeout(unread);
      waiting = [];
    }
    if (waiting.length > 0) yield `${waiting.join("\r\n")}\r\n`;
  };
  const file = Readable.from(lines());
  const breakOff = (): void => void file.destroy(new Error("Nobody reads this file."));
  const longest = setTimeout(breakOff, LONGEST_MS);
  file.once("close", () => {
    clearTimeout(longest);
    leave();
  });
  // Nobody waits for it any more, also where he left before the first line.
  reply.raw.once("close", () => file.destroy());
  reply.header("content-disposition", `attachment; filename="${fileName}"`);
  return reply.type("text/csv; charset=utf-8").send(file);
}
