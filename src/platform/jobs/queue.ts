// How a queue stands: what every domain that has work waiting tells an operator.
// What belongs here: the type that they share.

/**
 * The work of one kind that waits. Numbers are counts of items, and mean the same for every kind: an item is either waiting
 * or failed. What waits behind an item that was tried is waiting, and not retrying.
 */
export type QueueState = {
  readonly name: string;
  /** Not done yet, due or not, and neither given up nor parked. */
  readonly waiting: bigint;
  /** Of those: tried before without success. */
  readonly retrying: bigint;
  /** Given up, or parked until somebody sees to it. */
  readonly failed: bigint;
  /** When the one that waits and has been due for longest became due; `null` where none is. */
  readonly oldestDueAt: Temporal.Instant | null;
};
