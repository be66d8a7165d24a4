// What the parts of a transfer cost, in milliseconds of one core: the only thing that the simulation is told of Nodal.
// Measured on the machine, and on the day, of measured.ts: statements by PostgreSQL's extension pg_stat_statements at 1, 8 and
// 64 connections, processor time of server and database by /proc. Throughput and latencies are not among them: they come out.

/** A statement: what each costs, and what each thing in it adds. */
export type StatementCost = { readonly eachMs: number; readonly perItemMs: number };

export const COSTS = {
  /** Server: a request from its first byte to its answer, and deciding about it, without any statement. */
  requestMs: 0.075,
  /** Server: what the bank is asked and what it says, without any statement. */
  outcomeMs: 0.035,
  /** Server: making, sending and reading a statement, and coming back to whoever waits. */
  sendMs: 0.2,
  /** Database: receiving a statement, beginning and ending its transaction. */
  beginMs: 0.14,
  /** Until a commit is on the disk; nobody's processor works meanwhile. */
  commitMs: 0.3,
  /** From one process to another on one machine. */
  hopMs: 0.03,
  /** The client that makes the load. */
  clientMs: 0.02,
  /** The statement that writes what was accepted and what became of it. */
  write: { eachMs: 0.34, perItemMs: 0.033 },
  /** The simulated bank's own book. */
  bank: { eachMs: 0.14, perItemMs: 0.011 },
  limits: { eachMs: 0.25, perItemMs: 0.05 },
  keys: { eachMs: 0.09, perItemMs: 0.01 },
  beneficiaries: { eachMs: 0.03, perItemMs: 0.005 },
  /** Database: sealing a book that changed. */
  sealMs: 0.3,
} as const;

/** For how long an answer about a merchant is remembered, in milliseconds. */
export const MEMORY_MS = { keys: 1000, beneficiaries: 1000, limits: 5000 } as const;

/** How long it takes until a book that goes on changing is sealed again. */
export const SEALED_AGAIN_MS = 6000;
