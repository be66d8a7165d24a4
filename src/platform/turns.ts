import { setImmediate as nextTurn } from "node:timers/promises";

/** Long enough that a turn costs little beside it, and short enough that nobody notices having waited. */
const LONGEST_TURN_MS = 10;

/**
 * The items one after the other, with a turn for other work whenever what was done with them has taken ten milliseconds: for
 * lists whose length somebody else decides.
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
