// Payouts while everything goes wrong, by the simulated clock: some seconds of seeds, the same seed twice, and planted bugs.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePreparedDatabase } from "../support/prepared-data.ts";
import type { TestDatabase } from "../support/database-copy.ts";
import { BUG_VARIABLE, PLANTED_BUGS } from "./planted-bugs.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const LONG_MS = 900_000;
/** None of the seeds that other tests here run. The same each time, so that what a change breaks is found by its own run: `npm run sim` without one takes new ones. */
const SEEDS_OF_RUN = { from: 1000, seconds: 40 };
/** Each planted bug is found by one of so many seeds. */
const SEEDS = 40;
/** The first of them, where it is not 1: this bug needs a webhook that contradicts the bank at the right moment. */
const FIRST_SEED: Readonly<Record<string, number>> = { "webhooks applied by arrival": 61 };

let database: TestDatabase;

beforeAll(async () => {
  database = await makePreparedDatabase();
});
afterAll(() => database.release());

type Run = { readonly code: number; readonly output: string };

/** Runs simulations in a process of their own, whose clock is not the tests'. */
function simulate(url: string, bug: string | null, ...args: string[]): Promise<Run> {
  const planted = bug === null ? [] : ["--import", "./test/simulation/planted-bugs.ts"];
  const environment = { ...process.env, ...(bug !== null && { [BUG_VARIABLE]: bug }) };
  const all = [...planted, "test/simulation/run.ts", "--url", url, ...args];
  return new Promise((resolve) => {
    const options = { cwd: REPOSITORY, env: environment, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, all, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}

test(
  "each transfer is paid once at most, and as the journal says, whatever goes wrong",
  async () => {
    const { from, seconds } = SEEDS_OF_RUN;
    const some = ["--seed", String(from), "--seeds", "1000000", "--seconds", String(seconds)];
    const { code, output } = await simulate(database.url, null, ...some);
    process.stdout.write(output);
    expect(output).toMatch(/[1-9][0-9]* seeds from [0-9]+/);
    expect(code, output).toBe(0);
  },
  LONG_MS,
);

test(
  "a simulation whose disturbances end while a process holds a book goes on to its end",
  async () => {
    const { code, output } = await simulate(database.url, null, "--seed", "500248", "--seeds", "1");
    expect(code, output).toBe(0);
  },
  LONG_MS,
);

test(
  "a seed goes the same way each time, also behind others, and where polls that find nothing are asked all the same",
  { timeout: LONG_MS },
  async () => {
    const other = await makePreparedDatabase();
    try {
      const traceOf = ({ output }: Run) => /seed 4: trace [0-9a-f]+, [0-9]+ events/.exec(output)?.[0];
      const alone = traceOf(await simulate(other.url, null, "--seed", "4", "--seeds", "1", "--hashes"));
      const asked = traceOf(await simulate(other.url, null, "--seed", "4", "--seeds", "1", "--hashes", "--every-poll"));
      const behind = traceOf(await simulate(database.url, null, "--seed", "3", "--seeds", "2", "--hashes"));
      expect(alone).toMatch(/trace/);
      expect(behind).toBe(alone);
      expect(asked).toBe(alone);
    } finally {
      await other.release();
    }
  },
);

test.each(PLANTED_BUGS)(
  "it finds %s",
  async (bug) => {
    const planted = await makePreparedDatabase();
    try {
      const args = ["--seed", String(FIRST_SEED[bug] ?? 1), "--seeds", String(SEEDS)];
      const { code, output } = await simulate(planted.url, bug, ...args);
      expect(output).toMatch(/seed [0-9]+, step [0-9]+: (Error|BrokenInvariant): /);
      expect(code).toBe(1);
      process.stdout.write(`${bug}: ${/seed [0-9]+, step [0-9]+: .*/.exec(output)![0]}\n`);
    } finally {
      await planted.release();
    }
  },
  LONG_MS,
);
