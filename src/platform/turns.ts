import { setImmediate as nextTurn } from "node:timers/promises";

/** Long enough that the cost of a turn is small, and short enough that nobody notices the wait. */
const LONGEST_TURN_MS = 10;

/**
 * Iterates over items, and yields to other work after every ten milliseconds. For lists whose length others decide.
 */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, void> {
  let endMs = performance.now() + LONGEST_TURN_MS;
  for (const item of items) {
    yield item;
    if (performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + LONGEST_TURN_MS;
  }
}
