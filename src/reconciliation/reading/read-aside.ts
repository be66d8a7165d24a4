// A statement is read in a thread of its own: a file that is made to take long, or much memory, holds nobody else up.
// What belongs here: how many at once, and for how long. What a file says is read-statement.ts.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { NodalError } from "../../platform/errors.ts";
import { Gate } from "../../platform/gate.ts";
import { MAX_STATEMENT_BYTES, readStatementFile } from "./read-statement.ts";
import { unreadable, type ReadLine, type ReadOptions, type ReadStatement } from "./statement.ts";
import type { Asked, Said } from "./thread-messages.ts";

/** Of a processor. The largest file that may be takes a fraction of it. */
const TIME_LIMIT_MS = 60_000;
/** On a busy machine a thread has to wait for its time: so many times as long, at most. */
const BUSY_MACHINE_FACTOR = 10;
const LOOK_MS = 250;
const MEMORY_LIMIT_MIB = 768;
const THREAD = new URL("./statement-thread.ts", import.meta.url);

const reading = new Gate({
  atOnce: 2,
  atOncePerKey: 1,
  maxWaiting: 32,
  maxWaitingPerKey: 8,
  waitMs: 60_000,
  refusal: "Too many statements are being read at once: wait until one of yours is done, then try again.",
});

/**
 * Reads a statement as `readStatementFile` does, in a thread of its own.
 * @throws NodalError `validation_failed`, also for a file that takes too long or too much memory; `unavailable` where too many
 * are being read
 */
export async function readStatementAside(
  bytes: Uint8Array,
  options: ReadOptions,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<ReadStatement> {
  // A file that is refused by its size needs no thread.
  if (bytes.length > MAX_STATEMENT_BYTES) return readStatementFile(bytes, options);
  return reading.run(options.key, () => readInThread({ bytes, options }, timeLimitMs));
}

async function readInThread(asked: Asked, timeLimitMs: number): Promise<ReadStatement> {
  const thread = new Worker(THREAD, {
    workerData: asked,
    // Nothing of the server's settings is of use there.
    env: {},
    execArgv: ["--disable-warning=ExperimentalWarning"],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MIB },
  });
  const tooLong = new AbortController();
  const wallLimit = AbortSignal.timeout(timeLimitMs * BUSY_MACHINE_FACTOR);
  const limit = AbortSignal.any([tooLong.signal, wallLimit]);
  const watch = setInterval(() => {
    void usedMs(thread).then((used) => (used > timeLimitMs ? tooLong.abort() : undefined));
  }, LOOK_MS);
  // `once` rejects where the thread breaks.
  const next = async (): Promise<Said> => (await once(thread, "message", { signal: limit }))[0] as Said;
  try {
    const first = await next();
    if ("refused" in first) throw refusalOf(first);
    if (!("head" in first)) throw new Error("the thread that reads a statement began with its lines");
    const lines: ReadLine[] = [];
    while (lines.length < first.lineCount) {
      const more = next();
      thread.postMessage("more");
      const said = await more;
      if (!("lines" in said) || said.lines.length === 0) throw new Error("the thread kept lines of a statement back");
      for (const line of said.lines) lines.push({ ...line, bookedOn: Temporal.PlainDate.from(line.bookedOn) });
    }
    return { ...first.head, lines };
  } catch (error) {
    if (isTooMuch(error))
      throw unreadable("The file takes too long to read, or too much memory.", "Divide it by days.");
    throw error;
  } finally {
    clearInterval(watch);
    await thread.terminate();
  }
}

/** What a thread has had of a processor; nothing where it has ended. */
async function usedMs(thread: Worker): Promise<number> {
  const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1000;
}

function refusalOf({ refused: { code, message, errors } }: Extract<Said, { refused: unknown }>): NodalError {
  return new NodalError(code, message, { errors });
}

function isTooMuch(error: unknown): boolean {
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  return name === "AbortError" || code === "ERR_WORKER_OUT_OF_MEMORY";
}
