// A process that runs commands of `nodal` one after the other, for tests that are not about the start of a process.
import type * as Nodal from "../../src/cli/nodal.ts";
import { loadProgram } from "../../src/program.ts";

/** The parent's request. `args` are those after `nodal`. */
export type HostedCommand = {
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
};

/** How a command ended. */
export type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Each command listens for signals until the process ends. */
const NO_LIMIT = 0;

const { runCommand } = (await loadProgram("nodal")) as typeof Nodal;

process.setMaxListeners(NO_LIMIT);
process.once("disconnect", () => process.exit());
process.on("message", (command: HostedCommand) => void run(command).then((result) => process.send!(result)));

async function run({ environment, args }: HostedCommand): Promise<CommandResult> {
  process.env = { ...environment };
  process.exitCode = undefined;
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  try {
    await runCommand(args);
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text, stderr: stderr.text };
  } finally {
    stdout.release();
    stderr.release();
  }
}

/** Captures a stream's output instead of writing it. */
function capture(stream: NodeJS.WriteStream): { readonly text: string; release(): void } {
  const write = stream.write.bind(stream);
  const kept: string[] = [];
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    kept.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const done = rest.find((each) => typeof each === "function") as (() => void) | undefined;
    if (done) process.nextTick(done);
    return true;
  };
  return {
    get text() {
      return kept.join("");
    },
    release: () => {
      stream.write = write;
    },
  };
}
