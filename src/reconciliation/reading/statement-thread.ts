// The thread in which a file of a stranger's is read: other requests go on meanwhile, whatever is in it.
// What belongs here: handing over what was read, a slice at a time. Limits of time and memory are read-aside.ts.
import { parentPort, workerData } from "node:worker_threads";
import { NodalError } from "../../platform/errors.ts";
import { readStatementFile } from "./read-statement.ts";
import { SLICE_LINES } from "./statement.ts";
import type { Asked, PlainLine, Said } from "./thread-messages.ts";

const port = parentPort!;
const { bytes, options } = workerData as Asked;
const say = (said: Said): void => port.postMessage(said);

try {
  const { lines, ...head } = await readStatementFile(bytes, options);
  let from = 0;
  port.on("message", () => {
    const slice = lines.slice(from, from + SLICE_LINES);
    from += SLICE_LINES;
    say({ lines: slice.map((line): PlainLine => ({ ...line, bookedOn: line.bookedOn.toString() })) });
  });
  say({ head, lineCount: lines.length });
} catch (error) {
  if (!(error instanceof NodalError)) throw error;
  const { code, message, errors } = error;
  say({ refused: { code, message, errors } });
}
