// The soak: many minutes of mixed load at a share of the highest rate, in which nothing may fail and nothing may grow.
// The mix is in soak-load.ts, what is watched in soak-watch.ts.
import { mkdir } from "node:fs/promises";
import { createPool, type Pool } from "../src/platform/database/pool.ts";
import { freePort, makeDataDir, removeDataDir } from "../test/support/nodal.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import { Installation, type Verdict } from "./installation.ts";
import { LoadProcess, type LoadResult } from "./load.ts";
import { prepareCallers } from "./mixed-callers.ts";
import { withOptions } from "./options.ts";
import { megabytes, printLoad, writeReport } from "./report.ts";
import type { SoakLoadSetup } from "./soak-load.ts";
import { judgeGrowth, SoakWatch, type Growth, type Sample } from "./soak-watch.ts";

const SOAK_LOAD = import.meta.resolve("./soak-load.ts");
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 5;
const SAMPLES = 180;

type Parameters = {
  readonly minutes: number;
  readonly percent: number;
  readonly merchants: number;
  readonly topSeconds: number;
  readonly profileFolder: string | null;
};

const USAGE = `Usage: npm run bench -- soak [--minutes 30] [--percent 70] [--merchants 100] [--top-seconds 20]
  --percent              the share of the highest rate that is kept up
  --top-seconds          for how long the highest rate is measured
  --profile <folder>     also writes a CPU profile of the server, which slows it down`;

const NUMBERS = {
  minutes: { usual: 30, maximum: 1440 },
  percent: { usual: 70, maximum: 100 },
  merchants: { usual: 100, maximum: 2000 },
  "top-seconds": { usual: 20, maximum: 600 },
};

/** Runs the soak. Returns the exit code: 1 when a request failed, something grew or the books don't hold. */
export function benchSoak(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS }, ({ numbers, profileFolder }) =>
    run({ ...numbers, topSeconds: numbers["top-seconds"], profileFolder }),
  );
}

async function run(parameters: Parameters): Promise<number> {
  const temporary = await makeDataDir();
  await mkdir(temporary, { recursive: true, mode: 0o777 });
  const settings = { TMPDIR: temporary, WEBHOOK_ALLOW_PRIVATE: "on" };
  const installation = await Installation.start({ ...parameters, settings });
  const pool = withTestSecrets(createPool({ url: installation.databaseUrl, size: 2, actor: TEST_ACTOR }));
  const loads: LoadProcess[] = [];
  try {
    return await measure(installation, pool, temporary, parameters, loads);
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    await pool.end();
    const log = await installation.close();
    await removeDataDir(temporary);
    if (log !== "") console.error(`The server wrote:\n${log}`);
  }
}

async function measure(
  installation: Installation,
  pool: Pool,
  temporaryFolder: string,
  parameters: Parameters,
  loads: LoadProcess[],
): Promise<number> {
  const webhookPort = await freePort();
  const callers = await prepareCallers(installation, pool, parameters.merchants, webhookPort);
  const { baseUrl } = installation;
  const setup: SoakLoadSetup = { baseUrl, connections: CONNECTIONS, callers, webhookPort };
  const load = await LoadProcess.start(SOAK_LOAD, setup);
  loads.push(load);

  const warmUp = await load.run(WARM_UP_SECONDS);
  await installation.drain();
  const top = await load.run(parameters.topSeconds);
  const drainSeconds = await installation.drain();
  // What is accepted faster than the bank's answers are written would only wait: the highest rate is that of both.
  const topPerSecond = top.succeeded / (top.seconds + drainSeconds);
  console.log(`Highest rate: ${Math.round(topPerSecond)} requests a second`);
  printLoad("top", top);

  const seconds = parameters.minutes * 60;
  const watch = new SoakWatch(installation, pool, temporaryFolder, Math.max(1000, (seconds * 1000) / SAMPLES));
  const soak = await load.run(seconds, (topPerSecond * parameters.percent) / 100);
  const samples = await watch.stop();
  const drainAfterSeconds = await installation.drain();
  const findings: Findings = {
    topPerSecond,
    phases: [warmUp, top, soak],
    soak,
    drainAfterSeconds,
    growth: judgeGrowth(samples),
    verify: await installation.verify(),
  };
  const passed = print(findings, parameters);
  await writeSoak(installation, parameters, findings, samples, passed);
  return passed ? 0 : 1;
}

type Findings = {
  readonly topPerSecond: number;
  readonly phases: readonly LoadResult[];
  readonly soak: LoadResult;
  readonly drainAfterSeconds: number;
  readonly growth: readonly Growth[];
  readonly verify: Verdict;
};

/** Prints what it comes to. Returns whether nothing failed, nothing grew and the books hold. */
function print({ phases, soak, growth, verify, drainAfterSeconds }: Findings, { minutes }: Parameters): boolean {
  console.log(`Soak of ${minutes} minutes`);
  printLoad("soak", soak);
  console.log("  What is watched, on the average of the second quarter and of the last:");
  for (const { what, second, last, grew } of growth) {
    const show = (value: number): string => (what.endsWith("Bytes") ? megabytes(value) : value.toFixed(1));
    console.log(`    ${what.padEnd(18)}${show(second).padStart(10)}${show(last).padStart(10)}${grew ? "  GREW" : ""}`);
  }
  const failed = phases.reduce((sum, phase) => sum + phase.failed, 0);
  console.log(`
Failed requests   ${failed}
Queue at the end  empty after ${drainAfterSeconds.toFixed(1)} s
Books             ${verify.ok ? "verified" : `BROKEN: ${JSON.stringify(verify.violations?.slice(0, 10))}`}`);
  return failed === 0 && verify.ok && growth.every(({ grew }) => !grew);
}

async function writeSoak(
  installation: Installation,
  parameters: Parameters,
  findings: Findings,
  samples: readonly Sample[],
  passed: boolean,
): Promise<void> {
  await writeReport("soak", {
    database: await installation.readDatabaseSettings(),
    parameters,
    ...findings,
    samples,
    passed,
  });
}
