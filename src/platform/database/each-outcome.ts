// The same is asked about several things at once, and each has an outcome of its own.
import { NodalError } from "../errors.ts";
import { isLockTimeout, rowsLocked } from "./failure.ts";

/** What came of one of them: the result, or why it was refused. */
export type Outcome<Item, Result> = { readonly item: Item; readonly outcome: Result | NodalError };

/**
 * Does one after the other, so that they take one connection at a time. One that is refused, or whose rows something else
 * holds, leaves the others as they are. `work` is a transaction of its own for each.
 * @throws what is no refusal of one of them, such as a database that is away: what was done by then stays done
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
