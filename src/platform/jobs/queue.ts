// How a queue stands: what every domain that has work waiting tells an operator.
// What belongs here: the type that they share.

/** The work of one kind that waits. Numbers are counts of items. */
export type QueueState = {
  readonly name: string;
  /** Not done yet, due or not. */
  readonly waiting: bigint;
  /** Of those: tried before without success. */
  readonly retrying: bigint;
  /** Given up, or parked until somebody sees to it. */
  readonly failed: bigint;
  /** When the one that has been due for longest became due; `null` where none is. */
  readonly oldestDueAt: Temporal.Instant | null;
};
