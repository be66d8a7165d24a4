// The benchmark of starts: a command, and a server until it is ready, from the program in one piece and from its
// source, in turns.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProgramBuilt } from "../src/program.ts";
import { startDatabase } from "../test/support/database-copy.ts";
import { makeDataDir, NodalProcess, nodalProcess, type Environment } from "../test/support/nodal.ts";
import { withOptions } from "./options.ts";
import { readOwnSeconds, readReapedChildrenSeconds } from "./process-use.ts";
import { median, writeReport } from "./report.ts";

const USAGE = "Usage: npm run bench -- start [--alternations 10]";
const NUMBERS = { alternations: { usual: 10, maximum: 100 } };

/** Until a command has ended, or a server is ready: on the clock, and of the processor. */
type Cost = { readonly ms: number; readonly processorMs: number };
type Costs = { readonly command: Cost[]; readonly server: Cost[] };

const BUILT = { NODAL_PROGRAM: "" };
const SOURCE = { NODAL_PROGRAM: "source" };
/** As where the folder of what was compiled may not be written to. */
const COMPILED_ANEW = { NODE_DISABLE_COMPILE_CACHE: "1" };
const SIDES = {
  built: BUILT,
  source: SOURCE,
  "built, compiled anew": { ...BUILT, ...COMPILED_ANEW },
  "source, compiled anew": { ...SOURCE, ...COMPILED_ANEW },
};
type Side = keyof typeof SIDES;
const NAMES = Object.keys(SIDES) as Side[];

/** Runs the benchmark. Returns the exit code: 1 where the built program costs as much as its source, or more. */
export function benchStart(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS }, ({ numbers }) => run(numbers.alternations));
}

async function run(alternations: number): Promise<number> {
  if (!isProgramBuilt()) throw new Error("The program is not built: npm run build");
  const database = await startDatabase(await makeDataDir());
  const cache = await mkdtemp(join(tmpdir(), "nodal-bench-start-"));
  const environment = { DATABASE_URL: database.url, NODE_COMPILE_CACHE: cache };
  const costs = {} as Record<Side, Costs>;
  for (const side of NAMES) costs[side] = { command: [], server: [] };
  try {
    // The first round makes the tables, and fills the folder of what was compiled.
    for (let round = -1; round < alternations; round += 1) {
      for (const side of NAMES) {
        const server = await startServer({ ...environment, ...SIDES[side] });
        const command = await runCommand({ ...environment, ...SIDES[side] });
        if (round < 0) continue;
        costs[side].command.push(command);
        costs[side].server.push(server);
      }
    }
  } finally {
    await database.release();
    await rm(cache, { recursive: true });
  }
  return report(alternations, costs);
}

async function runCommand(environment: Environment): Promise<Cost> {
  const before = await readReapedChildrenSeconds();
  const startedAtMs = performance.now();
  const { code, stderr } = await nodalProcess(environment, "--version");
  const ms = performance.now() - startedAtMs;
  if (code !== 0) throw new Error(`nodal --version ended with ${code}: ${stderr}`);
  return { ms, processorMs: ((await readReapedChildrenSeconds()) - before) * 1000 };
}

async function startServer(environment: Environment): Promise<Cost> {
  const startedAtMs = performance.now();
  const server = await NodalProcess.start(environment);
  const ms = performance.now() - startedAtMs;
  const processorMs = (await readOwnSeconds(server.child.pid!)) * 1000;
  await server.stop();
  return { ms, processorMs };
}

async function report(alternations: number, costs: Record<Side, Costs>): Promise<number> {
  const middle = (values: readonly Cost[]): Cost => ({
    ms: Math.round(median(values.map(({ ms }) => ms))),
    processorMs: Math.round(median(values.map(({ processorMs }) => processorMs))),
  });
  const rows = NAMES.map((side) => {
    const [command, server] = [middle(costs[side].command), middle(costs[side].server)];
    const of = (kind: keyof Costs, cost: Cost): string =>
      (cost.processorMs / middle(costs.source[kind]).processorMs).toFixed(2);
    return { side, command, server, ofSource: { command: of("command", command), server: of("server", server) } };
  });
  for (const { side, command, server, ofSource } of rows) {
    console.log(
      `${side.padEnd(22)} command ${command.ms} ms (processor ${command.processorMs}, ${ofSource.command} of the source's), ` +
        `server ${server.ms} ms (processor ${server.processorMs}, ${ofSource.server})`,
    );
  }
  await writeReport("start", { alternations, rows });
  return Object.values(rows[0]!.ofSource).every((ratio) => Number(ratio) < 1) ? 0 : 1;
}
