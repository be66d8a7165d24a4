// The longest waits between two attempts at queued work. `nodal verify` reports rows that are due later.

/** The wait before the bank is asked again about a payment, by the number of attempts. */
export const ASK_AGAIN_MS = [500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000];

/** When an ended payment is re-checked. The third re-check counts working days and runs every hour. */
export const REVIEW_WAITS = { hour: { hours: 1 }, day: { hours: 24 } } as const;
export const WORKING_DAYS_LOOK = { hours: 1 } as const;

/** How long a turn keeps its batch from other processes. */
export const BATCH_LEASE_MS = 20_000;

/** The clocks of servers and of the database may differ by this much. */
export const CLOCK_SLACK_MS = 600_000;
