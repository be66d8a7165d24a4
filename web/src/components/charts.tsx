// Charts of amounts, loaded when a page first shows one.
import { SegmentedControl, Skeleton, Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { moment } from "../format/time.ts";
import { charts } from "../strings/home.ts";
import { ErrorNotice } from "./notices.tsx";
import { Panel } from "./page.tsx";
import type { BarChartProps } from "./bar-chart.tsx";

const LazyBarChart = lazy(async () => ({ default: (await import("./bar-chart.tsx")).BarChart }));
const HEIGHT = 220;

/** Bars of amounts by day or month, in one series or several beside each other. */
function BarChart(props: BarChartProps) {
  return (
    <Suspense fallback={<Skeleton height={HEIGHT} />}>
      <LazyBarChart {...props} />
    </Suspense>
  );
}

/** How many of the last days or months a chart can show, and which of them it begins with. */
const PERIODS = { days: [7, 30, 90], months: [3, 6, 12] } as const;
const FIRST_OF = { days: 30, months: 12 } as const;

type ChartPanelProps = Pick<BarChartProps, "series"> & {
  readonly title: string;
  readonly unit: keyof typeof PERIODS;
  /** As far back as the longest period; `undefined` until they have come. */
  readonly points: BarChartProps["points"] | undefined;
  /** The moment for which they hold. */
  readonly asOf: string | undefined;
  readonly error?: Error | null;
  readonly onRetry?: () => void;
};

/** A chart in its panel, of a period that is chosen there, with what each series comes to in it. */
export function ChartPanel({ title, unit, series, points, asOf, error, onRetry }: ChartPanelProps) {
  const [count, setCount] = useState<number>(FIRST_OF[unit]);
  const last = charts[unit];
  const periods = (
    <SegmentedControl
      size="xs"
      aria-label={charts.period(title)}
      data={PERIODS[unit].map((each) => ({ value: String(each), label: last(each) }))}
      value={String(count)}
      onChange={(value) => setCount(Number(value))}
    />
  );
  return (
    <Panel title={title} actions={periods}>
      {error && !points && <ErrorNotice error={error} {...(onRetry ? { onRetry } : {})} />}
      {!points && !error && <Skeleton height={HEIGHT} />}
      {points && <BarChart caption={`${title}, ${last(count)}`} series={series} points={points.slice(-count)} />}
      {asOf !== undefined && (
        <Text size="sm" c="dimmed" mt="xs">
          {last(count)} · {charts.asOf(moment(asOf))}
        </Text>
      )}
    </Panel>
  );
}
