/** The number of buckets. A merchant never changes its bucket, which is the first key column of all its rows. */
export const BUCKETS = 128;

/** The items of each bucket, in the order of buckets. */
export function byBucket<T extends { readonly bucket: number }>(items: readonly T[]): [number, T[]][] {
  return [...Map.groupBy(items, ({ bucket }) => bucket)].sort(([one], [other]) => one - other);
}
