// The benchmark of growth: what pages, filters and searches cost a merchant with 10,000 transfers and invoices, and one with
// very many, in turns.
// What belongs here: the kinds of pages, the procedure and its report. Rows are made in invoice-seed.ts and growth-seed.ts.
import { IdSource } from "../src/platform/database/ids.ts";
import { createPool, type OwnedPool } from "../src/platform/database/pool.ts";
import { Browser, newPerson } from "../test/support/dashboard.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import { seedTransfers, type GrownMerchant } from "./growth-seed.ts";
import { Installation } from "./installation.ts";
import { invoiceListKinds } from "./invoice-list-kinds.ts";
import { seedMerchant, settleTables } from "./invoice-seed.ts";
import { withOptions } from "./options.ts";
import { median, writeReport } from "./report.ts";
import { WireClient } from "./wire-client.ts";

const FEW = 10_000;
const SAMPLES = 100;
/** What a page of many rows may cost, as a multiple of one of few. */
const TARGET_RATIO = 1.5;
/** PostgreSQL settles on a plan for a prepared statement at its sixth run. */
const WARM_UP_ROUNDS = 8;
const PAGE = 100;

const USAGE = `Usage: npm run bench -- growth [--rows 1000000] [--rounds 30] [--verify]
  --rows     transfers and invoices of the larger merchant, up to 10,000,000; its journal has two entries for each transfer
  --verify   also makes the entries about invoices and payments, and runs nodal verify over all of them`;
const NUMBERS = { rows: { usual: 1_000_000, maximum: 10_000_000 }, rounds: { usual: 30, maximum: 10_000 } };

/** One kind of request: of the API with a token or keys, or of the dashboard. `rowsIn` names what must not be empty. */
type Kind = {
  readonly kind: string;
  /** Over what: `api` is a POST with keys; `token` and `dashboard` are GETs. */
  readonly over: "api" | "token" | "dashboard";
  readonly path: (of: GrownMerchant) => string;
  readonly body?: (of: GrownMerchant) => object;
  readonly rowsIn: string | null;
};
type Side = { readonly merchant: GrownMerchant; readonly owner: Browser };
type Cost = { readonly p50Ms: number; readonly minMs: number };
type PageCost = { readonly kind: string; readonly few: Cost; readonly many: Cost; readonly ratio: number };

const INVOICES = "/api/v1/merchant/invoice/getlist";
const invoicePages = (kind: string, pageOf: (of: GrownMerchant) => number): Kind => ({
  kind: `API: invoices, ${kind}`,
  over: "api",
  path: () => INVOICES,
  body: (of) => ({ limit: PAGE, page: Math.max(1, pageOf(of)) }),
  rowsIn: null,
});
const dashboard = (kind: string, path: string | ((of: GrownMerchant) => string), rowsIn: string | null): Kind => ({
  kind,
  over: "dashboard",
  path: typeof path === "string" ? () => path : path,
  rowsIn,
});
const middleOf = ({ firstEntryNo, lastEntryNo }: GrownMerchant): bigint => (firstEntryNo + lastEntryNo) / 2n;
const today = (): string => Temporal.Now.plainDateISO("Asia/Kolkata").toString();

const KINDS: readonly Kind[] = [
  invoicePages("first page", () => 1),
  invoicePages("middle page", (of) => Math.floor(of.invoices / 2 / PAGE)),
  invoicePages("last page", (of) => Math.floor(of.invoices / PAGE)),
  {
    kind: "API: a transfer by its reference",
    over: "token",
    path: (of) => `/api/v1/payout/transferstatus/referenceid/copy-${of.transfers / 2}`,
    rowsIn: null,
  },
  { kind: "API: balance", over: "token", path: () => "/api/v1/payout/balance", rowsIn: null },
  dashboard("transfers, first page", "/transfers", "transfers"),
  dashboard("transfers, middle page", (of) => `/transfers?after=${middleOf(of)}`, "transfers"),
  dashboard("transfers, last page", (of) => `/transfers?after=${of.firstEntryNo + 200n}`, "transfers"),
  dashboard("transfers, oldest first", "/transfers?sort=added_at", "transfers"),
  dashboard("transfers, of today", `/transfers?from=${today()}&to=${today()}`, "transfers"),
  dashboard("transfers, SUCCESS", "/transfers?status=SUCCESS", "transfers"),
  dashboard("transfers, FAILED", "/transfers?status=FAILED", "transfers"),
  dashboard("transfers, of a payee", (of) => `/transfers?beneficiary_id=${of.beneficiaryId}`, "transfers"),
  dashboard("transfers, amounts in a range", "/transfers?amount_from=500.00&amount_to=520.00", "transfers"),
  dashboard("transfers, search: a reference", (of) => `/transfers?search=copy-${of.transfers / 2}`, "transfers"),
  dashboard("transfers, search: a payee's name", "/transfers?search=Payee%207", "transfers"),
  dashboard("transfers, search: what nothing matches", "/transfers?search=nobody-has-this", null),
  dashboard("statement, first page", "/statement", "lines"),
  dashboard("statement, middle page", (of) => `/statement?after=${middleOf(of)}`, "lines"),
  dashboard("statement, last page", (of) => `/statement?after=${of.firstEntryNo + 200n}`, "lines"),
  dashboard("statement, of today", `/statement?from=${today()}&to=${today()}`, "lines"),
  dashboard("log, first page", "/audit", "entries"),
  dashboard("log, middle page", (of) => `/audit?after=${middleOf(of)}`, "entries"),
  dashboard("log, last page", (of) => `/audit?after=${of.firstEntryNo + 200n}`, "entries"),
  ...invoiceListKinds().map(([kind, query]) =>
    dashboard(`invoices, ${kind}`, (of) => `/invoices?${query(of)}`, "invoices"),
  ),
  dashboard("invoices, amounts in a range", "/invoices?amount_from=5310.00&amount_to=5320.00", "invoices"),
  dashboard("invoices, an amount that none has", "/invoices?amount_from=1.00&amount_to=1.00", null),
  dashboard("payments, first page", "/payments", "payments"),
  dashboard("customers, first page", "/customers", "customers"),
  dashboard("customers, search: a name", (of) => `/customers?search=Customer%20${of.customers / 2}`, "customers"),
  dashboard("search of everything: a reference", (of) => `/search?text=copy-${of.transfers / 2}`, "payouts"),
  dashboard("search of everything: a customer", (of) => `/search?text=Customer%20${of.customers / 2}`, "customers"),
  dashboard("search of everything: an invoice", "/search?text=INV-2627-00007", "invoices"),
];

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
    const startedAtMs = performance.now();
    // A database that is made at once would go through its checkpoints all the time, and write each page whole after each.
    await pool.query("alter system set max_wal_size = '4GB'");
    await pool.query("select pg_reload_conf()");
    const few = await seedSide(installation, pool, client, FEW, verifies);
    const many = await seedSide(installation, pool, client, rows, verifies);
    await settleTables(pool);
    await pool.query("vacuum (analyze) transfer, beneficiary, ledger_book, simulator.payment");
    const seedSeconds = (performance.now() - startedAtMs) / 1000;
    console.log(`Seeding: ${FEW} and ${rows} transfers and invoices in ${seedSeconds.toFixed(0)} s`);
    const sound = await findSound(client, [few, many]);
    const pages = await measure(client, [few, many], sound, rounds);
    const databaseBytes = await installation.readTableBytes();
    const verify = verifies ? await installation.verify() : null;
    const steep = pages.filter(({ ratio }) => ratio > TARGET_RATIO).map(({ kind }) => kind);
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
  const person = await newPerson({ pool }, String(merchant.merchant.merchantId));
  return { merchant, owner: await Browser.signIn({ server: { baseUrl } }, person) };
}

/** The kinds that both merchants are answered rightly. The others are named, and not measured: making the rows took long. */
async function findSound(client: WireClient, sides: readonly [Side, Side]): Promise<readonly Kind[]> {
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

/** Asks for each of these in turns, `rounds` times of each merchant. What the machine does meanwhile meets both alike. */
async function measure(
  client: WireClient,
  sides: readonly [Side, Side],
  kinds: readonly Kind[],
  rounds: number,
): Promise<PageCost[]> {
  const timed = kinds.map((kind) => ({ kind, latencies: sides.map((): number[] => []) }));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const { kind, latencies } of timed) {
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const latencyMs = await ask(client, sides[index]!, kind);
        if (round >= 0) latencies[index]!.push(latencyMs);
      }
    }
  }
  return timed.map(({ kind: { kind }, latencies }) => {
    const [few, many] = latencies.map((each) => ({ p50Ms: median(each), minMs: Math.min(...each) }));
    return { kind, few: few!, many: many!, ratio: many!.p50Ms / few!.p50Ms };
  });
}

/** Returns how long the answer took, in milliseconds. @throws Error where it is not what it should be */
async function ask(
  client: WireClient,
  { merchant, owner }: Side,
  { kind, over, path, body, rowsIn }: Kind,
): Promise<number> {
  const startedAtMs = performance.now();
  const answer = over === "dashboard" ? await owner.get(path(merchant)) : await askApi();
  const latencyMs = performance.now() - startedAtMs;
  const rows = rowsIn === null ? 1 : ((answer.body as Record<string, readonly unknown[]>)[rowsIn]?.length ?? 0);
  // A search that goes through rows ends after so many, and says how far it came: among very many the first may lie further back.
  const found = rows > 0 || ((answer.body as { searched_to?: string | null }).searched_to ?? null) !== null;
  if (answer.status === 200 && found) return latencyMs;
  throw new Error(`${kind}: ${answer.status}, ${rows} rows, ${JSON.stringify(answer.body).slice(0, 300)}`);

  async function askApi(): Promise<{ status: number; body: unknown }> {
    const given = body ? JSON.stringify({ ...merchant.keys, ...body(merchant) }) : null;
    const { status, bytes } = await client.send({
      method: given === null ? "GET" : "POST",
      path: path(merchant),
      ...(given === null ? { token: merchant.token } : { body: given }),
    });
    return { status, body: JSON.parse(bytes.toString()) };
  }
}

function print(pages: readonly PageCost[], rows: number, steep: readonly string[]): void {
  console.log(
    `${"".padEnd(52)}${String(FEW).padStart(12)}${String(rows).padStart(12)}   ratio (target ${TARGET_RATIO})`,
  );
  for (const { kind, few, many, ratio } of pages) {
    const ms = ({ p50Ms }: Cost): string => `${p50Ms.toFixed(1)} ms`.padStart(12);
    console.log(
      `  ${kind.padEnd(50)}${ms(few)}${ms(many)}   ${ratio.toFixed(2)}${ratio > TARGET_RATIO ? "  steep" : ""}`,
    );
  }
  console.log(steep.length === 0 ? "Every page is flat." : `Not flat: ${steep.join("; ")}`);
}
