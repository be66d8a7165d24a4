// `npm run crash -- --breakages 100 --seed N`: a crash run with its report. Exits with 1 where the books do not hold.
// What belongs here: options and printing.
import { parseArgs } from "node:util";
import { describeReport, runCrashes } from "./crash-run.ts";

const USAGE = "usage: npm run crash -- [--breakages N, by default 100] [--seed N, by default a new one]";
const MOST_BREAKAGES = 10_000;

/** @throws Error with a sentence about the option that can't be used */
function wholeNumber(name: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new Error(`--${name} must be a whole number from ${least} to ${most}.`);
}

function readOptions(): { breakages: number; seed: number } {
  const { values } = parseArgs({ options: { breakages: { type: "string" }, seed: { type: "string" } } });
  const newSeed = String(Math.floor(Math.random() * 1_000_000));
  return {
    breakages: wholeNumber("breakages", values.breakages ?? "100", 1, MOST_BREAKAGES),
    seed: wholeNumber("seed", values.seed ?? newSeed, 0, 2 ** 32 - 1),
  };
}

async function main(): Promise<void> {
  let options: { breakages: number; seed: number };
  try {
    options = readOptions();
  } catch (error) {
    console.error(`crash: ${(error as Error).message}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  console.log(`seed ${options.seed}`);
  try {
    console.log(describeReport(await runCrashes({ ...options, onProgress: (line) => console.log(line) })));
  } catch (error) {
    console.error(`crash: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

await main();
