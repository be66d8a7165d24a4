// The benchmark of the dashboard: how soon its first page shows, and its list of 1,000,000 invoices by every kind of
// filter.
// What belongs here: the procedure and its report. The invoices are made as for the benchmark of invoices.
import { IdSource } from "../src/platform/database/ids.ts";
import { createPool } from "../src/platform/database/pool.ts";
import { TestBrowser } from "../test/support/browser.ts";
import { Browser, newPerson } from "../test/support/dashboard.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import { Installation } from "./installation.ts";
import { invoiceListKinds } from "./invoice-list-kinds.ts";
import type { SeededMerchant } from "./invoice-reads.ts";
import { seedMerchant, settleTables } from "./invoice-seed.ts";
import { Latencies } from "./latencies.ts";
import { withOptions } from "./options.ts";
import { writeReport } from "./report.ts";
import { WireClient } from "./wire-client.ts";

/** What the project has set itself. */
const TARGETS = { homeMs: 1000, homeBytes: 400 * 1024, listMs: 150 };
/** PostgreSQL settles on a plan for a prepared statement at its sixth run. */
const WARM_UP_ROUNDS = 8;
const SAMPLES = 100;

const USAGE = `Usage: npm run bench -- dashboard [--rounds 20] [--small]
  --small    20,000 invoices instead of 1,000,000, for a quick trial`;

const NUMBERS = { rounds: { usual: 20, maximum: 10_000 } };

type Timed = { readonly kind: string; readonly p50Ms: number; readonly maxMs: number };
type Home = Timed & { readonly bytes: number };

/**
 * Runs the benchmark. Returns the exit code: 1 when an answer was wrong or a target was missed, 2 for a wrong option.
 */
export function benchDashboard(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS, switches: ["small"] }, ({ numbers, switches }) =>
    run(numbers.rounds, switches.has("small") ? 20_000 : 1_000_000),
  );
}

async function run(rounds: number, invoices: number): Promise<number> {
  const installation = await Installation.start({ profileFolder: null });
  const { baseUrl } = installation;
  const pool = withTestSecrets(createPool({ url: installation.databaseUrl, size: 2, actor: TEST_ACTOR }));
  const client = new WireClient(baseUrl, 1);
  try {
    const seeded = await seedMerchant({ client, pool, ids: new IdSource(pool) }, invoices, SAMPLES);
    await settleTables(pool);
    const owner = await Browser.signIn(
      { server: { baseUrl } },
      await newPerson({ pool }, String(seeded.merchant.merchantId)),
    );
    const lists = await measureLists(owner, seeded, rounds);
    const home = await measureHome(baseUrl, owner, rounds);
    const slow = [
      ...lists.filter(({ p50Ms }) => p50Ms >= TARGETS.listMs),
      ...(home.p50Ms >= TARGETS.homeMs || home.bytes >= TARGETS.homeBytes ? [home] : []),
    ].map(({ kind }) => kind);
    print(lists, home, invoices, slow);
    await writeReport("dashboard", {
      invoices,
      rounds,
      targets: TARGETS,
      lists,
      home,
      slow,
    });
    return slow.length === 0 ? 0 : 1;
  } finally {
    client.close();
    await pool.end();
    const log = await installation.close();
    if (log !== "") console.error(`The server wrote:\n${log}`);
  }
}

async function measureLists(owner: Browser, seeded: SeededMerchant, rounds: number): Promise<Timed[]> {
  const timed = invoiceListKinds().map(([kind, query]) => ({ kind, query: query(seeded), latencies: new Latencies() }));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const { kind, query, latencies } of timed) {
      const startedAtMs = performance.now();
      const answer = await owner.get(`/invoices?${query}`);
      if (round >= 0) latencies.record(performance.now() - startedAtMs);
      const found = (answer.body as { invoices?: readonly unknown[] }).invoices?.length ?? 0;
      if (answer.status !== 200 || found === 0) throw new Error(`${kind}: ${answer.status}, ${found} invoices`);
    }
  }
  return timed.map(({ kind, latencies }) => ({ kind, p50Ms: latencies.percentileMs(50), maxMs: latencies.maxMs }));
}

/** Opens the first page each time as a browser that has never been there, until the balances show. */
async function measureHome(baseUrl: string, owner: Browser, rounds: number): Promise<Home> {
  const chromium = await TestBrowser.start(baseUrl);
  const latencies = new Latencies();
  let bytes = 0;
  try {
    for (let round = -1; round < rounds; round += 1) {
      const opened = await chromium.newPage({ as: owner });
      const startedAtMs = performance.now();
      await opened.page.goto("/", { waitUntil: "commit" });
      await opened.page.getByText("Available", { exact: true }).first().waitFor();
      await opened.page
        .getByText(/^₹[\d,]+\.\d\d$/)
        .first()
        .waitFor();
      if (round >= 0) latencies.record(performance.now() - startedAtMs);
      await opened.page.waitForLoadState("networkidle");
      bytes = Math.max(bytes, opened.transferredBytes);
      await opened.page.context().close();
    }
  } finally {
    await chromium.stop();
  }
  return { kind: "first page", p50Ms: latencies.percentileMs(50), maxMs: latencies.maxMs, bytes };
}

function print(lists: readonly Timed[], home: Home, invoices: number, slow: readonly string[]): void {
  const line = ({ kind, p50Ms, maxMs }: Timed): void =>
    console.log(`  ${kind.padEnd(44)} p50 ${p50Ms.toFixed(0).padStart(5)} ms  max ${maxMs.toFixed(0).padStart(5)} ms`);
  console.log(`List of ${invoices} invoices (target ${TARGETS.listMs} ms)`);
  lists.forEach(line);
  console.log(
    `First page, nothing of it kept by the browser (target ${TARGETS.homeMs} ms, ${TARGETS.homeBytes} bytes)`,
  );
  line(home);
  console.log(`  ${home.bytes} bytes came over the network`);
  console.log(`\nSlower or larger than the target: ${slow.length === 0 ? "none" : slow.join(", ")}`);
}
