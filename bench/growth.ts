// The benchmark of growth: what pages, filters and searches cost a merchant with 10,000 transfers and invoices, alone,
// and beside one with very many, in turns with that one. The kinds of pages are in growth-pages.ts, and rows are made
// in invoice-seed.ts and growth-seed.ts.
import { IdSource } from "../src/platform/database/ids.ts";
import { createPool, type OwnedPool } from "../src/platform/database/pool.ts";
import { Browser, newPerson } from "../test/support/dashboard.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import { ask, KINDS, type Kind, type Side } from "./growth-pages.ts";
import { seedTransfers } from "./growth-seed.ts";
import { Installation } from "./installation.ts";
import { seedMerchant, settleTables } from "./invoice-seed.ts";
import { withOptions } from "./options.ts";
import { median, writeReport } from "./report.ts";
import { WireClient } from "./wire-client.ts";

const FEW = 10_000;
const SAMPLES = 100;
/** What a page of many rows may cost, as a multiple of one of few; and what one of few may beside many, of what it costs alone. */
const TARGET_RATIO = 1.5;
/** PostgreSQL settles on a plan for a prepared statement at its sixth run. */
const WARM_UP_ROUNDS = 8;

const USAGE = `Usage: npm run bench -- growth [--rows 1000000] [--rounds 30] [--verify]
  --rows     transfers and invoices of the larger merchant, up to 10,000,000; its journal has two entries for each transfer
  --verify   also makes the entries about invoices and payments, and runs nodal verify over all of them`;
const NUMBERS = { rows: { usual: 1_000_000, maximum: 10_000_000 }, rounds: { usual: 30, maximum: 10_000 } };

type Cost = { readonly p50Ms: number; readonly minMs: number };
/** `ratio` is of many to few, `besideRatio` of few beside many to few alone. */
type PageCost = {
  readonly kind: string;
  readonly alone: Cost;
  readonly few: Cost;
  readonly many: Cost;
  readonly ratio: number;
  readonly besideRatio: number;
};

/** Runs the benchmark. Returns the exit code: 1 when an answer was wrong or a page is not flat, 2 for a wrong option. */
export function benchGrowth(args: readonly string[]): Promise<number> {
  return withOptions(
    args,
    { usage: USAGE, numbers: NUMBERS, switches: ["verify"] },
    ({ numbers, switches, profileFolder }) => run(numbers.rows, numbers.rounds, switches.has("verify"), profileFolder),
  );
}

async function run(rows: number, rounds: number, verifies: boolean, profileFolder: string | null): Promise<number> {
  const settings = { DASHBOARD_RATE_LIMIT_PER_MINUTE: "1000000" };
  const installation = await Installation.start({ profileFolder, settings });
  const pool = withTestSecrets(createPool({ url: installation.databaseUrl, size: 2, actor: TEST_ACTOR }));
  const client = new WireClient(installation.baseUrl, 1);
  try {
    let startedAtMs = performance.now();
    // A database that is made at once would go through its checkpoints all the time, and write each page whole after each.
    await pool.query("alter system set max_wal_size = '4GB'");
    await pool.query("select pg_reload_conf()");
    const few = await seedSide(installation, pool, client, FEW, verifies);
    const fewSeconds = (performance.now() - startedAtMs) / 1000;
    const ownSound = await findSound(client, [few]);
    // Once for nothing: a server that has just started would make what comes later look fast.
    await measure(client, [few], ownSound, rounds);
    const alone = await measure(client, [few], ownSound, rounds);
    startedAtMs = performance.now();
    const many = await seedSide(installation, pool, client, rows, verifies);
    const seedSeconds = fewSeconds + (performance.now() - startedAtMs) / 1000;
    console.log(`Seeding: ${FEW} and ${rows} transfers and invoices in ${seedSeconds.toFixed(0)} s`);
    const sound = await findSound(client, [few, many]);
    const pages = pageCosts(alone, await measure(client, [few, many], sound, rounds));
    const databaseBytes = await installation.readTableBytes();
    const verify = verifies ? await installation.verify() : null;
    const steep = pages.filter(isSteep).map(({ kind }) => kind);
    print(pages, rows, steep);
    if (verify) console.log(`nodal verify: ${verify.ok ? "ok" : JSON.stringify(verify.violations).slice(0, 2000)}`);
    const database = await installation.readDatabaseSettings();
    const report = { database, few: FEW, many: rows, rounds, targetRatio: TARGET_RATIO, seedSeconds, databaseBytes };
    await writeReport("growth", { ...report, pages, steep, verify: verify && { ok: verify.ok } });
    return steep.length === 0 && sound.length === KINDS.length && verify?.ok !== false ? 0 : 1;
  } finally {
    client.close();
    await pool.end();
    const log = await installation.close();
    if (log !== "") console.error(`The server wrote:\n${log}`);
  }
}

async function seedSide(
  { baseUrl }: Installation,
  pool: OwnedPool,
  client: WireClient,
  rows: number,
  tells: boolean,
): Promise<Side> {
  const stage = { client, pool, ids: new IdSource(pool) };
  const merchant = await seedTransfers(stage, await seedMerchant(stage, rows, SAMPLES, tells), rows);
  await settleTables(pool);
  await pool.query("vacuum (analyze) transfer, beneficiary, ledger_book, simulator.payment");
  const person = await newPerson({ pool }, String(merchant.merchant.merchantId));
  return { merchant, owner: await Browser.signIn({ server: { baseUrl } }, person) };
}

/** The kinds that the merchants are answered rightly. The others are named, and not measured: making the rows took long. */
async function findSound(client: WireClient, sides: readonly Side[]): Promise<readonly Kind[]> {
  const sound: Kind[] = [];
  for (const kind of KINDS) {
    try {
      for (const side of sides) await ask(client, side, kind);
      sound.push(kind);
    } catch (error) {
      console.error(`Wrong: ${(error as Error).message}`);
    }
  }
  return sound;
}

/** What each kind costs each of the merchants. */
type Costs = ReadonlyMap<string, readonly Cost[]>;

/** Asks for each of these in turns, `rounds` times of each merchant. What the machine does meanwhile meets all alike. */
async function measure(
  client: WireClient,
  sides: readonly Side[],
  kinds: readonly Kind[],
  rounds: number,
): Promise<Costs> {
  const timed = kinds.map((kind) => ({ kind, latencies: sides.map((): number[] => []) }));
  const order = [...sides.keys()];
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    order.reverse();
    for (const { kind, latencies } of timed) {
      for (const index of order) {
        const latencyMs = await ask(client, sides[index]!, kind);
        if (round >= 0) latencies[index]!.push(latencyMs);
      }
    }
  }
  return new Map(
    timed.map(({ kind: { kind }, latencies }) => [
      kind,
      latencies.map((each) => ({ p50Ms: median(each), minMs: Math.min(...each) })),
    ]),
  );
}

function pageCosts(before: Costs, after: Costs): PageCost[] {
  return [...after].flatMap(([kind, [few, many]]) => {
    const [alone] = before.get(kind) ?? [];
    if (!alone) return [];
    const [ratio, besideRatio] = [many!.p50Ms / few!.p50Ms, few!.p50Ms / alone.p50Ms];
    return [{ kind, alone, few: few!, many: many!, ratio, besideRatio }];
  });
}

function isSteep({ ratio, besideRatio }: PageCost): boolean {
  return Math.max(ratio, besideRatio) > TARGET_RATIO;
}

function print(pages: readonly PageCost[], rows: number, steep: readonly string[]): void {
  const heads = [`${FEW} alone`, "beside", String(rows)].map((head) => head.padStart(14)).join("");
  console.log(`${"".padEnd(52)}${heads}   beside/alone, many/few (target ${TARGET_RATIO})`);
  for (const page of pages) {
    const ms = ({ p50Ms }: Cost): string => `${p50Ms.toFixed(1)} ms`.padStart(14);
    const ratios = `${page.besideRatio.toFixed(2)} ${page.ratio.toFixed(2)}${isSteep(page) ? "  steep" : ""}`;
    console.log(`  ${page.kind.padEnd(50)}${ms(page.alone)}${ms(page.few)}${ms(page.many)}   ${ratios}`);
  }
  console.log(steep.length === 0 ? "Every page is flat." : `Not flat: ${steep.join("; ")}`);
}
