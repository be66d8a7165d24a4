// The numbers of the documents of a period, and those that none has.
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Below } from "../../components/values.tsx";
import { reports as words } from "../../strings/reports.ts";
import { reportTitles } from "../../strings/titles.ts";
import { EMPTY, FirstRows, MOST_ROWS, Report, useReportQuery } from "./report.tsx";

type Series = Answer<"GET", "/reports/document-series">["series"][number];
type CountName = "total" | "cancelled" | "net" | "missing";

/** So many ranges of unused numbers are shown of a series. */
const MOST_GAPS = 5;

const count = (number: number): string => number.toLocaleString("en-IN");

const COLUMNS: readonly Column<Series>[] = [
  {
    key: "kind",
    title: words.series.kind,
    render: ({ kind, from, to }) => (
      <>
        {words.series.kinds[kind] ?? kind}
        <Below onPhones>{words.series.range(from, to)}</Below>
      </>
    ),
  },
  { key: "from", title: words.series.from, as: "number", hideBelow: "sm" },
  { key: "to", title: words.series.to, as: "number", hideBelow: "sm" },
  { key: "total", title: words.series.total, align: "right", hideBelow: "sm", render: ({ total }) => count(total) },
  {
    key: "cancelled",
    title: words.series.cancelled,
    align: "right",
    hideBelow: "sm",
    render: ({ cancelled }) => count(cancelled),
  },
  { key: "net", title: words.series.net, align: "right", render: ({ net }) => count(net) },
  { key: "missing", title: words.series.missing, align: "right", render: (row) => <Missing of={row} /> },
];

/** Document series. */
export function Page() {
  const found = useGet("/reports/document-series", useReportQuery());
  const series = found.data?.series;
  const sum = (name: CountName): string => count((series ?? []).reduce((total, row) => total + row[name], 0));
  return (
    <Report name="document-series">
      <TablePanel
        caption={reportTitles["document-series"]}
        of={found}
        rows={series?.slice(0, MOST_ROWS)}
        columns={COLUMNS}
        rowKey={({ kind, from, to }) => `${kind} ${from} ${to}`}
        empty={EMPTY}
        totals={{
          label: words.totals,
          values: { total: sum("total"), cancelled: sum("cancelled"), net: sum("net"), missing: sum("missing") },
        }}
      >
        <FirstRows all={series?.length ?? 0} />
      </TablePanel>
    </Report>
  );
}

function Missing({ of: { missing, gaps } }: { readonly of: Series }) {
  return (
    <>
      {count(missing)}
      {gaps.slice(0, MOST_GAPS).map(({ from, to }) => (
        <Below key={from}>{from === to ? from : words.series.range(from, to)}</Below>
      ))}
      {gaps.length > MOST_GAPS && <Below>{words.series.moreGaps(gaps.length - MOST_GAPS)}</Below>}
    </>
  );
}
