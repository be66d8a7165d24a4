/** What came of several things at once: the results of those that went through, and what the first that failed failed with. */
export type Settled<T> = { readonly done: T[]; readonly failure: Error | null };

/** Waits for all of them, whatever becomes of each. */
export async function settle<T>(work: readonly Promise<T>[]): Promise<Settled<T>> {
  const ended = await Promise.allSettled(work);
  return {
    done: ended.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    failure: (ended.find((one) => one.status === "rejected")?.reason as Error | undefined) ?? null,
  };
}

/** The same of lists, as one list. */
export function flat<T>({ done, failure }: Settled<readonly T[]>): Settled<T> {
  return { done: done.flat(), failure };
}

/** What was found, whatever else failed. @throws the failure where nothing was found */
export function foundIn<T>({ done, failure }: Settled<T>): T[] {
  if (done.length === 0 && failure !== null) throw failure;
  return done;
}
