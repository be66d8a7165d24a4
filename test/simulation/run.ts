// `npm run sim -- --seed N --steps M --seeds K`: simulations of payouts, one seed after the other, until one is not as it must be.
import { parseArgs } from "node:util";
import pg from "pg";
// Before all that it deceives.
import "./time.ts";
import { real } from "./time.ts";
import "./small-caches.ts";
import { closeServerSessions } from "./server-session.ts";
import type { Outcome } from "./simulation.ts";

const USAGE = `usage: npm run sim -- [options]

  --seed <n>     the first seed: a new one
  --seeds <n>    how many seeds: 1
  --steps <n>    steps of each: 40
  --seconds <n>  begins no seed after so long
  --trace        prints all that happens
  --hashes       prints a hash of all that happens, for each seed
  --every-poll   asks the database also what is known to find nothing
  --url <url>    a migrated database of the tests; without, one is started`;

function report({ seed, failure, digest }: Outcome): void {
  console.error(failure!.tail.join("\n"));
  console.error(`\nseed ${seed}, step ${failure!.step}: ${failure!.error.stack}\ntrace ${digest}`);
}

async function main(): Promise<void> {
  const { SimulatedPool } = await import("./database.ts");
  const { simulate } = await import("./simulation.ts");
  const { openTemplate } = await import("../support/database-copy.ts");
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
      seeds: { type: "string", default: "1" },
      steps: { type: "string", default: "40" },
      seconds: { type: "string", default: "1000000" },
      trace: { type: "boolean", default: false },
      hashes: { type: "boolean", default: false },
      "every-poll": { type: "boolean", default: false },
      url: { type: "string" },
    },
  });
  const [seed, seeds, steps] = [values.seed, values.seeds, values.steps].map(Number) as [number, number, number];
  if (![seed, seeds, steps].every((number) => Number.isSafeInteger(number) && number >= 0)) throw new Error(USAGE);
  const database = values.url === undefined ? await openTemplate() : { url: values.url, release: async () => {} };
  const pools = pg as unknown as { Pool: unknown };
  const realPool = pools.Pool;
  pools.Pool = SimulatedPool;
  const stage = { url: database.url, isEveryPollDue: values["every-poll"] };
  const startedMs = real.now();
  let done = 0;
  let transfers = 0;
  try {
    for (let next = seed; next < seed + seeds && real.now() - startedMs < Number(values.seconds) * 1000; next += 1) {
      const outcome = await simulate(next, steps, stage, values.trace ? (line) => console.log(line) : null);
      if (outcome.failure) {
        report(outcome);
        process.exitCode = 1;
        break;
      }
      done += 1;
      transfers += outcome.transfers;
      if (seeds === 1 || values.trace || values.hashes)
        console.log(`seed ${next}: trace ${outcome.digest}, ${outcome.events} events`);
    }
  } finally {
    const ms = real.now() - startedMs;
    console.log(`${done} seeds from ${seed}, ${transfers} requests, ${(ms / Math.max(1, done)).toFixed(0)} ms a seed`);
    await closeServerSessions();
    pools.Pool = realPool;
    await database.release();
  }
}

await main();
