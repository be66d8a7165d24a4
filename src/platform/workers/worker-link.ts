// A worker's end of the channel to its supervisor.
import cluster from "node:cluster";
import type { ToSupervisor, ToWorker } from "./messages.ts";

/** A supervisor that does not answer stands still: its worker's own metrics say so much. */
const ANSWER_WITHIN_MS = 3000;

/** Whether this process was started by a supervisor. */
export const isWorker = cluster.isWorker;

export class WorkerLink<Assignment> {
  /** Which of the workers this one is, from 1: the same for whatever replaces it. */
  readonly number: number;
  readonly assignment: Assignment;
  readonly #asked = new Map<number, (text: string) => void>();
  #lastId = 0;

  private constructor(number: number, assignment: Assignment) {
    this.number = number;
    this.assignment = assignment;
  }

  /** Waits until the supervisor says what to begin with. */
  static open<Assignment>(): Promise<WorkerLink<Assignment>> {
    process.channel?.ref();
    return new Promise((resolve) => {
      process.once("message", (message: ToWorker) => {
        if (message.kind !== "begin") throw new Error(`the supervisor sent ${message.kind} first`);
        resolve(new WorkerLink(message.number, message.assignment as Assignment));
      });
    });
  }

  /** Says that the worker listens at an address. */
  tellReady(address: string): void {
    tell({ kind: "ready", address });
  }

  /** From now on answers the supervisor with what `expose` gives. */
  shareMetrics(expose: () => Promise<string>): void {
    process.on("message", (message: ToWorker) => {
      if (message.kind === "all_metrics") this.#asked.get(message.id)?.(message.text);
      if (message.kind !== "tell_metrics") return;
      const { id } = message;
      // A worker that can't tell is missed, and shown as such.
      void expose().then(
        (text) => tell({ kind: "own_metrics", id, text }),
        () => {},
      );
    });
  }

  /**
   * The metrics of all workers, as Prometheus reads them.
   * @throws Error where the supervisor does not answer
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

  /** Lets the process end when its work has: the channel would keep it. */
  close(): void {
    process.channel?.unref();
  }
}

function tell(message: ToSupervisor): void {
  // Where the supervisor has gone, this process ends too.
  if (process.connected) process.send!(message);
}
