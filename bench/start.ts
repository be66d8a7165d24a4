// The benchmark of starts: a command, and a server until it is ready, from the program in one piece and from its source, in
// turns. What belongs here: the procedure and its report.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { BUILT_PROGRAM, ENTRIES, findProgram, ROOT } from "../src/program.ts";
import { startDatabase } from "../test/support/database-copy.ts";
import { freePort, makeDataDir, TEST_MASTER_KEY } from "../test/support/nodal.ts";
import { withOptions } from "./options.ts";
import { readOwnSeconds, readReapedChildrenSeconds } from "./process-use.ts";
import { median, writeReport } from "./report.ts";

const USAGE = "Usage: npm run bench -- start [--alternations 10]";
const NUMBERS = { alternations: { usual: 10, maximum: 100 } };
const POLL_MS = 10;

/** Until a command has ended, or a server is ready: on the clock, and of the processor. */
type Cost = { readonly ms: number; readonly processorMs: number };
type Side = "built" | "source";
type Costs = { readonly command: Cost[]; readonly server: Cost[] };

/** Runs the benchmark. Returns the exit code: 1 where the built program costs as much as its source, or more. */
export function benchStart(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS }, ({ numbers }) => run(numbers.alternations));
}

async function run(alternations: number): Promise<number> {
  if (!findProgram("start").includes(`/${BUILT_PROGRAM}/`)) throw new Error("The program is not built: npm run build");
  const database = await startDatabase(await makeDataDir());
  const cache = await mkdtemp(join(tmpdir(), "nodal-bench-start-"));
  const settings = { DATABASE_URL: database.url, NODAL_MASTER_KEY: TEST_MASTER_KEY, DRAIN_NOTICE_MS: "0" };
  const environment = { ...process.env, ...settings, LOG_LEVEL: "warn", NODE_COMPILE_CACHE: cache };
  const costs: Record<Side, Costs> = { built: { command: [], server: [] }, source: { command: [], server: [] } };
  try {
    // The first round makes the tables, and fills the folder of what was compiled.
    for (let round = -1; round < alternations; round += 1) {
      for (const side of ["source", "built"] as const) {
        const server = await startServer(side, environment);
        const command = await runCommand(side, environment);
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

/** `nodal --version`. */
async function runCommand(side: Side, env: NodeJS.ProcessEnv): Promise<Cost> {
  const before = await readReapedChildrenSeconds();
  const startedAtMs = performance.now();
  const [code] = (await once(launch(side, "nodal", 'runCommand(["--version"])', env), "exit")) as [number | null];
  const ms = performance.now() - startedAtMs;
  if (code !== 0) throw new Error(`nodal --version ended with ${code}`);
  return { ms, processorMs: ((await readReapedChildrenSeconds()) - before) * 1000 };
}

async function startServer(side: Side, env: NodeJS.ProcessEnv): Promise<Cost> {
  const port = String(await freePort());
  const startedAtMs = performance.now();
  const child = launch(side, "start", "runServer()", { ...env, PORT: port });
  await untilReady(child, `http://127.0.0.1:${port}/readyz`);
  const cost = { ms: performance.now() - startedAtMs, processorMs: (await readOwnSeconds(child.pid!)) * 1000 };
  child.kill();
  await once(child, "exit");
  return cost;
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  while (child.exitCode === null) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(POLL_MS);
  }
  throw new Error(`the server ended with ${child.exitCode}`);
}

/** Calls a function of one of the modules that processes begin with, whether or not what was built is fresh. */
function launch(side: Side, entry: keyof typeof ENTRIES, call: string, env: NodeJS.ProcessEnv): ChildProcess {
  const path = side === "built" ? `${BUILT_PROGRAM}/${entry}.js` : ENTRIES[entry];
  const url = pathToFileURL(join(ROOT, path)).href;
  const script = `await (await import(${JSON.stringify(url)})).${call}`;
  return spawn(process.execPath, ["--input-type=module", "--eval", script], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function report(alternations: number, costs: Record<Side, Costs>): Promise<number> {
  const middle = (values: readonly Cost[]): Cost => ({
    ms: Math.round(median(values.map(({ ms }) => ms))),
    processorMs: Math.round(median(values.map(({ processorMs }) => processorMs))),
  });
  const rows = (["command", "server"] as const).map((kind) => {
    const [built, source] = [middle(costs.built[kind]), middle(costs.source[kind])];
    return { kind, built, source, ratio: Number((built.processorMs / source.processorMs).toFixed(2)) };
  });
  for (const { kind, built, source, ratio } of rows) {
    console.log(`${kind}: ${built.ms} ms, from the source ${source.ms} ms`);
    console.log(`  of the processor ${built.processorMs} ms, from the source ${source.processorMs} ms: ${ratio}`);
  }
  await writeReport("start", { alternations, rows });
  return rows.every(({ ratio }) => ratio < 1) ? 0 : 1;
}
