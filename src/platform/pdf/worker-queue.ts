// Work that native code does on files of strangers: in one process of its own, one job at a time, in turns by owner.
// What belongs here: turns, limits of time and memory, and replacing the process. What it does is its script's business.
import { type ChildProcess, fork } from "node:child_process";
import { NodalError } from "../errors.ts";
import type { Logger } from "../log.ts";
import { FairLanes, type LaneLimits } from "./fair-lanes.ts";
import { READY, type Reply, type WorkerSettings } from "./messages.ts";

export type WorkerQueueOptions = LaneLimits & {
  readonly logger: Logger;
  /** The module that the process runs. It says READY, then answers each message with a Reply. */
  readonly script: string;
  readonly settings: WorkerSettings;
  /** How long one job may take. */
  readonly timeoutMs: number;
  /** How long the process may take until it is ready. */
  readonly startTimeoutMs: number;
  /** The process is replaced after this many: compilers keep a little of each job. */
  readonly jobsPerWorker: number;
  /** What the process may allocate. Beyond, it crashes. */
  readonly memoryMiB: number;
};

/** The script's answer, or how its process was lost over the job. */
type Outcome = Reply | { readonly lost: string };

type Job<Request> = {
  readonly owner: string;
  readonly request: Request;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: NodalError) => void;
  /** Whether a process was lost with it already. */
  readonly wasLost: boolean;
};

type Loss = { readonly reason: string; readonly isJobsFault?: boolean };

/** Starts no process before the first job. Close it, or its process lives as long as this one. */
export class WorkerQueue<Request extends object> {
  readonly #options: WorkerQueueOptions;
  readonly #lanes: FairLanes<Job<Request>>;
  #inHand: Job<Request> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #worker: ChildProcess | null = null;
  #isReady = false;
  #jobsLeft = 0;
  #isClosed = false;

  constructor(options: WorkerQueueOptions) {
    this.#options = options;
    this.#lanes = new FairLanes(options);
  }

  /**
   * The script's answer; `lost` where the job takes too long, or the process dies of it twice. Rejects with `unavailable`
   * when too much of this owner's waits, and when the queue is closed.
   */
  run(owner: string, request: Request): Promise<Outcome> {
    if (this.#isClosed) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      if (!this.#lanes.add(owner, { owner, request, resolve, reject, wasLost: false })) {
        reject(documentUnavailable("Too many documents are being made.", "queue full"));
        return;
      }
      this.#next();
    });
  }

  /** Ends the process. What still waits is refused with `unavailable`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#lanes.takeAll()) job.reject(stopping());
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.kill("SIGKILL");
    this.#lost(worker, { reason: "closed" });
    await ended;
  }

  #next(): void {
    if (this.#inHand !== null) return;
    const job = this.#lanes.take();
    if (job === undefined) return;
    this.#inHand = job;
    if (this.#worker?.connected !== true) this.#start();
    else if (this.#isReady) this.#send(this.#worker, job);
  }

  #send(worker: ChildProcess, job: Job<Request>): void {
    this.#jobsLeft -= 1;
    this.#limitTime(worker, this.#options.timeoutMs, true);
    worker.send(job.request, (error) => {
      if (error !== null) this.#lost(worker, { reason: `not reachable: ${error.message}` });
    });
  }

  /** Starts a process, which gets the job in hand when it is ready. */
  #start(): void {
    const { script, settings, memoryMiB, logger } = this.#options;
    // A process and not a thread: native code can't be interrupted in a thread, and a crash would take the server along.
    // The shell sets the limit and becomes Node; where the system has no such limit, the limit of time is left.
    const limited = `ulimit -c 0; ulimit -d ${memoryMiB * 1024} 2>/dev/null; exec "$0" "$@"`;
    const worker = fork(script, [JSON.stringify(settings)], {
      execPath: "/bin/sh",
      execArgv: ["-c", limited, process.execPath, "--disable-warning=ExperimentalWarning"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    worker.on("message", (message: Reply | typeof READY) => this.#heard(worker, message));
    worker.on("error", (error) => this.#lost(worker, { reason: error.message }));
    worker.on("exit", (code, signal) => this.#lost(worker, { reason: `ended with ${signal ?? code}` }));
    this.#worker = worker;
    this.#isReady = false;
    this.#jobsLeft = this.#options.jobsPerWorker;
    this.#limitTime(worker, this.#options.startTimeoutMs, false);
    logger.debug({ pid: worker.pid }, "PDF worker started");
  }

  #limitTime(worker: ChildProcess, ms: number, isOfJob: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      worker.kill("SIGKILL");
      this.#lost(worker, { reason: `no answer within ${ms} ms`, isJobsFault: isOfJob });
    }, ms);
  }

  #heard(worker: ChildProcess, message: Reply | typeof READY): void {
    if (worker !== this.#worker) return;
    if (message === READY) {
      this.#isReady = true;
      if (this.#inHand !== null) this.#send(worker, this.#inHand);
      return;
    }
    const job = this.#release();
    if (this.#jobsLeft === 0) {
      this.#worker = null;
      worker.kill("SIGKILL");
    }
    job?.resolve(message);
    this.#next();
  }

  /**
   * The process is gone or given up. The job in hand gets another one, once, unless it took too long: a process may die
   * of what is not the job's fault. What waits goes on with the new process.
   */
  #lost(worker: ChildProcess, { reason, isJobsFault = false }: Loss): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    if (!this.#isClosed) this.#options.logger.error({ reason }, "PDF worker lost");
    const job = this.#release();
    if (job !== null && !isJobsFault && !job.wasLost && !this.#isClosed) {
      this.#lanes.putBack(job.owner, { ...job, wasLost: true });
    } else if (this.#isClosed) job?.reject(stopping());
    else job?.resolve({ lost: reason });
    this.#next();
  }

  #release(): Job<Request> | null {
    clearTimeout(this.#timer);
    const job = this.#inHand;
    this.#inHand = null;
    return job;
  }
}

/** `unavailable`: it may go well in a moment. */
export function documentUnavailable(sentence: string, reason: string): NodalError {
  return new NodalError("unavailable", `${sentence} Try again in a moment.`, { cause: reason });
}

function stopping(): NodalError {
  return documentUnavailable("The service is stopping.", "closed");
}
