// The seed of a test with chance in it: of the environment variable CRASH_SEED, or new; printed, so that it can be given.

/** Chooses a seed and prints it with the test's name. */
export function chooseSeed(name: string): number {
  const given = process.env["CRASH_SEED"];
  const seed = given === undefined ? Math.floor(Math.random() * 1_000_000) : Number(given);
  process.stdout.write(`${name}: CRASH_SEED=${seed}\n`);
  return seed;
}
