// The process that reads an untrusted file. It sends the lines in batches, so that the server's event loop is never blocked by all
// of them. read-aside.ts sets the limits of time and memory.
import { NodalError } from "../../platform/errors.ts";
import { MORE, type ReadRequest, type PlainLine, type ReadReply } from "./process-messages.ts";
import { readStatementFile } from "./read-statement.ts";
import { SLICE_LINES, type ReadLine } from "./statement.ts";

const say = (said: ReadReply): void => void process.send!(said);
let lines: readonly ReadLine[] = [];
let from = 0;

process.on("message", (message: ReadRequest | typeof MORE) => {
  if (message === MORE) sayLines();
  else void read(message);
});
process.on("disconnect", () => process.exit());
// A signal to the whole process group is meant for the server, which ends this process itself.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

async function read({ bytes, options }: ReadRequest): Promise<void> {
  try {
    const { lines: found, ...head } = await readStatementFile(bytes, options);
    lines = found;
    say({ head, lineCount: lines.length });
  } catch (error) {
    if (!(error instanceof NodalError)) return say({ failed: String((error as Error).stack) });
    const { code, message, errors } = error;
    say({
      refused: {
        code,
        message,
        errors: errors.map(({ field, code: each, problem }) => ({ field, code: each, problem })),
      },
    });
  }
}

function sayLines(): void {
  const slice = lines.slice(from, from + SLICE_LINES);
  from += SLICE_LINES;
  say({ lines: slice.map((line): PlainLine => ({ ...line, bookedOn: line.bookedOn.toString() })) });
}
