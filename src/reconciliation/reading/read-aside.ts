// Reads a statement in a separate process, so that a file made to use much time or memory delays nobody else. A thread is not
// enough: JSON.parse out of memory in a thread ends the server.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { NodalError } from "../../platform/errors.ts";
import { MAX_FILE_BYTES } from "../../platform/file-size.ts";
import { Gate } from "../../platform/gate.ts";
import { forkLimited, limitProcessorTime } from "../../platform/limited-process.ts";
import { MORE, type ReadRequest, type ReadReply } from "./process-messages.ts";
import { readStatementFile } from "./read-statement.ts";
import { unreadable, type ReadLine, type ReadOptions, type ReadStatement } from "./statement.ts";

/** `timeMs` is processor time. The largest accepted file takes a fraction of both. */
const LIMITS = { timeMs: 20_000, memoryMiB: 768 };
const READER = fileURLToPath(new URL("./statement-process.ts", import.meta.url));

const reading = new Gate({
  atOnce: 2,
  atOncePerKey: 1,
  maxWaiting: 32,
  maxWaitingPerKey: 8,
  waitMs: 60_000,
  refusal: "Too many statements are being read at once: wait until one of yours is done, then try again.",
});

/**
 * Reads a statement like `readStatementFile`, in a separate process.
 * @throws NodalError `validation_failed`, also for a file that takes too long or too much memory; `unavailable` if too many are
 * being read
 */
export async function readStatementAside(
  bytes: Uint8Array,
  options: ReadOptions,
  limits = LIMITS,
): Promise<ReadStatement> {
  // A file that is too large needs no process.
  if (bytes.length > MAX_FILE_BYTES) return readStatementFile(bytes, options);
  return reading.run(options.key, () => readInProcess({ bytes, options }, limits));
}

async function readInProcess(asked: ReadRequest, { timeMs, memoryMiB }: typeof LIMITS): Promise<ReadStatement> {
  const reader = forkLimited({ script: READER, memoryMiB, stderr: "ignore", yields: true });
  const lost = new AbortController();
  const endWatch = limitProcessorTime(reader, timeMs, () => lost.abort());
  // The process exits when it runs out of memory.
  reader.once("exit", () => lost.abort());
  const ask = async (message: ReadRequest | typeof MORE): Promise<ReadReply> => {
    // Rejects with `AbortError` if the process is gone.
    const said = once(reader, "message", { signal: lost.signal });
    reader.send(message, (error) => error && lost.abort());
    return (await said)[0] as ReadReply;
  };
  try {
    const first = await ask(asked);
    if ("refused" in first) throw refusalOf(first);
    if ("failed" in first) throw new Error(`the process that reads a statement failed: ${first.failed}`);
    if (!("head" in first)) throw new Error("the process that reads a statement began with its lines");
    const lines: ReadLine[] = [];
    while (lines.length < first.lineCount) {
      const said = await ask(MORE);
      if (!("lines" in said) || said.lines.length === 0) throw new Error("lines of a statement were kept back");
      for (const line of said.lines) lines.push({ ...line, bookedOn: Temporal.PlainDate.from(line.bookedOn) });
    }
    return { ...first.head, lines };
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    throw unreadable("Reading the file takes too much time or memory.", "Split it by days.");
  } finally {
    endWatch();
    reader.kill("SIGKILL");
  }
}

function refusalOf({ refused: { code, message, errors } }: Extract<ReadReply, { refused: unknown }>): NodalError {
  return new NodalError(code, message, { errors });
}
