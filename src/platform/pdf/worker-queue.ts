// A queue for native code that processes strangers' files: one job at a time in a separate process. Owners take turns.
import type { ChildProcess } from "node:child_process";
import { NodalError } from "../errors.ts";
import { Gate } from "../gate.ts";
import { forkLimited, limitProcessorTime } from "../limited-process.ts";
import type { Logger } from "../log.ts";
import { READY, type Reply, type WorkerSettings } from "./messages.ts";

export type WorkerQueueOptions = {
  readonly logger: Logger;
  /** The module that the process runs. It says READY, then answers each message with a Reply. */
  readonly script: string;
  readonly settings: WorkerSettings;
  /** The time limit of a job, in processor time. */
  readonly timeoutMs: number;
  /** How long the process may take until it is ready. */
  readonly startTimeoutMs: number;
  /** The process is replaced after this many jobs, since compilers leak a little with each. */
  readonly jobsPerWorker: number;
  /** The memory limit, beyond which the process crashes. */
  readonly memoryMiB: number;
  /** How many jobs of one owner may wait. */
  readonly maxWaitingPerOwner: number;
};

/** How the process was lost during a job; `isOfJob` if the job took too long. */
type Loss = { readonly lost: string; readonly isOfJob: boolean };
type Job<Request> = { readonly request: Request; readonly end: (outcome: Reply | Loss) => void };

/** It starts its process with the first job. Close it, or that lives as long as this process. */
export class WorkerQueue<Request extends object> {
  readonly #options: WorkerQueueOptions;
  readonly #gate: Gate;
  #inProgress: Job<Request> | null = null;
  #endWatch: () => void = () => {};
  #worker: ChildProcess | null = null;
  #isReady = false;
  #jobsLeft = 0;
  #isClosed = false;

  constructor(options: WorkerQueueOptions) {
    this.#options = options;
    const refusal = "Too many documents are being created. Try again in a moment.";
    this.#gate = new Gate({ atOnce: 1, maxWaitingPerKey: options.maxWaitingPerOwner, refusal });
  }

  /**
   * The script's answer; `lost` if the job takes too long, or the process dies twice: the first time may not be the
   * job's fault. Rejects with `unavailable` if too many of the owner's jobs wait, or the queue is closed.
   */
  run(owner: string, request: Request): Promise<Reply | { readonly lost: string }> {
    return this.#gate.run(owner, async () => {
      const first = await this.#try(request);
      return "lost" in first && !first.isOfJob ? this.#try(request) : first;
    });
  }

  /** Ends the process. Waiting jobs are refused with `unavailable`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.kill("SIGKILL");
    this.#lose(worker, "closed");
    await ended;
  }

  async #try(request: Request): Promise<Reply | Loss> {
    const outcome = this.#isClosed ? null : await this.#handOver(request);
    if (outcome !== null && !this.#isClosed) return outcome;
    throw new NodalError("unavailable", "The service is stopping. Try again in a moment.");
  }

  #handOver(request: Request): Promise<Reply | Loss> {
    return new Promise((end) => {
      this.#inProgress = { request, end };
      if (this.#worker?.connected !== true) this.#start();
      else if (this.#isReady) this.#send(this.#worker, request);
    });
  }

  #send(worker: ChildProcess, request: Request): void {
    this.#jobsLeft -= 1;
    this.#limitTime(worker, this.#options.timeoutMs, true);
    worker.send(request, (error) => {
      if (error !== null) this.#lose(worker, `not reachable: ${error.message}`);
    });
  }

  /** Starts a process, which gets the current job when it is ready. */
  #start(): void {
    const { script, settings, memoryMiB, logger } = this.#options;
    // A process and not a thread: native code can't be interrupted in a thread, and a crash would take the server along.
    const worker = forkLimited({ script, args: [JSON.stringify(settings)], memoryMiB, stderr: "inherit" });
    worker.on("message", (message: Reply | typeof READY) => this.#heard(worker, message));
    worker.on("error", (error) => this.#lose(worker, error.message));
    worker.on("exit", (code, signal) => this.#lose(worker, `ended with ${signal ?? code}`));
    this.#worker = worker;
    this.#isReady = false;
    this.#jobsLeft = this.#options.jobsPerWorker;
    this.#limitTime(worker, this.#options.startTimeoutMs, false);
    logger.debug({ pid: worker.pid }, "PDF worker started");
  }

  /** Ends the process after so much processor time. */
  #limitTime(worker: ChildProcess, ms: number, isOfJob: boolean): void {
    this.#endWatch();
    this.#endWatch = limitProcessorTime(worker, ms, () => {
      worker.kill("SIGKILL");
      this.#lose(worker, `no answer within ${ms} ms`, isOfJob);
    });
  }

  #heard(worker: ChildProcess, message: Reply | typeof READY): void {
    if (worker !== this.#worker) return;
    if (message === READY) {
      this.#isReady = true;
      if (this.#inProgress !== null) this.#send(worker, this.#inProgress.request);
      return;
    }
    if (this.#jobsLeft === 0) {
      this.#worker = null;
      worker.kill("SIGKILL");
    }
    this.#end(message);
  }

  /** Drops the process, which has ended or must be ended. The next job starts another one. */
  #lose(worker: ChildProcess, reason: string, isOfJob = false): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    if (!this.#isClosed) this.#options.logger.error({ reason }, "PDF worker ended");
    this.#end({ lost: reason, isOfJob });
  }

  #end(outcome: Reply | Loss): void {
    this.#endWatch();
    const job = this.#inProgress;
    this.#inProgress = null;
    job?.end(outcome);
  }
}
