// Standard output and error whose reader has gone, as `head` goes once it has read enough.
// What belongs here: telling that apart from what is really wrong.
import { writeSync } from "node:fs";
import { describeFailure } from "./failure.ts";

/** Whether an error of a stream says that nobody reads it any more. */
export function isClosedPipe(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === "EPIPE";
}

/**
 * Lets the process go on where nobody reads what it says, without a word about it and with the exit code that it would have
 * had. Anything else that is wrong with the streams, such as a full disk, ends it with a sentence.
 */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners("error").includes(onError)) continue;
    stream.on("error", onError);
  }
}

function onError(error: Error): void {
  if (isClosedPipe(error)) return;
  // Where standard error is what is broken, the exit code has to do.
  writeSync(process.stderr.fd, `nodal: the output can't be written: ${describeFailure(error)}\n`);
  process.exit(1);
}
