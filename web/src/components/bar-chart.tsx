// Bars, drawn as SVG, that say what they stand for where somebody points at them. Amounts stay whole paise until the last step, which is a place on the screen.
import { Group, Table, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useState } from "react";
import { formatRupees, rupees, shortRupees, toPaise } from "../format/money.ts";
import { parts } from "../strings/shell.ts";
import classes from "./bar-chart.module.css";

type BarSeries = { readonly key: string; readonly label: string };

export type BarChartProps = {
  /** What is shown, for screen readers and above the table. */
  readonly caption: string;
  /** At most three; each has a colour of its own. */
  readonly series: readonly BarSeries[];
  /** In order; `amounts` are wire amounts (0 and above) by the series' keys. */
  readonly points: readonly { readonly label: string; readonly amounts: Readonly<Record<string, string>> }[];
};

/** Until it is known how wide the page is. */
const FIRST_WIDTH = 640;
const HEIGHT = 220;
const LEFT = 52;
const BOTTOM = 24;
const TOP = 12;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;
/** Of the distance between two points. */
const GAP = 0.3;
/** Room for a label below the bars, such as "12 Sep". */
const LABEL_WIDTH = 64;
/** Places are reckoned in thousandths of the plot's height, so that only they become a `number`. */
const STEPS = 1000n;

/** Bars with an axis of rupees, as wide as there is room, with as many labels as fit. */
export function BarChart({ caption, series, points }: BarChartProps) {
  const { ref, width } = useElementSize();
  const values = points.map(({ amounts }) => series.map(({ key }) => toPaise(amounts[key] ?? "0") ?? 0n));
  if (values.flat().every((value) => value === 0n)) return <Text c="dimmed">{parts.noData}</Text>;
  const top = roundUp(values.flat().reduce((most, value) => (value > most ? value : most), 0n));
  return (
    <figure className={classes["figure"]}>
      <Group gap="md" mb="xs">
        {series.map(({ key, label }, index) => (
          <span key={key} className={classes["key"]} data-series={index}>
            {label} <b>{formatRupees(sumOf(values, index))}</b>
          </span>
        ))}
      </Group>
      <div ref={ref} className={classes["room"]}>
        <Drawing
          caption={caption}
          series={series}
          points={points}
          values={values}
          top={top}
          width={Math.max(width || FIRST_WIDTH, LEFT)}
        />
      </div>
      <NumbersTable caption={caption} series={series} points={points} />
    </figure>
  );
}

/** What a series comes to, over all that is shown. */
function sumOf(values: readonly (readonly bigint[])[], index: number): bigint {
  return values.reduce((sum, each) => sum + each[index]!, 0n);
}

type DrawingProps = BarChartProps & {
  /** Paise of each point, by the series. */
  readonly values: readonly (readonly bigint[])[];
  /** What the axis goes up to. */
  readonly top: bigint;
  /** In pixels: text is as large on a narrow screen as on a wide one. */
  readonly width: number;
};

function Drawing({ caption, series, points, values, top, width }: DrawingProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const plotWidth = width - LEFT;
  const step = plotWidth / points.length;
  const barWidth = (step * (1 - GAP)) / series.length;
  const shown = pointed === null ? undefined : points[pointed];
  const every = Math.max(1, Math.ceil(points.length / Math.max(1, Math.floor(plotWidth / LABEL_WIDTH))));
  const heightOf = (value: bigint): number => (Number((value * STEPS) / top) / Number(STEPS)) * PLOT_HEIGHT;
  return (
    <>
      <svg
        width={width}
        height={HEIGHT}
        className={classes["drawing"]}
        role="img"
        aria-label={caption}
        onPointerMove={({ nativeEvent: { offsetX } }) => {
          const place = Math.floor((offsetX - LEFT) / step);
          setPointed(place >= 0 && place < points.length ? place : null);
        }}
        onPointerLeave={() => setPointed(null)}
      >
        {pointed !== null && (
          <rect className={classes["band"]} x={LEFT + pointed * step} y={TOP} width={step} height={PLOT_HEIGHT} />
        )}
        {[0n, 1n, 2n].map((half) => {
          const y = TOP + PLOT_HEIGHT - heightOf((top * half) / 2n);
          return (
            <g key={String(half)}>
              <line x1={LEFT} x2={width} y1={y} y2={y} className={classes["line"]} />
              <text x={LEFT - 8} y={y + 4} textAnchor="end">
                {shortRupees((top * half) / 2n)}
              </text>
            </g>
          );
        })}
        {points.map(({ label }, place) => {
          const x = LEFT + place * step;
          const isLabelled = place % every === 0 && x + (step + LABEL_WIDTH) / 2 <= width + LABEL_WIDTH / 4;
          return (
            <g key={label}>
              {values[place]!.map((value, index) => (
                <rect
                  key={series[index]!.key}
                  data-series={index}
                  x={x + (step * GAP) / 2 + index * barWidth}
                  y={TOP + PLOT_HEIGHT - heightOf(value)}
                  width={barWidth}
                  height={heightOf(value)}
                  rx={Math.min(2, barWidth / 2)}
                />
              ))}
              {isLabelled && (
                <text x={x + step / 2} y={HEIGHT - 6} textAnchor="middle">
                  {label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      {shown && <Pointed point={shown} series={series} share={(pointed! + 0.5) / points.length} />}
    </>
  );
}

type PointedProps = Pick<BarChartProps, "series"> & {
  readonly point: BarChartProps["points"][number];
  /** How far to the right the point is, of the plot. */
  readonly share: number;
};

/** The amounts at one point, beside it. Who does not point finds them in the table. */
function Pointed({ point: { label, amounts }, series, share }: PointedProps) {
  const side =
    share < 0.5
      ? { left: `calc(${LEFT}px + (100% - ${LEFT}px) * ${share} + 1rem)` }
      : { right: `calc((100% - ${LEFT}px) * ${1 - share} + 1rem)` };
  return (
    <div className={classes["pointed"]} style={side} aria-hidden>
      <b>{label}</b>
      {series.map((each, index) => (
        <div key={each.key} className={classes["key"]} data-series={index}>
          {each.label} {rupees(amounts[each.key] ?? "0")}
        </div>
      ))}
    </div>
  );
}

function NumbersTable({ caption, series, points }: BarChartProps) {
  return (
    <details className={classes["numbers"]}>
      <summary>{parts.showAsTable}</summary>
      <Table>
        <Table.Caption>{caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            {series.map(({ key, label }) => (
              <Table.Th key={key} scope="col" ta="right">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {points.map(({ label, amounts }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row">{label}</Table.Th>
              {series.map(({ key }) => (
                <Table.Td key={key} ta="right">
                  {rupees(amounts[key] ?? "0")}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  );
}

/** The top of the axis: the next 1, 2 or 5 with zeros. */
function roundUp(value: bigint): bigint {
  for (let scale = 1_000n; ; scale *= 10n) {
    for (const factor of [1n, 2n, 5n]) if (scale * factor >= value) return scale * factor;
  }
}
