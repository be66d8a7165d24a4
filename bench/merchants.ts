// The benchmark of the number of merchants: what an operator, a merchant and the server itself pay in an installation with very
// many of them, in turns with one that has a hundred.
// What belongs here: the procedure. Its report is in merchants-report.ts, the requests in merchants-requests.ts, and merchants are
// made in merchants-seed.ts.
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { IdSource } from "../src/platform/database/ids.ts";
import { createPool, type OwnedPool } from "../src/platform/database/pool.ts";
import { listSchedules } from "../src/platform/jobs/schedule-store.ts";
import { Browser, newPerson } from "../test/support/dashboard.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import { Installation, type StartCosts } from "./installation.ts";
import { FEW, report, type Cost, type IdleCost, type Memory, type Pair, type RequestCost } from "./merchants-report.ts";
import { ask, KINDS, type Kind, type Side } from "./merchants-requests.ts";
import { receiveWebhooks, seedMerchants } from "./merchants-seed.ts";
import { withOptions } from "./options.ts";
import { readOwnSeconds } from "./process-use.ts";
import { median } from "./report.ts";
import { post } from "./subscription-load.ts";
import { WireClient } from "./wire-client.ts";

const CALLERS = 5;
/** Processor time is counted in hundredths of a second: a turn is several requests. */
const REQUESTS_A_TURN = 10;
/** PostgreSQL settles on a plan for a prepared statement at its sixth run, on each connection. */
const WARM_UP_TURNS = 2;
const STARTS = 5;
/** So many different merchants ask, then as many others, and again. */
const ASKING = 5000;
const MEMORY_LOOKS = 3;
const LOOK_MS = 250;

const USAGE = `Usage: npm run bench -- merchants [--merchants 100000] [--rounds 10] [--idle-seconds 120] [--verify]
  --merchants      of the larger installation; the other has ${FEW}
  --idle-seconds   for how long both are left alone
  --verify         also runs nodal verify over both`;
const NUMBERS = {
  merchants: { usual: 100_000, maximum: 100_000 },
  rounds: { usual: 10, maximum: 10_000 },
  "idle-seconds": { usual: 120, maximum: 86_400 },
};

type Parameters = { readonly merchants: number; readonly rounds: number; readonly idleSeconds: number };

/** Runs the benchmark. Returns the exit code: 1 when an answer was wrong or something is not flat, 2 for a wrong option. */
export function benchMerchants(args: readonly string[]): Promise<number> {
  return withOptions(
    args,
    { usage: USAGE, numbers: NUMBERS, switches: ["verify"] },
    ({ numbers: { "idle-seconds": idleSeconds, ...numbers }, switches, profileFolder }) =>
      run({ ...numbers, idleSeconds }, switches.has("verify"), profileFolder),
  );
}

async function run(parameters: Parameters, verifies: boolean, profileFolder: string | null): Promise<number> {
  const receiver = await receiveWebhooks();
  const installations: Installation[] = [];
  try {
    const startedAtMs = performance.now();
    const settings = { WEBHOOK_ALLOW_PRIVATE: "on" };
    const opened: Opened[] = [];
    for (const merchants of [FEW, parameters.merchants]) {
      const installation = await Installation.start({ profileFolder, settings });
      installations.push(installation);
      opened.push(await open(installation, merchants, receiver));
    }
    const seedSeconds = (performance.now() - startedAtMs) / 1000;
    console.log(`Seeding: ${FEW} and ${parameters.merchants} merchants in ${seedSeconds.toFixed(0)} s`);
    const sides = pairOf(opened.map(({ side }) => side));
    const { costs, isSound } = await measureRequests(sides, parameters.rounds);
    const idle = await measureIdle(pairOf(opened), parameters.idleSeconds);
    for (const { pool, side } of opened) {
      side.client.close();
      await pool.end();
    }
    const starts = await measureStarts(sides);
    const memory: Pair<Memory> = { few: await measureMemory(sides.few), many: await measureMemory(sides.many) };
    const { installation } = sides.many;
    const isFlat = await report({
      parameters,
      seedSeconds,
      databaseBytes: { few: await sides.few.installation.readTableBytes(), many: await installation.readTableBytes() },
      requests: costs,
      idle,
      starts,
      memory,
      verify: verifies ? { few: await sides.few.installation.verify(), many: await installation.verify() } : null,
      database: await installation.readDatabaseSettings(),
    });
    return isFlat && isSound ? 0 : 1;
  } finally {
    receiver.closeAllConnections();
    receiver.close();
    for (const installation of installations) {
      const log = await installation.close();
      if (log !== "") console.error(`The server wrote:\n${log.slice(0, 10_000)}`);
    }
  }
}

function pairOf<T>([few, many]: readonly T[]): Pair<T> {
  return { few: few!, many: many! };
}

type Opened = { readonly side: Side; readonly pool: OwnedPool };

/** Makes an installation's merchants, and signs in those who ask. */
async function open(installation: Installation, merchants: number, receiver: Server): Promise<Opened> {
  const pool = withTestSecrets(createPool({ url: installation.databaseUrl, size: 8, actor: TEST_ACTOR }));
  const stage = { installation, pool, ids: new IdSource(pool) };
  const { all, active } = await seedMerchants(stage, merchants, receiver);
  const server = { baseUrl: installation.baseUrl };
  const callers: Side["callers"][number][] = [];
  for (let place = 0; place < CALLERS; place += 1) {
    const merchant = active[Math.floor((place * active.length) / CALLERS)]!;
    const owner = await Browser.signIn({ server }, await newPerson({ pool }, merchant.merchantId));
    callers.push({ ...merchant, owner });
  }
  const operator = await Browser.signIn({ server }, await newPerson({ pool }, null, "Operator"));
  const client = new WireClient(installation.baseUrl, 1);
  return { pool, side: { installation, client, all, callers, operator } };
}

/** The processor time of server and database so far, in seconds. */
async function readSeconds({ installation }: Side): Promise<{ server: number; database: number }> {
  return {
    server: await readOwnSeconds(installation.processId),
    database: await installation.readDatabaseCpuSeconds(),
  };
}

/** Asks for each kind in turns, some requests of each installation. A kind that is answered wrongly is named, and left out. */
async function measureRequests(
  sides: Pair<Side>,
  rounds: number,
): Promise<{ readonly costs: RequestCost[]; readonly isSound: boolean }> {
  const costs: RequestCost[] = [];
  for (const kind of KINDS) {
    try {
      costs.push({ kind: kind.kind, ...(await measureKind(sides, kind, rounds)) });
    } catch (error) {
      console.error(`Wrong: ${(error as Error).message}`);
    }
  }
  return { costs, isSound: costs.length === KINDS.length };
}

async function measureKind(sides: Pair<Side>, kind: Kind, rounds: number): Promise<Pair<Cost>> {
  const measured = { few: new Turns(sides.few, kind), many: new Turns(sides.many, kind) };
  for (let round = -WARM_UP_TURNS; round < rounds; round += 1) {
    const order = [measured.few, measured.many];
    for (const turns of round % 2 === 0 ? order : order.toReversed()) await turns.take(round >= 0);
  }
  return { few: measured.few.cost(), many: measured.many.cost() };
}

/** The turns that one installation has with one kind of request. */
class Turns {
  readonly #side: Side;
  readonly #kind: Kind;
  readonly #latenciesMs: number[] = [];
  #seconds = 0;

  constructor(side: Side, kind: Kind) {
    this.#side = side;
    this.#kind = kind;
  }

  async take(counts: boolean): Promise<void> {
    const before = await readSeconds(this.#side);
    for (let turn = 0; turn < REQUESTS_A_TURN; turn += 1) {
      const latencyMs = await ask(this.#side, turn, this.#kind);
      if (counts) this.#latenciesMs.push(latencyMs);
    }
    const after = await readSeconds(this.#side);
    if (counts) this.#seconds += after.server - before.server + after.database - before.database;
  }

  cost(): Cost {
    return {
      p50Ms: median(this.#latenciesMs),
      minMs: Math.min(...this.#latenciesMs),
      processorMs: (this.#seconds * 1000) / this.#latenciesMs.length,
    };
  }
}

/** Leaves both installations alone, at the same time, and looks only at when their schedules ran. */
async function measureIdle(opened: Pair<Opened>, seconds: number): Promise<Pair<IdleCost>> {
  const [few, many] = await Promise.all([opened.few, opened.many].map((each) => watchIdle(each, seconds)));
  return { few: few!, many: many! };
}

async function watchIdle({ side, pool }: Opened, seconds: number): Promise<IdleCost> {
  const runs = new Map<string, Map<string, number>>();
  const before = await readSeconds(side);
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < seconds * 1000) {
    for (const { name, lastStartedAt, lastFinishedAt } of await listSchedules(pool)) {
      if (lastStartedAt === null || lastFinishedAt === null || isLater(lastStartedAt, lastFinishedAt)) continue;
      const tookMs = lastStartedAt.until(lastFinishedAt).total("milliseconds");
      runs.set(name, (runs.get(name) ?? new Map<string, number>()).set(lastStartedAt.toString(), tookMs));
    }
    await sleep(LOOK_MS);
  }
  const elapsed = (performance.now() - startedAtMs) / 1000;
  const after = await readSeconds(side);
  return {
    serverMsPerSecond: ((after.server - before.server) * 1000) / elapsed,
    databaseMsPerSecond: ((after.database - before.database) * 1000) / elapsed,
    roundMs: Object.fromEntries([...runs].map(([name, took]) => [name, median([...took.values()])])),
  };
}

function isLater(one: Temporal.Instant, other: Temporal.Instant): boolean {
  return Temporal.Instant.compare(one, other) > 0;
}

async function measureStarts({ few, many }: Pair<Side>): Promise<Pair<StartCosts>> {
  const measured: Pair<StartCosts[]> = { few: [], many: [] };
  for (let start = 0; start < STARTS; start += 1) {
    measured.few.push(await few.installation.restart());
    measured.many.push(await many.installation.restart());
  }
  const inMidst = (starts: readonly StartCosts[]): StartCosts => ({
    readyMs: median(starts.map(({ readyMs }) => readyMs)),
    serverSeconds: median(starts.map(({ serverSeconds }) => serverSeconds)),
    databaseSeconds: median(starts.map(({ databaseSeconds }) => databaseSeconds)),
  });
  return { few: inMidst(measured.few), many: inMidst(measured.many) };
}

/** What the server remembers once each of so many merchants has asked; the smaller installation's ask again and again. */
async function measureMemory({ installation, all }: Side): Promise<Memory> {
  const client = new WireClient(installation.baseUrl, 1);
  const residentBytes = [(await installation.readServerUse()).residentBytes];
  for (let look = 0; look < MEMORY_LOOKS; look += 1) {
    for (let number = 0; number < ASKING; number += 1) {
      const { access_key_id, secret_access_key } = all[(look * ASKING + number) % all.length]!;
      const keys = { access_key_id, secret_access_key };
      const { success } = await post<{ success: { token: string } }>(client, "/api/token", keys);
      const { status } = await client.send({ method: "GET", path: "/api/v1/payout/balance", token: success.token });
      if (status !== 200) throw new Error(`balance: ${status}`);
    }
    residentBytes.push((await installation.readServerUse()).residentBytes);
  }
  client.close();
  return { asking: ASKING, residentBytes };
}
