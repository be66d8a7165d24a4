// How a batch of writes meets failure: a refused batch is halved until the one at fault stands alone, one that waited in
// vain for a lock is given up, and one whose connection broke is tried again.
// What belongs here: that procedure, for every kind of group commit.
import { setTimeout as sleep } from "node:timers/promises";
import { beyondRange, hasMetAnother, hasWaitedInVain, isConnectionLost, unavailable } from "./database/failure.ts";

const RETRY_DELAY_MS = 100;
/** How often an item that stands alone is tried, where it keeps meeting other transactions. */
const TRIES_ALONE = 4;

/**
 * Runs `write` on a batch. `write` must be safe to repeat: what an earlier, broken attempt committed has to be found
 * again by its ids. Gives up on a lost connection after `patienceMs` with `unavailable` for every item. Where somebody else
 * holds a row for longer than the connections wait, every item is answered with the database's error (`hasWaitedInVain`):
 * each half would wait as long again.
 */
export async function writeBatch<Item, Result>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  patienceMs: number,
): Promise<readonly (Result | Error)[]> {
  const giveUpAt = performance.now() + patienceMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await write(items);
    } catch (error) {
      if (hasWaitedInVain(error)) return items.map(() => error as Error);
      if (!isConnectionLost(error)) {
        if (items.length === 1 && hasMetAnother(error) && tries < TRIES_ALONE) continue;
        if (items.length === 1) return [beyondRange(error) ?? (error as Error)];
        const middle = Math.ceil(items.length / 2);
        const first = await writeBatch(items.slice(0, middle), write, giveUpAt - performance.now());
        const second = await writeBatch(items.slice(middle), write, giveUpAt - performance.now());
        return [...first, ...second];
      }
      if (performance.now() >= giveUpAt) return items.map(() => unavailable(error));
      await sleep(RETRY_DELAY_MS);
    }
  }
}
