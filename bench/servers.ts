// The benchmark of several servers: one, two behind HAProxy, and two workers, in turns on the same merchants of one
// PostgreSQL. The set-ups are in server-setups.ts, the report in servers-report.ts.
import { IdSource } from "../src/platform/database/ids.ts";
import { createPool } from "../src/platform/database/pool.ts";
import { CITUS_URL, createCitusDatabase } from "../test/support/citus.ts";
import { startDatabase, type TestDatabase } from "../test/support/database-copy.ts";
import { findHaproxy, HAPROXY_REMEDY } from "../test/support/haproxy.ts";
import { makeDataDir } from "../test/support/nodal.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import type { HttpLoadSetup } from "./http-load.ts";
import type { Payer } from "./installation.ts";
import { makeMerchants } from "./invoice-merchants.ts";
import { LoadProcess, type LoadResult } from "./load.ts";
import { withOptions } from "./options.ts";
import { writeReport } from "./report.ts";
import type { SaveLoadSetup } from "./save-load.ts";
import { Setup, SETUPS, type SetupName } from "./server-setups.ts";
import { judge, printSummary, printTurn, type Phase, type Round, type Turn } from "./servers-report.ts";
import { makeCallers, post, type Caller } from "./subscription-load.ts";
import { WireClient } from "./wire-client.ts";

const HTTP_LOAD = import.meta.resolve("./http-load.ts");
const SAVE_LOAD = import.meta.resolve("./save-load.ts");
/** How many requests of each kind are under way at once. */
type Connections = { readonly transfers: number; readonly saves: number };
const CONNECTIONS = 64;
const TRANSFERS: Connections = { transfers: CONNECTIONS, saves: 0 };
const SAVES: Connections = { transfers: 0, saves: CONNECTIONS };
const MIXED: Connections = { transfers: 48, saves: 8 };
const WARM_UP_SECONDS = 3;
const SIGN_INS_AT_ONCE = 8;
/** More references than a turn uses. */
const REFERENCES_A_TURN = 1_000_000_000;
const NAMES = Object.keys(SETUPS) as SetupName[];

type Parameters = {
  readonly seconds: number;
  readonly alternations: number;
  readonly merchants: number;
  readonly profileFolder: string | null;
};

type Loads = Readonly<Record<keyof Connections, LoadProcess>>;

const USAGE = `Usage: npm run bench -- servers [--seconds 10] [--alternations 3] [--merchants 200]
  Needs HAProxy, which \`node scripts/bring-haproxy.ts\` installs on Debian.
  [--profile <folder>]   also writes CPU profiles of the servers, which slows them down`;

const NUMBERS = {
  seconds: { usual: 10, maximum: 600 },
  alternations: { usual: 3, maximum: 100 },
  merchants: { usual: 200, maximum: 10_000 },
};

/**
 * Runs the benchmark. Returns the exit code: 1 when a request failed, the books don't hold or a second server or worker
 * does not help as it should, 2 for a wrong option.
 */
export function benchServers(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS }, ({ numbers, profileFolder }) =>
    run({ ...numbers, profileFolder }),
  );
}

async function run(parameters: Parameters): Promise<number> {
  if (findHaproxy() === null) throw new Error(HAPROXY_REMEDY);
  const database = CITUS_URL === null ? await startDatabase(await makeDataDir()) : await createCitusDatabase(CITUS_URL);
  try {
    return await measure(database, parameters);
  } finally {
    await database.release();
  }
}

async function measure(database: TestDatabase, parameters: Parameters): Promise<number> {
  const { profileFolder } = parameters;
  const callers = await withSetup("one", database, null, (setup) => seed(setup, parameters.merchants));
  const rounds: Round[] = [];
  for (let number = 0; number < parameters.alternations; number += 1) {
    const turns: Turn[] = [];
    for (let place = 0; place < NAMES.length; place += 1) {
      // Each is the first in a third of the rounds: tables grow, and the machine may have other work.
      const name = NAMES[(number + place) % NAMES.length]!;
      const firstReference = (number * NAMES.length + place) * REFERENCES_A_TURN;
      const turn = await withSetup(name, database, profileFolder, (setup) =>
        takeTurn(name, setup, callers, parameters.seconds, firstReference),
      );
      printTurn(number + 1, turn);
      turns.push(turn);
    }
    rounds.push(turns);
  }
  const end = await withSetup("one", database, null, async ({ installation }) => ({
    database: await installation.readDatabaseSettings(),
    storedTransfers: await installation.countTransfers(),
    verify: await installation.verify(),
  }));
  const summary = judge(rounds, end);
  printSummary(summary);
  await writeReport("servers", { database: end.database, parameters, rounds, summary });
  return summary.passed ? 0 : 1;
}

/** Starts a set-up, works with it, and stops it, whatever happens. */
async function withSetup<T>(
  name: SetupName,
  database: TestDatabase,
  profileFolder: string | null,
  work: (setup: Setup) => Promise<T>,
): Promise<T> {
  const setup = await Setup.start(name, database, profileFolder);
  try {
    return await work(setup);
  } finally {
    await setup.close();
  }
}

/** Makes merchants that can pay and save invoices. */
async function seed({ baseUrl, installation }: Setup, count: number): Promise<Caller[]> {
  const pool = withTestSecrets(createPool({ url: installation.databaseUrl, size: 2, actor: TEST_ACTOR }));
  const client = new WireClient(baseUrl, 1);
  try {
    const ids = new IdSource(pool);
    return await makeCallers(pool, ids, client, await makeMerchants(pool, ids, client, count));
  } finally {
    client.close();
    await pool.end();
  }
}

/** Gets every merchant a new token, since a token is good for an hour and a run may take longer. */
async function signIn({ baseUrl }: Setup, callers: readonly Caller[]): Promise<Payer[]> {
  const client = new WireClient(baseUrl, SIGN_INS_AT_ONCE);
  try {
    return await Promise.all(
      callers.map(async ({ merchant, keys, beneficiaryId }) => {
        const { success } = await post<{ success: { token: string } }>(client, "/api/token", keys);
        return { merchantId: String(merchant.merchantId), token: success.token, beneficiaryId };
      }),
    );
  } finally {
    client.close();
  }
}

/** Warms a set-up up, and measures each kind of load on it. */
async function takeTurn(
  name: SetupName,
  setup: Setup,
  callers: readonly Caller[],
  seconds: number,
  firstReference: number,
): Promise<Turn> {
  const loads = await startLoads(setup, callers, firstReference);
  const phase = (forSeconds: number, connections: Connections): Promise<Phase> =>
    measurePhase(setup, loads, forSeconds, connections);
  try {
    return {
      setup: name,
      warmUp: [await phase(WARM_UP_SECONDS, TRANSFERS), await phase(WARM_UP_SECONDS, SAVES)],
      transfers: await phase(seconds, TRANSFERS),
      saves: await phase(seconds, SAVES),
      mixed: name === "one" ? await phase(seconds, MIXED) : null,
    };
  } finally {
    await Promise.all([loads.transfers.stop(), loads.saves.stop()]);
  }
}

async function startLoads(setup: Setup, callers: readonly Caller[], firstReference: number): Promise<Loads> {
  const { port } = setup;
  const payers = await signIn(setup, callers);
  const keys = callers.map((caller) => caller.keys);
  const transferSetup: HttpLoadSetup = { port, connections: CONNECTIONS, payers, firstReference };
  const saveSetup: SaveLoadSetup = { port, connections: CONNECTIONS, keys };
  return {
    transfers: await LoadProcess.start(HTTP_LOAD, transferSetup),
    saves: await LoadProcess.start(SAVE_LOAD, saveSetup),
  };
}

/** One phase, and the wait until the bank has all its transfers. */
async function measurePhase(setup: Setup, loads: Loads, seconds: number, connections: Connections): Promise<Phase> {
  const run = (kind: keyof Loads): Promise<LoadResult> | null =>
    connections[kind] > 0 ? loads[kind].run(seconds, null, connections[kind]) : null;
  const before = await setup.readUse();
  const [transfers, saves] = await Promise.all([run("transfers"), run("saves")]);
  const drainSeconds = await setup.installation.drain();
  const after = await setup.readUse();
  return {
    transfers,
    saves,
    drainSeconds,
    serverCpuSeconds: after.servers - before.servers,
    databaseCpuSeconds: after.database - before.database,
    proxyCpuSeconds: after.proxy - before.proxy,
  };
}
