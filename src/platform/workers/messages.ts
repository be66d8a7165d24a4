// Messages between a supervisor and its workers, over the channel between their processes. supervisor.ts and
// worker-link.ts send them.

/** From the supervisor to one worker. */
export type ToWorker =
  /** Start, with the assignment. */
  | { readonly kind: "begin"; readonly number: number; readonly assignment: unknown }
  /** Request for the worker's metrics. */
  | { readonly kind: "tell_metrics"; readonly id: number }
  /** The requested metrics of all workers. */
  | { readonly kind: "all_metrics"; readonly id: number; readonly text: string };

/** From a worker to its supervisor. */
export type ToSupervisor =
  /** The worker is listening. */
  | { readonly kind: "ready"; readonly address: string }
  | { readonly kind: "own_metrics"; readonly id: number; readonly text: string }
  /** The worker needs the metrics of all workers. */
  | { readonly kind: "wants_metrics"; readonly id: number };
