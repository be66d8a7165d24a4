// What a supervisor and its workers say to each other over the channel between their processes. Who sends which is in
// supervisor.ts and worker-link.ts.

/** From the supervisor to one worker. */
export type ToWorker =
  /** Begin, with what the work needs. */
  | { readonly kind: "begin"; readonly number: number; readonly assignment: unknown }
  /** Tell your metrics. */
  | { readonly kind: "tell_metrics"; readonly id: number }
  /** The metrics of all workers, which you asked for. */
  | { readonly kind: "all_metrics"; readonly id: number; readonly text: string };

/** From a worker to its supervisor. */
export type ToSupervisor =
  /** It listens. */
  | { readonly kind: "ready"; readonly address: string }
  | { readonly kind: "own_metrics"; readonly id: number; readonly text: string }
  /** Somebody asked it for the metrics of all. */
  | { readonly kind: "wants_metrics"; readonly id: number };
