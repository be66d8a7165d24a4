// Supervises processes that serve one port: starts them, replaces dead ones, and stops them together. Each gets an
// assignment that the supervisor does not interpret. Each listens by itself (SO_REUSEPORT), and the system distributes
// connections. node:cluster could distribute them in turn, but a connection on its way to a dying worker would hang
// forever.
import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../log.ts";
import { joinMetrics } from "./join-metrics.ts";
import type { ToSupervisor, ToWorker } from "./messages.ts";

/** A worker that dies sooner is replaced after a pause, which doubles each time. */
const LIVED_MS = 10_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** The metrics of a worker that takes longer are left out. */
const METRICS_WITHIN_MS = 1500;

export type SupervisorOptions = {
  /** How many workers. */
  readonly count: number;
  /** The module that a worker runs. */
  readonly exec: string;
  /** Makes a worker's assignment. `isFirst`: it starts before all others. */
  readonly assign: (isFirst: boolean) => unknown;
  /** How long stopping workers may take, in ms; then they are killed. */
  readonly stopWithinMs: number;
  readonly logger: Logger;
};

/** The first worker ended before it listened. Its reason is on standard error. */
export class WorkerStartError extends Error {
  constructor() {
    super("The first worker did not start, for the reason above.");
    this.name = "WorkerStartError";
  }
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #workers = new Map<number, Worker>();
  /** The listening workers. */
  readonly #ready = new WeakSet<Worker>();
  /** The pause before the next replacement, by worker number. */
  readonly #pauses = new Map<number, number>();
  readonly #stopping = new AbortController();
  readonly #told = new Map<number, (text: string) => void>();
  #lastId = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /**
   * Starts the first worker, and the others once it listens. Returns the address.
   * @throws WorkerStartError
   */
  async start(): Promise<string> {
    const { count, exec } = this.#options;
    // Workers handle their own standard streams, and don't get the supervisor's arguments.
    cluster.setupPrimary({ exec, args: [] });
    const first = this.#fork(1, true);
    const address = await untilReady(first);
    this.#watch(first, 1, performance.now());
    for (let number = 2; number <= count; number += 1) this.#replace(number);
    return address;
  }

  /** Stops all workers, and waits for their end. Starts no more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const workers = [...this.#workers.values()].filter((worker) => !worker.isDead());
    const ended = workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve)));
    for (const worker of workers) worker.process.kill("SIGTERM");
    const kill = setTimeout(() => {
      for (const worker of workers) worker.process.kill("SIGKILL");
      this.#options.logger.error("workers that did not stop in time were killed");
    }, this.#options.stopWithinMs);
    await Promise.all(ended);
    clearTimeout(kill);
  }

  #replace(number: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#watch(this.#fork(number, false), number, performance.now());
  }

  #fork(number: number, isFirst: boolean): Worker {
    const worker = cluster.fork();
    this.#workers.set(number, worker);
    const begin: ToWorker = { kind: "begin", number, assignment: this.#options.assign(isFirst) };
    worker.send(begin);
    worker.on("message", (message: ToSupervisor) => void this.#hear(worker, message));
    // Sending to a dead worker fails; its end is handled separately.
    worker.on("error", (error) =>
      this.#options.logger.warn({ err: error, worker: number }, "a worker does not respond"),
    );
    return worker;
  }

  #watch(worker: Worker, number: number, startedAtMs: number): void {
    worker.once("exit", (code: number | null, signal: string | null) => {
      if (this.#stopping.signal.aborted) return;
      const livedMs = performance.now() - startedAtMs;
      const pauseMs = livedMs < LIVED_MS ? (this.#pauses.get(number) ?? FIRST_PAUSE_MS) : 0;
      this.#pauses.set(number, Math.min(LONGEST_PAUSE_MS, pauseMs === 0 ? FIRST_PAUSE_MS : pauseMs * 2));
      this.#options.logger.error(
        { worker: number, code, signal, pause_ms: pauseMs },
        "a worker ended; starting another",
      );
      const { signal: stopping } = this.#stopping;
      void sleep(pauseMs, undefined, { signal: stopping }).then(
        () => this.#replace(number),
        () => {},
      );
    });
  }

  async #hear(worker: Worker, message: ToSupervisor): Promise<void> {
    if (message.kind === "ready") this.#ready.add(worker);
    if (message.kind === "own_metrics") this.#told.get(message.id)?.(message.text);
    if (message.kind !== "wants_metrics") return;
    const text = await this.#exposeAll();
    const answer: ToWorker = { kind: "all_metrics", id: message.id, text };
    if (worker.isConnected()) worker.send(answer);
  }

  async #exposeAll(): Promise<string> {
    const texts = await Promise.all(
      [...this.#workers].map(async ([number, worker]) => {
        const text = await this.#ask(worker);
        return { number, text };
      }),
    );
    const up = texts.map(({ number, text }) => `worker_up{worker="${number}"} ${text === null ? 0 : 1}\n`);
    const head = "# HELP worker_up Whether the worker serves, and has told its metrics.\n# TYPE worker_up gauge\n";
    return joinMetrics([head + up.join(""), ...texts.flatMap(({ text }) => text ?? [])]);
  }

  async #ask(worker: Worker): Promise<string | null> {
    if (!this.#ready.has(worker) || !worker.isConnected()) return null;
    const id = (this.#lastId += 1);
    const over = new AbortController();
    try {
      const told = new Promise<string>((resolve) => this.#told.set(id, resolve));
      const question: ToWorker = { kind: "tell_metrics", id };
      worker.send(question);
      return await Promise.race([told, sleep(METRICS_WITHIN_MS, null, { signal: over.signal })]);
    } finally {
      over.abort();
      this.#told.delete(id);
    }
  }
}

/**
 * Waits until a worker listens, and returns its address. @throws WorkerStartError if it ends before that
 */
function untilReady(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.once("exit", () => reject(new WorkerStartError()));
    worker.on("message", (message: ToSupervisor) => {
      if (message.kind === "ready") resolve(message.address);
    });
  });
}
