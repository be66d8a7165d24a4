// Options of benchmarks: whole numbers with limits, a profile's folder, and switches. Which there are is each
// benchmark's.
import { parseArgs } from "node:util";

export type NumberOption = { readonly usual: number; readonly maximum: number };

export type BenchOptions<Name extends string> = {
  readonly numbers: Readonly<Record<Name, number>>;
  /** Names of the switches that were given. */
  readonly switches: ReadonlySet<string>;
  readonly profileFolder: string | null;
};

/**
 * Reads a benchmark's options, runs it with them, and returns the exit code: that of the run, or 2 for an option that
 * can't be used, which is said together with `usage`.
 */
export async function withOptions<Name extends string>(
  args: readonly string[],
  given: {
    readonly usage: string;
    readonly numbers: Readonly<Record<Name, NumberOption>>;
    readonly switches?: readonly string[];
  },
  run: (options: BenchOptions<Name>) => Promise<number>,
): Promise<number> {
  let options: BenchOptions<Name>;
  try {
    options = readOptions(args, given.numbers, given.switches ?? []);
  } catch (error) {
    console.error(`bench: ${(error as Error).message}\n${given.usage}`);
    return 2;
  }
  return run(options);
}

/** @throws Error with a sentence about the option that can't be used */
function readOptions<Name extends string>(
  args: readonly string[],
  numbers: Readonly<Record<Name, NumberOption>>,
  switches: readonly string[],
): BenchOptions<Name> {
  const names = Object.keys(numbers) as Name[];
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
      ...Object.fromEntries(switches.map((name) => [name, { type: "boolean" as const }])),
      profile: { type: "string" as const },
    },
  });
  const given = values as Readonly<Record<string, string | boolean | undefined>>;
  const wholeNumber = (name: Name): number => {
    const { usual, maximum } = numbers[name];
    const value = Number(given[name] ?? usual);
    if (Number.isInteger(value) && value >= 1 && value <= maximum) return value;
    throw new Error(`--${name} must be a whole number from 1 to ${maximum}.`);
  };
  return {
    numbers: Object.fromEntries(names.map((name) => [name, wholeNumber(name)])) as Record<Name, number>,
    switches: new Set(switches.filter((name) => given[name])),
    profileFolder: (given["profile"] as string | undefined) ?? null,
  };
}
