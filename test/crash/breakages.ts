// The kinds of breakage, how each is done to a site under load, and in which order a run goes through them. What must
// hold then is in books.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { cutOff, listWorkerPorts } from "../support/citus.ts";
import { hasEnded, NodalProcess, type Environment } from "../support/nodal.ts";
import type { Load } from "./load.ts";
import type { ProviderBanks } from "./provider-banks.ts";
import { CuttingProxy } from "./proxy.ts";
import { until, type CrashSite } from "./site.ts";
import type { SmallDisk } from "./small-disk.ts";
import { between } from "./writes.ts";

/** What is broken. */
export type Scene = {
  readonly site: CrashSite;
  readonly load: Load;
  readonly random: () => number;
  readonly disk: SmallDisk | null;
  readonly banks: ProviderBanks | null;
};

type Breakage = {
  /** How often it is drawn beside the others, once each had its turn. */
  readonly weight: number;
  /** What it needs: that the database is this site's own, or besides that its disk can be filled; or that it is on a Citus. */
  readonly needs?: "own database" | "small disk" | "Citus";
  /**
   * Breaks something under load and lets it come back. Returns how long that took until writes were taken again, in ms.
   */
  hurt(scene: Scene): Promise<number>;
};

/** Longer than a dispatcher's lease with what is left of it. */
const PAUSE_MS = 10_000;
/** After this long without a write that was taken, a run has failed. */
const SERVING_TIMEOUT_MS = 180_000;
const NOTICED_TIMEOUT_MS = 30_000;
const MAX_CUTS = 3;

export const BREAKAGES = {
  "server killed": {
    weight: 5,
    hurt: async (scene) => {
      await scene.site.killServer();
      return restart(scene);
    },
  },
  "PostgreSQL killed": {
    weight: 5,
    needs: "own database",
    hurt: async (scene) => {
      await scene.site.killDatabase();
      return serveAgain(scene);
    },
  },
  "both killed": {
    weight: 5,
    needs: "own database",
    hurt: async (scene) => {
      await Promise.all([scene.site.killServer(), scene.site.killDatabase()]);
      return restart(scene);
    },
  },
  "server stopped for 10 s": {
    weight: 2,
    hurt: async (scene) => {
      await scene.site.pauseServer(PAUSE_MS);
      return serveAgain(scene);
    },
  },
  "PostgreSQL stopped for 10 s": {
    weight: 2,
    needs: "own database",
    hurt: async (scene) => {
      await scene.site.pauseDatabase(PAUSE_MS);
      return serveAgain(scene);
    },
  },
  "disk full": { weight: 3, needs: "small disk", hurt: fillDisk },
  "connections cut": { weight: 4, hurt: cutConnections },
  "Citus node away": { weight: 5, needs: "Citus", hurt: loseNode },
} satisfies Readonly<Record<string, Breakage>>;

export type BreakageKind = keyof typeof BREAKAGES;

/** What can be broken: of a Citus, which others use too, only the way to the run's own database. */
export type Breakable = "server and way to Citus" | "server and database" | "server, database and disk";

/** The kinds of breakage that can be done there. */
export function kindsOf(breakable: Breakable): BreakageKind[] {
  const kinds = Object.entries(BREAKAGES as Readonly<Record<string, Breakage>>);
  const can = ({ needs }: Breakage): boolean =>
    needs === undefined ||
    {
      "own database": breakable !== "server and way to Citus",
      "small disk": breakable === "server, database and disk",
      Citus: breakable === "server and way to Citus",
    }[needs];
  return kinds.filter(([, breakage]) => can(breakage)).map(([kind]) => kind as BreakageKind);
}

/** So many breakages in the order of a run: each kind once, then drawn by weight; what can't be done is left out. */
export function planBreakages(count: number, random: () => number, breakable: Breakable): BreakageKind[] {
  const kinds = kindsOf(breakable);
  const total = kinds.reduce((sum, kind) => sum + BREAKAGES[kind].weight, 0);
  const draw = (): BreakageKind => {
    let point = random() * total;
    return kinds.find((kind) => (point -= BREAKAGES[kind].weight) < 0)!;
  };
  const plan = [...kinds, ...Array.from({ length: Math.max(0, count - kinds.length) }, draw)];
  return plan
    .map((kind) => ({ kind, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ kind }) => kind)
    .slice(0, count);
}

/** Starts the server, with something to do at once: schedules that are due. */
async function restart({ site, load }: Scene): Promise<number> {
  const startedMs = performance.now();
  await site.start();
  await load.timeToServe(SERVING_TIMEOUT_MS);
  return performance.now() - startedMs;
}

/** Fails where the server has died, as it must not: what it depends on was broken, and it goes on. */
async function serveAgain({ site, load }: Scene): Promise<number> {
  const tookMs = await load.timeToServe(SERVING_TIMEOUT_MS);
  if (hasEnded(site.server.child)) throw new Error(`the server has ended:\n${site.server.output}`);
  return tookMs;
}

/** Fills the disk until a request has noticed, lets the load go on for a moment, and gives the room back. */
async function fillDisk(scene: Scene): Promise<number> {
  const { load, random, disk } = scene;
  await disk!.fill();
  try {
    const before = load.countFailures();
    await until(
      async () => load.countFailures() > before,
      NOTICED_TIMEOUT_MS,
      "a request has noticed that the disk is full",
    );
    await sleep(random() * 1500);
  } finally {
    await disk!.free();
  }
  return serveAgain(scene);
}

/**
 * A second server, which reaches the database through a proxy, gets all requests; its connections are cut, a few times.
 */
async function cutConnections(scene: Scene): Promise<number> {
  const { site, load, random } = scene;
  const direct = new URL(site.databaseUrl);
  const proxy = await CuttingProxy.open(Number(direct.port));
  const through = new URL(site.databaseUrl);
  through.port = String(proxy.port);
  const { DATA_DIR: _, PORT: __, ...settings } = site.environment;
  const guest = await startGuest({ ...settings, DATABASE_URL: through.toString() }, proxy);
  const targets = load.targets;
  try {
    load.targets = [guest.baseUrl];
    let servedMs = 0;
    for (let cuts = between(random, 1, MAX_CUTS); cuts > 0; cuts -= 1) {
      await sleep(200 + random() * 500);
      if (proxy.cut() === 0) throw new Error("there was no connection to cut");
      servedMs = Math.max(servedMs, await load.timeToServe(SERVING_TIMEOUT_MS));
    }
    return servedMs;
  } finally {
    load.targets = targets;
    await guest.stop();
    await proxy.close();
  }
}

/**
 * A worker of Citus ends the connections to the run's database in whatever they do, and takes no new ones until a request has
 * noticed. Servers reach the workers without the coordinator, so that cutting the way to that one does not hurt them here.
 */
async function loseNode(scene: Scene): Promise<number> {
  const { site, load, random } = scene;
  const ports = await listWorkerPorts(site.databaseUrl);
  const before = load.countFailures();
  const comeBack = await cutOff(site.databaseUrl, ports[Math.floor(random() * ports.length)]!);
  try {
    await until(
      async () => load.countFailures() > before,
      NOTICED_TIMEOUT_MS,
      "a request has noticed that a node is away",
    );
    await sleep(random() * 1500);
  } finally {
    await comeBack();
  }
  return serveAgain(scene);
}

async function startGuest(environment: Environment, proxy: CuttingProxy): Promise<NodalProcess> {
  return NodalProcess.start(environment).catch(async (error: unknown) => {
    await proxy.close();
    throw error;
  });
}
