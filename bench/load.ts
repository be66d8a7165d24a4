// Load from a process of its own, so that making requests does not slow the measuring down, nor the other way round.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Latencies } from "./latencies.ts";

/** What a phase of load came to. Rates and latencies are of the requests that succeeded. */
export type LoadResult = {
  readonly seconds: number;
  readonly succeeded: number;
  readonly failed: number;
  /** What the first failed request was answered, for the message. */
  readonly firstFailure: string | null;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Processor time that the load's own process used, as a share of one core. */
  readonly loadCores: number;
};

/** Sends one request after the other until `isOver` says so; reports each. */
export type Lane = (phase: Phase) => Promise<void>;

/** One phase of load as its lanes see it. */
export class Phase {
  readonly #latencies = new Latencies();
  readonly #startedAtMs = performance.now();
  readonly #processor = process.cpuUsage();
  readonly #endsAtMs: number;
  readonly #perSecond: number;
  #turns = 0;
  #failed = 0;
  #firstFailure: string | null = null;

  /** @param perSecond how many turns there are in a second; without it, as many as are asked for */
  constructor(seconds: number, perSecond = Infinity) {
    this.#endsAtMs = this.#startedAtMs + seconds * 1000;
    this.#perSecond = perSecond;
  }

  /** Resolves when the next request may begin, at once where requests lag. Returns its number, from 0. */
  async turn(): Promise<number> {
    const number = this.#turns;
    this.#turns += 1;
    const waitMs = this.#startedAtMs + (number * 1000) / this.#perSecond - performance.now();
    if (waitMs >= 1) await sleep(waitMs);
    return number;
  }

  /** Whether no further request may begin. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAtMs;
  }

  succeeded(latencyMs: number): void {
    this.#latencies.record(latencyMs);
  }

  failed(why: string): void {
    this.#failed += 1;
    this.#firstFailure ??= why;
  }

  /** The result, once every lane has ended. */
  finish(): LoadResult {
    const seconds = (performance.now() - this.#startedAtMs) / 1000;
    const { user, system } = process.cpuUsage(this.#processor);
    return {
      seconds,
      succeeded: this.#latencies.count,
      failed: this.#failed,
      firstFailure: this.#firstFailure,
      perSecond: this.#latencies.count / seconds,
      p50Ms: this.#latencies.percentileMs(50),
      p99Ms: this.#latencies.percentileMs(99),
      maxMs: this.#latencies.maxMs,
      loadCores: (user + system) / 1e6 / seconds,
    };
  }
}

type Order<Setup> =
  | { readonly open: Setup }
  | { readonly runSeconds: number; readonly perSecond: number | null; readonly lanes: number | null };
type Reply = { readonly ready: true } | { readonly result: LoadResult } | { readonly error: string };

/** The load's process: `open` makes its lanes; each order then runs them all for a time. */
export function serveLoad<Setup>(open: (setup: Setup) => Promise<readonly Lane[]>): void {
  let lanes: readonly Lane[] = [];
  const obey = async (order: Order<Setup>): Promise<Reply> => {
    if ("open" in order) {
      lanes = await open(order.open);
      return { ready: true };
    }
    const phase = new Phase(order.runSeconds, order.perSecond ?? Infinity);
    await Promise.all(lanes.slice(0, order.lanes ?? lanes.length).map((lane) => lane(phase)));
    return { result: phase.finish() };
  };
  process.on("message", (order: Order<Setup>) => {
    obey(order)
      .catch((error: Error): Reply => ({ error: error.message }))
      .then((reply) => process.send!(reply))
      .catch(() => process.exit(1));
  });
  process.on("disconnect", () => process.exit(0));
}

/** A load's process as the benchmark sees it. */
export class LoadProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts the process from the URL of a file that calls `serveLoad`, and opens its connections. */
  static async start<Setup extends object>(file: string, setup: Setup): Promise<LoadProcess> {
    const load = new LoadProcess(fork(new URL(file), { stdio: ["ignore", "inherit", "inherit", "ipc"] }));
    await load.#ask({ open: setup });
    return load;
  }

  /**
   * Runs the load for a time; with `perSecond`, lanes that ask for their turns send no more than that, and with `lanes`
   * only the first so many of them run.
   */
  async run(seconds: number, perSecond: number | null = null, lanes: number | null = null): Promise<LoadResult> {
    const reply = await this.#ask({ runSeconds: seconds, perSecond, lanes });
    if (!("result" in reply)) throw new Error("the load's process gave no result");
    return reply.result;
  }

  /** Ends the process, its connections with it. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.disconnect();
    await exit;
  }

  async #ask(order: Order<object>): Promise<Reply> {
    const ended = new AbortController();
    try {
      this.#child.send(order);
      const reply = await Promise.race([
        once(this.#child, "message", { signal: ended.signal }).then(([message]) => message as Reply),
        once(this.#child, "exit", { signal: ended.signal }).then((): Reply => ({ error: "the load's process died" })),
      ]);
      if ("error" in reply) throw new Error(reply.error);
      return reply;
    } finally {
      ended.abort();
    }
  }
}
