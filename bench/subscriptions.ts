// The benchmark of subscriptions: very many are due at once, and the server bills them by its schedule under light
// load. Seeding and the load have files of their own.
import { setTimeout as sleep } from "node:timers/promises";
import { IdSource } from "../src/platform/database/ids.ts";
import { createPool, type Pool } from "../src/platform/database/pool.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import { Installation, type Verdict } from "./installation.ts";
import { makeMerchants, type BenchMerchant } from "./invoice-merchants.ts";
import type { LoadResult } from "./load.ts";
import { withOptions } from "./options.ts";
import { printLoad, writeReport } from "./report.ts";
import { makeCallers, post, runPaced } from "./subscription-load.ts";
import {
  countDue,
  countMade,
  seedSubscriptions,
  setStatus,
  settleSubscriptions,
  type Made,
} from "./subscription-seed.ts";
import { WireClient } from "./wire-client.ts";

const CONNECTIONS = 64;
const POLL_MS = 250;
/** How long the load runs before anything is due, to compare with. */
const ALONE_SECONDS = 5;
const LIMIT_MS = 30 * 60 * 1000;
/** The share of all subscriptions that one merchant has. */
const LARGEST_SHARE = 0.2;
const TARGET_P99_MS = 250;
/** 100,000 in a minute. */
const TARGET_PER_SECOND = 100_000 / 60;

type Parameters = {
  readonly subscriptions: number;
  readonly merchants: number;
  readonly rate: number;
  readonly profileFolder: string | null;
};

const USAGE = `Usage: npm run bench -- subscriptions [--subscriptions 100000] [--merchants 100] [--rate 50]
  --rate                 requests a second that the API gets meanwhile
  --small                a tenth of the subscriptions and merchants, for a quick trial
  --profile <folder>     also writes a CPU profile of the server, which slows it down`;

const NUMBERS = {
  subscriptions: { usual: 100_000, maximum: 5_000_000 },
  merchants: { usual: 100, maximum: 2000 },
  rate: { usual: 50, maximum: 1000 },
};

/** Runs the benchmark. Returns the exit code: 1 when a request failed or the books don't hold, 2 for a wrong option. */
export function benchSubscriptions(args: readonly string[]): Promise<number> {
  return withOptions(
    args,
    { usage: USAGE, numbers: NUMBERS, switches: ["small"] },
    ({ numbers, switches, profileFolder }) => {
      const divisor = switches.has("small") ? 10 : 1;
      const subscriptions = Math.ceil(numbers.subscriptions / divisor);
      return run({ ...numbers, subscriptions, merchants: Math.ceil(numbers.merchants / divisor), profileFolder });
    },
  );
}

async function run(parameters: Parameters): Promise<number> {
  const installation = await Installation.start(parameters);
  const pool = withTestSecrets(createPool({ url: installation.databaseUrl, size: 2, actor: TEST_ACTOR }));
  const client = new WireClient(installation.baseUrl, CONNECTIONS);
  try {
    return await measure(installation, pool, client, parameters);
  } finally {
    client.close();
    await pool.end();
    const log = await installation.close();
    if (log !== "") console.error(`The server wrote:\n${log}`);
  }
}

async function measure(
  installation: Installation,
  pool: Pool,
  client: WireClient,
  parameters: Parameters,
): Promise<number> {
  const ids = new IdSource(pool);
  const merchants = await makeMerchants(pool, ids, client, parameters.merchants);
  const callers = await makeCallers(pool, ids, client, merchants);
  const alone = await runPaced(client, callers, parameters.rate, sleep(ALONE_SECONDS * 1000));
  console.log(`API alone, ${parameters.rate} requests a second`);
  printLoad("requests", alone);

  const today = Temporal.Now.plainDateISO(merchants[0]!.merchant.timeZone);
  const due = await seed({ pool, ids }, client, merchants, parameters.subscriptions, today);
  console.log(`${due} subscriptions of ${merchants.length} merchants are due`);
  let seconds = 0;
  const billing = billAll(pool, due, today).then((measured) => (seconds = measured));
  const load = await runPaced(client, callers, parameters.rate, billing);
  const findings: Findings = {
    alone,
    load,
    seconds,
    due,
    made: await countMade(pool, today),
    verify: await installation.verify(),
  };
  const summary = judge(findings);
  print(findings, summary);
  await writeReport("subscriptions", {
    database: await installation.readDatabaseSettings(),
    parameters,
    ...findings,
    summary,
  });
  return summary.passed ? 0 : 1;
}

/** Gives one merchant a large share of the subscriptions, and the others the rest. Returns how many are due. */
async function seed(
  parts: { readonly pool: Pool; readonly ids: IdSource },
  client: WireClient,
  merchants: readonly BenchMerchant[],
  subscriptions: number,
  today: Temporal.PlainDate,
): Promise<number> {
  const tomorrow = today.add({ days: 1 });
  for (const { keys } of merchants) {
    await post(client, "/api/v1/merchant/subscription/save", {
      ...keys,
      mode: "Monthly",
      repeat_every: "1",
      start_date: tomorrow.toString(),
      due_date: tomorrow.add({ days: 15 }).toString(),
      end_mode: "Never",
      carry_forword_dues: "1",
      invoice: {
        customer_code: "C1",
        bill_cycle_name: "Monthly",
        invoice_properties: { notify_patron: "0" },
        particular_rows: [
          { item: "Leased line, 200 Mbps", sac_code: "998422", gst: "18", total_amount: "4000.00" },
          { item: "Router rental", sac_code: "997315", gst: "18", total_amount: "499.00" },
        ],
      },
    });
  }
  // Nothing is billed while it is made.
  const { pool } = parts;
  const keys = merchants.map(({ merchant }) => merchant);
  await setStatus(parts, keys, "suspended");
  const largest = Math.ceil(subscriptions * LARGEST_SHARE);
  const each = Math.floor((subscriptions - largest) / Math.max(1, merchants.length - 1));
  for (const [index, { merchant }] of merchants.entries()) {
    await seedSubscriptions(pool, merchant, index === 0 ? largest : each, today);
  }
  await settleSubscriptions(pool);
  await setStatus(parts, keys, "active");
  return countDue(pool, today);
}

/** Waits until all are billed. Returns how many seconds that took from the first on. */
async function billAll(pool: Pool, due: number, today: Temporal.PlainDate): Promise<number> {
  const startedAtMs = performance.now();
  let firstAtMs: number | null = null;
  for (;;) {
    const left = await countDue(pool, today);
    const nowMs = performance.now();
    if (left < due) firstAtMs ??= nowMs - POLL_MS;
    if (left === 0) return (nowMs - firstAtMs!) / 1000;
    if (nowMs - startedAtMs > LIMIT_MS) throw new Error(`${left} subscriptions were not billed within 30 minutes`);
    await sleep(POLL_MS);
  }
}

type Findings = {
  readonly alone: LoadResult;
  readonly load: LoadResult;
  readonly seconds: number;
  readonly due: number;
  readonly made: Made;
  readonly verify: Verdict;
};

type Summary = {
  readonly invoicesPerSecond: number;
  readonly isExactlyOnce: boolean;
  readonly targetP99Ms: number;
  readonly targetPerSecond: number;
  readonly missedTargets: readonly string[];
  /** Whether the run is sound: nothing failed, every occurrence made one invoice, and the books hold. */
  readonly passed: boolean;
};

function judge({ alone, load, seconds, due, made, verify }: Findings): Summary {
  const isExactlyOnce = made.billed === due && made.subscriptions === due && made.invoices === due;
  return {
    invoicesPerSecond: due / seconds,
    isExactlyOnce,
    targetP99Ms: TARGET_P99_MS,
    targetPerSecond: TARGET_PER_SECOND,
    missedTargets: [
      ...(load.p99Ms < TARGET_P99_MS ? [] : ["p99 of the API"]),
      ...(due / seconds > TARGET_PER_SECOND ? [] : ["invoices a second"]),
    ],
    passed: alone.failed + load.failed === 0 && isExactlyOnce && verify.ok,
  };
}

function print({ load, seconds, due, made, verify }: Findings, summary: Summary): void {
  console.log(`API while they are billed`);
  printLoad("requests", load);
  console.log(`
Billed            ${due} in ${seconds.toFixed(1)} s: ${Math.round(summary.invoicesPerSecond)} invoices/s  (target: over ${Math.round(TARGET_PER_SECOND)})
Exactly once      ${summary.isExactlyOnce ? "yes" : `NO: ${JSON.stringify(made)}`}
API p99           ${load.p99Ms.toFixed(1)} ms  (target: under ${TARGET_P99_MS} ms)
Books             ${verify.ok ? "verified" : `BROKEN: ${JSON.stringify(verify.violations?.slice(0, 10))}`}
Targets missed    ${summary.missedTargets.join(", ") || "none"}`);
}
