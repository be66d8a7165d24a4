// `npm run crash -- --breakages 100 --seed N --provider both`: a crash run with its report. Exits with 1 where the books do not hold.
import { parseArgs } from "node:util";
import { describeReport, runCrashes } from "./crash-run.ts";
import { PROVIDER_CHOICES, type ProviderChoice } from "./provider-banks.ts";

const USAGE =
  "usage: npm run crash -- [--breakages N, by default 100] [--seed N, by default a new one] " +
  `[--provider ${PROVIDER_CHOICES.join("|")}, by default the simulated bank]`;
const MAX_BREAKAGES = 10_000;

/** @throws Error with a sentence about the option that can't be used */
function wholeNumber(name: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new Error(`--${name} must be a whole number from ${least} to ${most}.`);
}

/** @throws Error with a sentence about a provider that there is not */
function providerOf(name: string | undefined): ProviderChoice | null {
  if (name === undefined) return null;
  const choice = PROVIDER_CHOICES.find((each) => each === name);
  if (!choice) throw new Error(`--provider must be one of ${PROVIDER_CHOICES.join(", ")}.`);
  return choice;
}

function readOptions(): { breakages: number; seed: number; provider: ProviderChoice | null } {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { breakages: text, seed: text, provider: text } });
  const newSeed = String(Math.floor(Math.random() * 1_000_000));
  return {
    breakages: wholeNumber("breakages", values.breakages ?? "100", 1, MAX_BREAKAGES),
    seed: wholeNumber("seed", values.seed ?? newSeed, 0, 2 ** 32 - 1),
    provider: providerOf(values.provider),
  };
}

async function main(): Promise<void> {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions();
  } catch (error) {
    console.error(`crash: ${(error as Error).message}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  console.log(`seed ${options.seed}${options.provider ? `, provider ${options.provider}` : ""}`);
  try {
    console.log(describeReport(await runCrashes({ ...options, onProgress: (line) => console.log(line) })));
  } catch (error) {
    console.error(`crash: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

await main();
