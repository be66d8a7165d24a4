// The benchmark of reads over HTTP: the balance, read from the database each time, against the bare route that only answers.
import type { HttpLoadSetup } from "./http-load.ts";
import { Installation, type Payer, type RequestCosts } from "./installation.ts";
import { LoadProcess, type LoadResult } from "./load.ts";
import { withOptions } from "./options.ts";
import { median, printLoad, writeReport } from "./report.ts";

const HTTP_LOAD = import.meta.resolve("./http-load.ts");
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 2;
const TARGET_RATIO = 0.3;
const READS = {
  bare: { path: "/healthz", expected: '"ok"' },
  balance: { path: "/api/v1/payout/balance", expected: '"available_balance":"' },
} as const;
type Name = keyof typeof READS;

const USAGE = `Usage: npm run bench -- reads [--seconds 6] [--alternations 3] [--merchants 1000]`;
const NUMBERS = {
  seconds: { usual: 6, maximum: 600 },
  alternations: { usual: 3, maximum: 100 },
  merchants: { usual: 1000, maximum: 10_000 },
};
type Parameters = Readonly<Record<keyof typeof NUMBERS, number>>;
type Phase = { readonly load: LoadResult } & RequestCosts;

/** Runs the benchmark. Returns the exit code: 1 when a request failed, 2 for a wrong option. */
export function benchReads(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS }, ({ numbers, profileFolder }) =>
    run(numbers, profileFolder),
  );
}

async function run(parameters: Parameters, profileFolder: string | null): Promise<number> {
  const installation = await Installation.start({ profileFolder });
  const loads = new Map<Name, LoadProcess>();
  try {
    const payers = await installation.seedPayers(parameters.merchants);
    for (const name of Object.keys(READS) as Name[]) loads.set(name, await startLoad(installation.port, payers, name));
    const phase = (name: Name, seconds: number) => runPhase(installation, loads.get(name)!, seconds);
    for (const name of loads.keys()) await phase(name, WARM_UP_SECONDS);
    const rounds: Record<Name, Phase>[] = [];
    for (let number = 1; number <= parameters.alternations; number += 1) {
      const { seconds } = parameters;
      const round = { bare: await phase("bare", seconds), balance: await phase("balance", seconds) };
      rounds.push(round);
      printRound(number, round);
    }
    return await report(parameters, await installation.readDatabaseSettings(), rounds);
  } finally {
    for (const load of loads.values()) await load.stop();
    await installation.close();
  }
}

function startLoad(port: number, payers: readonly Payer[], name: Name): Promise<LoadProcess> {
  const setup: HttpLoadSetup = { port, connections: CONNECTIONS, payers, read: READS[name] };
  return LoadProcess.start(HTTP_LOAD, setup);
}

function runPhase(installation: Installation, load: LoadProcess, seconds: number): Promise<Phase> {
  return installation.withCosts(async () => ({ load: await load.run(seconds) }));
}

const ratioOf = ({ bare, balance }: Record<Name, Phase>): number => balance.load.perSecond / bare.load.perSecond;

function printRound(number: number, round: Record<Name, Phase>): void {
  console.log(`Alternation ${number}: ${ratioOf(round).toFixed(2)} of the bare route`);
  for (const name of Object.keys(READS) as Name[]) {
    const { load, serverMicros, databaseMicros } = round[name];
    printLoad(name, load);
    console.log(`    processor time ${serverMicros.toFixed(0)} + ${databaseMicros.toFixed(0)} µs each`);
  }
}

async function report(
  parameters: Parameters,
  database: object,
  rounds: readonly Record<Name, Phase>[],
): Promise<number> {
  const ratio = median(rounds.map(ratioOf));
  const failed = rounds.flatMap((round) => [round.bare, round.balance]).reduce((sum, { load }) => sum + load.failed, 0);
  const passed = failed === 0;
  const summary = { ratio, targetRatio: TARGET_RATIO, isTargetMet: ratio >= TARGET_RATIO, failed, passed };
  console.log(`Balances are read at ${ratio.toFixed(2)} of the bare route; asked for is ${TARGET_RATIO}.`);
  await writeReport("reads", { database, parameters, rounds, summary });
  return passed ? 0 : 1;
}
