// The benchmark of invoices: saves and PDFs a second, and what a page costs with few and with very many invoices.
// Merchants, seeding and reads have files of their own; the report is invoices-report.ts.
import { IdSource } from "../src/platform/database/ids.ts";
import { createPool, type Pool } from "../src/platform/database/pool.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import { Installation } from "./installation.ts";
import { makeMerchants, savePdfPaths, saveRequest, settleRequests, type BenchMerchant } from "./invoice-merchants.ts";
import { measureReads } from "./invoice-reads.ts";
import { seedMerchant, settleTables } from "./invoice-seed.ts";
import {
  judge,
  printPdfs,
  printReads,
  printSaves,
  printSummary,
  type Findings,
  type MemorySample,
  type PdfPhase,
  type SavePhase,
} from "./invoices-report.ts";
import { Phase } from "./load.ts";
import { withOptions } from "./options.ts";
import { writeReport } from "./report.ts";
import { WireClient, type WireRequest } from "./wire-client.ts";

const WARM_UP_SECONDS = 2;
const WARM_UP_PDFS = 50;
const PDF_CONNECTIONS = 4;
/** The longest that a phase may take which ends by itself. */
const PHASE_LIMIT_SECONDS = 1200;
const SAMPLE_MS = 200;
const BATCHES = [1, 100];
/** Of how many invoices, saved over the API, the seeded ones are copies. */
const SAMPLES = 100;

type Parameters = {
  readonly seconds: number;
  readonly connections: number;
  readonly merchants: number;
  readonly pdfs: number;
  readonly rounds: number;
  readonly few: number;
  readonly many: number;
  /** Whether nothing is measured but saves, and nothing is written. */
  readonly savesAlone: boolean;
  /** Whether nothing is measured but saves one by one and payments of invoices, and nothing is written. */
  readonly withSettlements: boolean;
  readonly profileFolder: string | null;
};
const USAGE = `Usage: npm run bench -- invoices [--seconds 5] [--connections 64] [--merchants 64] [--pdfs 2000] [--rounds 100]
  [--small]              1,000 and 20,000 invoices instead of 10,000 and 1,000,000, for a quick trial
  [--saves]              nothing but saves, to compare versions in turns; writes no results
  [--settlements]        nothing but saves one by one, and payments of invoices; writes no results
  [--profile <folder>]   also writes a CPU profile of the server, which slows it down`;

/** The stage of a run. */
type Stage = {
  readonly installation: Installation;
  readonly client: WireClient;
  /** As the database's owner. */
  readonly pool: Pool;
  readonly ids: IdSource;
  readonly parameters: Parameters;
};

const NUMBERS = {
  seconds: { usual: 5, maximum: 600 },
  connections: { usual: 64, maximum: 150 },
  merchants: { usual: 64, maximum: 1000 },
  pdfs: { usual: 2000, maximum: 100_000 },
  rounds: { usual: 100, maximum: 10_000 },
};

/** Runs the benchmark. Returns the exit code: 1 when a request failed or the books don't hold, 2 for a wrong option. */
export function benchInvoices(args: readonly string[]): Promise<number> {
  const known = { usage: USAGE, numbers: NUMBERS, switches: ["small", "saves", "settlements"] };
  return withOptions(args, known, ({ numbers, switches, profileFolder }) => {
    const sizes = switches.has("small") ? { few: 1000, many: 20_000 } : { few: 10_000, many: 1_000_000 };
    const withSettlements = switches.has("settlements");
    return run({ ...numbers, ...sizes, savesAlone: switches.has("saves"), withSettlements, profileFolder });
  });
}

async function run(parameters: Parameters): Promise<number> {
  const installation = await Installation.start(parameters);
  const pool = withTestSecrets(createPool({ url: installation.databaseUrl, size: 2, actor: TEST_ACTOR }));
  const client = new WireClient(installation.baseUrl, parameters.connections);
  try {
    return await measure({ installation, client, pool, ids: new IdSource(pool), parameters });
  } finally {
    client.close();
    await pool.end();
    const log = await installation.close();
    if (log !== "") console.error(`The server wrote:\n${log}`);
  }
}

async function measure(stage: Stage): Promise<number> {
  const { installation, client, pool, ids, parameters } = stage;
  const database = await installation.readDatabaseSettings();
  const merchants = await makeMerchants(pool, ids, client, parameters.merchants);
  const saves = await measureSaves(stage, merchants);
  if (parameters.withSettlements) await measureSettlements(stage, merchants);
  if (parameters.savesAlone || parameters.withSettlements) return (await installation.verify()).ok ? 0 : 1;
  const pdfs = await measurePdfs(stage, await savePdfPaths(client, merchants[0]!, SAMPLES));
  printPdfs(pdfs);

  const seedStartedAtMs = performance.now();
  const few = await seedMerchant(stage, parameters.few, SAMPLES);
  const many = await seedMerchant(stage, parameters.many, SAMPLES);
  await settleTables(pool);
  const seedSeconds = (performance.now() - seedStartedAtMs) / 1000;
  console.log(`Seeding: ${few.invoices} and ${many.invoices} invoices in ${seedSeconds.toFixed(0)} s`);
  const reads = await measureReads(client, few, many, parameters.rounds);
  printReads(reads, few.invoices, many.invoices);

  const findings: Findings = { saves, pdfs, seedSeconds, reads, verify: await installation.verify() };
  const summary = judge(findings);
  printSummary(summary, findings.verify);
  await writeReport("invoices", {
    database,
    parameters,
    ...withoutSamples(findings),
    summary,
  });
  return summary.passed ? 0 : 1;
}

/** The samples are in the summary as what they come to. */
function withoutSamples({ pdfs, ...findings }: Findings): object {
  return { ...findings, pdfs: { load: pdfs.load } };
}

/** Saves of each batch size: by one merchant, whose requests all wait for its one number series, and by all. */
async function measureSaves(stage: Stage, merchants: readonly BenchMerchant[]): Promise<SavePhase[]> {
  const { parameters } = stage;
  const phase = (batch: number, group: readonly BenchMerchant[], seconds: number): Promise<SavePhase> => {
    const requests = group.map((merchant) => saveRequest(merchant, batch));
    return measureWrites(stage, { kind: "save", batch, merchants: group.length, requests, seconds });
  };
  await phase(1, merchants, WARM_UP_SECONDS);
  const saves: SavePhase[] = [];
  for (const batch of parameters.withSettlements ? [1] : BATCHES) {
    for (const group of [merchants.slice(0, 1), merchants]) saves.push(await phase(batch, group, parameters.seconds));
  }
  return saves;
}

/** Payments of invoices, each of another one: of one merchant, and of all. */
async function measureSettlements(stage: Stage, merchants: readonly BenchMerchant[]): Promise<void> {
  const phase = async (group: readonly BenchMerchant[], invoices: number, seconds: number): Promise<void> => {
    const ofEach = await Promise.all(group.map((merchant) => settleRequests(stage.client, merchant, invoices)));
    const requests = ofEach[0]!.flatMap((_first, index) => ofEach.map((own) => own[index]!));
    await measureWrites(stage, { kind: "settlement", batch: 1, merchants: group.length, requests, seconds });
  };
  await phase(merchants, 10, WARM_UP_SECONDS);
  await phase(merchants.slice(0, 1), 500, stage.parameters.seconds);
  await phase(merchants, 20, stage.parameters.seconds);
}

/** Sends the requests in turns, and prints what they come to. */
async function measureWrites(
  { installation, client, parameters }: Stage,
  {
    requests,
    seconds,
    ...what
  }: Pick<SavePhase, "kind" | "batch" | "merchants"> & {
    readonly requests: readonly WireRequest[];
    readonly seconds: number;
  },
): Promise<SavePhase> {
  let turn = 0;
  const next = () => requests[(turn += 1) % requests.length]!;
  const before = await readUse(installation);
  const load = await client.run(new Phase(seconds), parameters.connections, next);
  const after = await readUse(installation);
  const invoices = load.succeeded * what.batch;
  const found = {
    ...what,
    load,
    invoicesPerSecond: load.perSecond * what.batch,
    serverCpuUs: ((after.server - before.server) * 1e6) / invoices,
    databaseCpuUs: ((after.database - before.database) * 1e6) / invoices,
  };
  printSaves(found);
  return found;
}

/** The processor time of server and database since their start, in seconds. */
async function readUse(installation: Installation): Promise<{ server: number; database: number }> {
  const [{ cpuSeconds: server }, database] = await Promise.all([
    installation.readServerUse(),
    installation.readDatabaseCpuSeconds(),
  ]);
  return { server, database };
}

/** PDFs from the public pages, and the memory of server and renderer meanwhile. */
async function measurePdfs({ installation, client, parameters }: Stage, paths: readonly string[]): Promise<PdfPhase> {
  const render = (count: number) => {
    let sent = 0;
    return client.run(new Phase(PHASE_LIMIT_SECONDS), PDF_CONNECTIONS, () => {
      if (sent === count) return null;
      sent += 1;
      return {
        method: "GET",
        path: paths[sent % paths.length]!,
        isGood: ({ status, bytes }) => status === 200 && bytes.subarray(0, 5).equals(PDF_HEAD),
      };
    });
  };
  await render(WARM_UP_PDFS);
  const samples: MemorySample[] = [];
  let isDone = false;
  const sampling = (async () => {
    while (!isDone) {
      const [{ residentBytes: serverBytes }, rendererBytes] = await Promise.all([
        installation.readServerUse(),
        installation.readRendererBytes(),
      ]);
      samples.push({ serverBytes, rendererBytes });
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  const load = await render(parameters.pdfs).finally(() => (isDone = true));
  await sampling;
  return { load, samples };
}

const PDF_HEAD = Buffer.from("%PDF-");
