// What the soak watches: memory, file descriptors, connections, temporary files and queues, at even intervals.
import { readFile, readdir } from "node:fs/promises";
import { countMailQueue } from "../src/notifications/index.ts";
import { countTransferQueue } from "../src/payouts/index.ts";
import type { Pool } from "../src/platform/database/pool.ts";
import { countWebhookQueue } from "../src/webhooks/index.ts";
import type { Installation } from "./installation.ts";

/** What is watched, each with how much more of it the last quarter of a run may show than the second. */
export const LIMITS = {
  serverBytes: { factor: 1.1, more: 20e6 },
  rendererBytes: { factor: 1.1, more: 20e6 },
  /** Private memory of PostgreSQL's processes; what they share has a fixed size. */
  databaseBytes: { factor: 1.15, more: 30e6 },
  serverFiles: { factor: 1, more: 8 },
  databaseFiles: { factor: 1.1, more: 100 },
  connections: { factor: 1, more: 1 },
  temporaryFiles: { factor: 1, more: 2 },
  /** Half a second of transfers: they come and go. */
  transfersWaiting: { factor: 1.5, more: 1000 },
  webhooksWaiting: { factor: 1.5, more: 1000 },
  mailWaiting: { factor: 1, more: 0 },
} as const;

export type Watched = keyof typeof LIMITS;
export type Sample = Readonly<Record<Watched, number>> & { readonly atSeconds: number };
export type Growth = { readonly what: Watched; readonly second: number; readonly last: number; readonly grew: boolean };

/** Takes samples until `stop`. */
export class SoakWatch {
  readonly samples: Sample[] = [];
  readonly #installation: Installation;
  readonly #pool: Pool;
  readonly #temporaryFolder: string;
  readonly #startedAtMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  #last: Promise<void> = Promise.resolve();

  /** @param pool connections of the database's owner */
  constructor(installation: Installation, pool: Pool, temporaryFolder: string, everyMs: number) {
    this.#installation = installation;
    this.#pool = pool;
    this.#temporaryFolder = temporaryFolder;
    this.#timer = setInterval(() => {
      this.#last = this.#last.then(() => this.#take());
    }, everyMs);
  }

  /** Ends the sampling. Rejects where a sample could not be taken. */
  async stop(): Promise<readonly Sample[]> {
    clearInterval(this.#timer);
    await this.#last;
    return this.samples;
  }

  async #take(): Promise<void> {
    const { rows } = await this.#pool.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    const pids = rows.map(({ pid }) => pid);
    const [transfers, webhooks, mail] = [
      await countTransferQueue(this.#pool),
      await countWebhookQueue(this.#pool),
      await countMailQueue(this.#pool),
    ];
    this.samples.push({
      atSeconds: Math.round((performance.now() - this.#startedAtMs) / 1000),
      serverBytes: (await this.#installation.readServerUse()).residentBytes,
      rendererBytes: await this.#installation.readRendererBytes(),
      databaseBytes: sum(await Promise.all(pids.map(readPrivateBytes))),
      serverFiles: await countEntries(`/proc/${this.#installation.processId}/fd`),
      databaseFiles: sum(await Promise.all(pids.map((pid) => countEntries(`/proc/${pid}/fd`)))),
      connections: pids.length,
      temporaryFiles: await countEntries(this.#temporaryFolder),
      transfersWaiting: Number(transfers.waiting),
      webhooksWaiting: Number(webhooks.waiting),
      mailWaiting: Number(mail.waiting),
    });
  }
}

/** Compares the last quarter of the samples with the second: the first is for warming up. */
export function judgeGrowth(samples: readonly Sample[]): Growth[] {
  const quarter = Math.floor(samples.length / 4);
  return (Object.keys(LIMITS) as Watched[]).map((what) => {
    const values = samples.map((sample) => sample[what]);
    const second = mean(values.slice(quarter, 2 * quarter));
    const last = mean(values.slice(-quarter));
    const { factor, more } = LIMITS[what];
    return { what, second, last, grew: last > second * factor + more };
  });
}

async function readPrivateBytes(pid: number): Promise<number> {
  // A connection may have ended since it was listed.
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  return Number(/^Pss_Anon: +([0-9]+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
}

async function countEntries(folder: string): Promise<number> {
  return (await readdir(folder, { recursive: !folder.startsWith("/proc/") }).catch(() => [])).length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / Math.max(1, values.length);
}
