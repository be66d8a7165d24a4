// Several processes that serve one port of one machine: started, replaced when they die, stopped together. What each
// does is told to it as its assignment, and is nothing to the supervisor. Each listens by itself (SO_REUSEPORT), and
// the system spreads connections over them. node:cluster could hand connections out in turn, but one that was on its
// way to a worker which dies then hangs, and is never closed.
import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../log.ts";
import { joinMetrics } from "./join-metrics.ts";
import type { ToSupervisor, ToWorker } from "./messages.ts";

/** A worker that lived for less is replaced after a pause, which doubles each time. */
const LIVED_MS = 10_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** Of a worker that is busy for longer, the metrics are left out. */
const METRICS_WITHIN_MS = 1500;

export type SupervisorOptions = {
  /** How many workers. */
  readonly count: number;
  /** The module that a worker runs. */
  readonly exec: string;
  /** What a worker is told. `isFirst`: it begins before all others. */
  readonly assign: (isFirst: boolean) => unknown;
  /** How long workers that were told to stop may take, in ms; then they are killed. */
  readonly stopWithinMs: number;
  readonly logger: Logger;
};

/** The first worker ended before it listened. It has said why on standard error. */
export class WorkerStartError extends Error {
  constructor() {
    super("The first worker did not start, for the reason above.");
    this.name = "WorkerStartError";
  }
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #workers = new Map<number, Worker>();
  /** Those that listen. */
  readonly #ready = new WeakSet<Worker>();
  /** Of each number: how long its next replacement waits. */
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
    // Workers see to their own standard streams; a worker gets no arguments, which are the supervisor's.
    cluster.setupPrimary({ exec, args: [] });
    const first = this.#fork(1, true);
    const address = await untilReady(first);
    this.#watch(first, 1, performance.now());
    for (let number = 2; number <= count; number += 1) this.#replace(number);
    return address;
  }

  /** Tells all workers to stop, and waits until they have. Begins none any more. */
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
    // One that is gone while it is spoken to ends as well, which is seen to.
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
 * Waits until a worker listens, and returns where.
 * @throws WorkerStartError where it ends before
 */
function untilReady(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.once("exit", () => reject(new WorkerStartError()));
    worker.on("message", (message: ToSupervisor) => {
      if (message.kind === "ready") resolve(message.address);
    });
  });
}
