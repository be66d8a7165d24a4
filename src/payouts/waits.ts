// How long what waits in a queue may wait until it is looked at again. `nodal verify` reports what is due later.

/** When to ask the bank again about a payment, by how often it was asked. */
export const ASK_AGAIN_MS = [500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000];

/** How long after a payment ended it is re-checked; the third re-check goes by working days, and looks every hour. */
export const REVIEW_WAITS = { hour: { hours: 1 }, day: { hours: 24 } } as const;
export const WORKING_DAYS_LOOK = { hours: 1 } as const;

/** How long a turn's batch is kept from other processes. */
export const BATCH_LEASE_MS = 20_000;

/** The clocks of servers and of the database may differ by this much. */
export const CLOCK_SLACK_MS = 600_000;
