// A line or bars over days or months, drawn as SVG without an axis: the pointer shows the amounts of a point, and a table has all of them.
// Amounts stay whole paise until the last step, which is a place on the screen.
import { Table } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useState } from "react";
import { rupees, toPaise } from "../format/money.ts";
import { parts } from "../strings/shell.ts";
import classes from "./trend-chart.module.css";

type Series = { readonly key: string; readonly label: string };

export type TrendChartProps = {
  /** The chart's name, for screen readers and above the table. */
  readonly caption: string;
  readonly kind: "line" | "bars";
  /** At most three; each has a colour of its own. */
  readonly series: readonly Series[];
  /** In order; `amounts` are amounts of the API by the series' keys. */
  readonly points: readonly { readonly label: string; readonly amounts: Readonly<Record<string, string>> }[];
};

/** The width until it is measured. */
const FIRST_WIDTH = 640;
const HEIGHT = 140;
const TOP = 8;
const BOTTOM = 24;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;
/** As a share of the distance between two points. */
const GAP = 0.35;
const MOST_BAR_WIDTH = 28;
/** Up to so many points have a label each; of more, the first, the middle and the last. */
const ALL_LABELLED = 7;
/** Room for a label. With less, every second point has one. */
const LABEL_WIDTH = 56;
/** Positions are computed in thousandths of the plot's height, so that only they become a `number`. */
const STEPS = 1000n;

/** As wide as its container. */
export function TrendChart(props: TrendChartProps) {
  const { ref, width } = useElementSize();
  return (
    <figure className={classes["figure"]}>
      <div ref={ref} className={classes["room"]}>
        <Drawing {...props} width={width || FIRST_WIDTH} />
      </div>
      <NumbersTable {...props} />
    </figure>
  );
}

/** The width is in pixels: text is as large on a narrow screen as on a wide one. */
type DrawingProps = TrendChartProps & { readonly width: number };

function Drawing({ caption, kind, series, points, width }: DrawingProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const values = points.map(({ amounts }) => series.map(({ key }) => toPaise(amounts[key] ?? "0") ?? 0n));
  const [low, high] = rangeOf(values.flat());
  const yOf = (value: bigint): number =>
    TOP + PLOT_HEIGHT - (Number(((value - low) * STEPS) / (high - low)) / Number(STEPS)) * PLOT_HEIGHT;
  const step = width / points.length;
  const shown = pointed === null ? undefined : points[pointed];
  const Shape = kind === "line" ? Line : Bars;
  return (
    <>
      <svg
        width={width}
        height={HEIGHT}
        className={classes["drawing"]}
        role="img"
        aria-label={caption}
        onPointerMove={({ nativeEvent: { offsetX } }) => {
          const place = Math.floor(offsetX / step);
          setPointed(place >= 0 && place < points.length ? place : null);
        }}
        onPointerLeave={() => setPointed(null)}
      >
        {pointed !== null && (
          <rect className={classes["band"]} x={pointed * step} y={TOP} width={step} height={PLOT_HEIGHT} />
        )}
        <line x1={0} x2={width} y1={yOf(0n)} y2={yOf(0n)} className={classes["line"]} />
        <Shape values={values} step={step} yOf={yOf} pointed={pointed} />
        <Labels points={points} width={width} step={step} />
      </svg>
      {shown && <Pointed point={shown} series={series} share={(pointed! + 0.5) / points.length} />}
    </>
  );
}

/** From the lowest to the highest, 0 included; never the same. */
function rangeOf(values: readonly bigint[]): readonly [bigint, bigint] {
  const low = values.reduce((least, value) => (value < least ? value : least), 0n);
  const high = values.reduce((most, value) => (value > most ? value : most), 0n);
  return [low, high === low ? low + 1n : high];
}

type ShapeProps = {
  /** Paise of each point, by the series. */
  readonly values: readonly (readonly bigint[])[];
  /** From one point to the next. */
  readonly step: number;
  readonly yOf: (value: bigint) => number;
  readonly pointed: number | null;
};

/** The first series, with the area below it. */
function Line({ values, step, yOf, pointed }: ShapeProps) {
  const places = values.map(([value = 0n], place) => ({ x: (place + 0.5) * step, y: yOf(value) }));
  const path = places.map(({ x, y }, place) => `${place === 0 ? "M" : "L"}${x} ${y}`).join("");
  const marked = places[pointed ?? places.length - 1];
  return (
    <g data-series={0}>
      <path className={classes["area"]} d={`${path}V${yOf(0n)}H${step / 2}Z`} />
      <path className={classes["stroke"]} d={path} />
      {marked && <circle cx={marked.x} cy={marked.y} r={4} />}
    </g>
  );
}

function Bars({ values, step, yOf }: ShapeProps) {
  const count = values[0]?.length ?? 1;
  const barWidth = Math.min(MOST_BAR_WIDTH, (step * (1 - GAP)) / count);
  return values.map((each, place) =>
    each.map((value, index) => (
      <rect
        key={`${place}-${index}`}
        data-series={index}
        x={(place + 0.5) * step + (index - count / 2) * barWidth}
        y={Math.min(yOf(value), yOf(0n))}
        width={Math.max(1, barWidth - 1)}
        height={Math.abs(yOf(value) - yOf(0n))}
        rx={Math.min(2, barWidth / 2)}
      />
    )),
  );
}

function Labels({ points, width, step }: Pick<DrawingProps, "points" | "width"> & { readonly step: number }) {
  const last = points.length - 1;
  const every = step < LABEL_WIDTH ? 2 : 1;
  const isShown = (place: number) =>
    last < ALL_LABELLED ? (last - place) % every === 0 : [0, Math.floor(last / 2), last].includes(place);
  return points.map(({ label }, place) => {
    if (!isShown(place)) return null;
    const isAtEdge = last >= ALL_LABELLED && (place === 0 || place === last);
    const x = !isAtEdge ? (place + 0.5) * step : place === 0 ? 0 : width;
    return (
      <text key={label} x={x} y={HEIGHT - 6} textAnchor={!isAtEdge ? "middle" : place === 0 ? "start" : "end"}>
        {label}
      </text>
    );
  });
}

type PointedProps = Pick<TrendChartProps, "series"> & {
  readonly point: TrendChartProps["points"][number];
  /** The horizontal position of the point in the plot. */
  readonly share: number;
};

/** The amounts at one point, beside it. Without a pointer, they are in the table. */
function Pointed({ point: { label, amounts }, series, share }: PointedProps) {
  const side = share < 0.5 ? { left: `calc(100% * ${share} + 1rem)` } : { right: `calc(100% * ${1 - share} + 1rem)` };
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

function NumbersTable({ caption, series, points }: TrendChartProps) {
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
