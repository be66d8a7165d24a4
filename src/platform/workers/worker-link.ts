// A worker's end of the channel to its supervisor.
import cluster from "node:cluster";
import type { ToSupervisor, ToWorker } from "./messages.ts";

/** The time limit for the supervisor's answer. */
const ANSWER_WITHIN_MS = 3000;

/** Was this process started by a supervisor? */
export const isWorker = cluster.isWorker;

export class WorkerLink<Assignment> {
  /** The worker's number, from 1. Its replacement gets the same number. */
  readonly number: number;
  readonly assignment: Assignment;
  readonly #asked = new Map<number, (text: string) => void>();
  #lastId = 0;

  private constructor(number: number, assignment: Assignment) {
    this.number = number;
    this.assignment = assignment;
  }

  /** Waits for the supervisor's assignment. */
  static open<Assignment>(): Promise<WorkerLink<Assignment>> {
    process.channel?.ref();
    return new Promise((resolve) => {
      process.once("message", (message: ToWorker) => {
        if (message.kind !== "begin") throw new Error(`the supervisor sent ${message.kind} first`);
        resolve(new WorkerLink(message.number, message.assignment as Assignment));
      });
    });
  }

  /** Reports that the worker listens at an address. */
  tellReady(address: string): void {
    tell({ kind: "ready", address });
  }

  /** Answers the supervisor's requests for metrics with `expose` from now on. */
  shareMetrics(expose: () => Promise<string>): void {
    process.on("message", (message: ToWorker) => {
      if (message.kind === "all_metrics") this.#asked.get(message.id)?.(message.text);
      if (message.kind !== "tell_metrics") return;
      const { id } = message;
      // A worker that fails to answer is shown as missing.
      void expose().then(
        (text) => tell({ kind: "own_metrics", id, text }),
        () => {},
      );
    });
  }

  /**
   * The metrics of all workers, in Prometheus' format. @throws Error if the supervisor does not answer
   */
  async exposeAll(): Promise<string> {
    const id = (this.#lastId += 1);
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<string>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error("the supervisor does not answer")), ANSWER_WITHIN_MS);
        this.#asked.set(id, resolve);
        tell({ kind: "wants_metrics", id });
      });
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
    }
  }

  /** Disconnects the channel, which would keep the process alive. */
  close(): void {
    process.channel?.unref();
  }
}

function tell(message: ToSupervisor): void {
  // If the supervisor is gone, this process will end too.
  if (process.connected) process.send!(message);
}
