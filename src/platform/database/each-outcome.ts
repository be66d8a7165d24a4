// Runs the same work for several items, each with a separate outcome.
import { NodalError } from "../errors.ts";
import { isLockTimeout, rowsLocked } from "./failure.ts";

/** The outcome for an item: the result, or the refusal. */
export type Outcome<Item, Result> = { readonly item: Item; readonly outcome: Result | NodalError };

/**
 * Runs one after the other, so that they use one connection at a time. A refused item, or one with locked rows, does
 * not affect the others. `work` runs a separate transaction for each.
 * @throws other errors, such as an unreachable database: earlier items stay done
 */
export async function eachOutcome<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Outcome<Item, Result>[]> {
  const outcomes: Outcome<Item, Result>[] = [];
  for (const item of items) outcomes.push({ item, outcome: await work(item).catch(refusalIn) });
  return outcomes;
}

function refusalIn(error: unknown): NodalError {
  if (isLockTimeout(error)) return rowsLocked(error);
  if (error instanceof NodalError) return error;
  throw error;
}
