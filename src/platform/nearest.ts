import leven from "leven";

/**
 * The candidates that a text may mean, most similar first: those that start with it, and those within an edit distance
 * of half its length. Ignores case.
 */
export function nearestOf(text: string, candidates: Iterable<string>, most = 3): string[] {
  const wanted = text.toUpperCase();
  const maxDistance = Math.max(1, Math.ceil(wanted.length / 2)) + 1;
  const near: { readonly candidate: string; readonly edits: number }[] = [];
  for (const candidate of candidates) {
    const known = candidate.toUpperCase();
    const isBegun = wanted !== "" && (known.startsWith(wanted) || (known !== "" && wanted.startsWith(known)));
    const edits = isBegun ? 0 : leven(wanted, known, { maxDistance });
    if (edits < maxDistance) near.push({ candidate, edits });
  }
  return near
    .toSorted((one, other) => one.edits - other.edits)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}
