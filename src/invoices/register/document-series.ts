import type { NumberRun } from "./report-store.ts";

/** Numbers that no document has. */
export type NumberGap = { readonly from: string; readonly to: string; readonly count: number };

/** The numbers of a series in a period. */
export type DocumentSeries = Pick<NumberRun, "kind" | "prefix" | "from" | "to" | "cancelled"> & {
  /** Documents, cancelled ones too. */
  readonly total: number;
  /** Numbers between `from` and `to` that no document has, of this period or of another. */
  readonly missing: number;
  readonly gaps: readonly NumberGap[];
};

/** Joins sorted runs of numbers into series with their gaps. */
export function seriesOf(runs: readonly NumberRun[]): DocumentSeries[] {
  const ofSeries: NumberRun[][] = [];
  for (const run of runs) {
    const series = ofSeries.at(-1);
    const before = series?.at(-1);
    // A new year begins at a smaller number.
    const isNext = before?.kind === run.kind && before.prefix === run.prefix && isAfter(run, before);
    if (series && isNext) series.push(run);
    else ofSeries.push([run]);
  }
  return ofSeries.map(joinRuns);
}

function isAfter({ fromValue }: NumberRun, { toValue }: NumberRun): boolean {
  return fromValue !== null && toValue !== null && fromValue > toValue;
}

function joinRuns(runs: readonly NumberRun[]): DocumentSeries {
  const [first, last] = [runs[0]!, runs.at(-1)!];
  const gaps = runs.slice(1).map((run, index) => gapBetween(runs[index]!, run));
  const count = (counted: (run: NumberRun) => number): number => runs.reduce((sum, run) => sum + counted(run), 0);
  return {
    kind: first.kind,
    prefix: first.prefix,
    from: first.from,
    to: last.to,
    total: count(({ documents }) => documents),
    cancelled: count(({ cancelled }) => cancelled),
    missing: gaps.reduce((sum, gap) => sum + gap.count, 0),
    gaps,
  };
}

function gapBetween(before: NumberRun, after: NumberRun): NumberGap {
  const [from, to] = [before.toValue! + 1n, after.fromValue! - 1n];
  const width = before.to.length - before.prefix.length;
  const write = (value: bigint): string =>
    `${before.to.slice(0, before.prefix.length)}${value.toString().padStart(width, "0")}`;
  return { from: write(from), to: write(to), count: Number(to - from + 1n) };
}
