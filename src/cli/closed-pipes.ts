// Standard output and error whose reader has gone, as `head` goes once it has read enough.
// What belongs here: telling that apart from what is really wrong.

/** Whether an error of a stream says that nobody reads it any more. */
export function isClosedPipe(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === "EPIPE";
}

/**
 * Lets the process go on where nobody reads what it says, without a word about it and with the exit code that it would have
 * had. Anything else that is wrong with the streams, such as a full disk, ends it as before.
 */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners("error").includes(onError)) continue;
    stream.on("error", onError);
  }
}

function onError(error: Error): void {
  if (isClosedPipe(error)) return;
  // Where standard error itself is broken there is no way left to say why.
  process.exitCode = 1;
  throw error;
}
