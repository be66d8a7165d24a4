/** The outcome of parallel work: the results that succeeded, and the error of the first failure. */
export type Settled<T> = { readonly done: T[]; readonly failure: Error | null };

/** Waits for all, even if some fail. */
export async function settle<T>(work: readonly Promise<T>[]): Promise<Settled<T>> {
  const ended = await Promise.allSettled(work);
  return {
    done: ended.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    failure: (ended.find((one) => one.status === "rejected")?.reason as Error | undefined) ?? null,
  };
}

/** Joins results that are lists into one list. */
export function flat<T>({ done, failure }: Settled<readonly T[]>): Settled<T> {
  return { done: done.flat(), failure };
}

/** The results, ignoring failures. @throws the failure if there are no results */
export function foundIn<T>({ done, failure }: Settled<T>): T[] {
  if (done.length === 0 && failure !== null) throw failure;
  return done;
}
