// Charts of amounts, loaded when a page first shows one.
import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { BarChartProps } from "./bar-chart.tsx";

const LazyBarChart = lazy(async () => ({ default: (await import("./bar-chart.tsx")).BarChart }));
const HEIGHT = 220;

/** Bars of amounts by day or month, in one series or several beside each other. */
export function BarChart(props: BarChartProps) {
  return (
    <Suspense fallback={<Skeleton height={HEIGHT} />}>
      <LazyBarChart {...props} />
    </Suspense>
  );
}
