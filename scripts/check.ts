// `npm run check`: every script of package.json whose name begins with `check:`, as many at once as there are processors,
// since most of them use one. Each prints what it has to say in one piece; all are run, also where one fails.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const waiting = Object.entries(scripts).filter(([name]) => name.startsWith("check:"));

/**
 * The compiler and the linter are Go: they end before what they have done with is worth collecting, which takes a sixth of
 * their time. Only beyond this much memory it is.
 */
const KEEPING_GARBAGE = { GOGC: "off", GOMEMLIMIT: "3GiB" };

/** Runs a command in a shell, as npm does, and prints what came out. Returns whether it ended well. */
async function passes(name: string, command: string): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn(`{ ${command}; } 2>&1`, {
    shell: true,
    env: { ...KEEPING_GARBAGE, ...process.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const output = (await text(child.stdout)).trimEnd();
  const isFine = (await ended) === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${isFine ? "✓" : "✗"} ${name} (${seconds} s)${output === "" ? "" : `\n${output}`}`);
  return isFine;
}

async function work(): Promise<boolean> {
  let areFine = true;
  for (let next = waiting.shift(); next; next = waiting.shift()) areFine = (await passes(...next)) && areFine;
  return areFine;
}

const workers = Array.from({ length: availableParallelism() }, work);
process.exitCode = (await Promise.all(workers)).every((areFine) => areFine) ? 0 : 1;
