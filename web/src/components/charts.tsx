// Charts of amounts, loaded when a page first shows one.
import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { TrendChartProps } from "./trend-chart.tsx";

const LazyTrendChart = lazy(async () => ({ default: (await import("./trend-chart.tsx")).TrendChart }));

/** A line or bars by day or month. While the points are loading, a placeholder has the same size. */
export function Trend({ points, ...rest }: Omit<TrendChartProps, "points"> & Partial<Pick<TrendChartProps, "points">>) {
  const placeholder = <Skeleton height="10.5rem" />;
  return points ? (
    <Suspense fallback={placeholder}>
      <LazyTrendChart points={points} {...rest} />
    </Suspense>
  ) : (
    placeholder
  );
}
