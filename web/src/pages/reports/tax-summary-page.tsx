// What was taxed at each rate in a period.
import type { TaxTreatment } from "../../../../src/platform/gst.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { treatments } from "../../strings/invoice-lines.ts";
import { reports as words } from "../../strings/reports.ts";
import { reportTitles } from "../../strings/titles.ts";
import { EMPTY, Report, sumColumns, SumsBelow, useReportQuery } from "./report.tsx";

type Row = Answer<"GET", "/reports/tax-summary">["rates"][number];

/** The tax summary. */
export function Page() {
  const found = useGet("/reports/tax-summary", useReportQuery());
  const totals = found.data?.totals;
  const label = totals && (
    <>
      {words.totals}
      <SumsBelow sums={totals} />
    </>
  );
  const rate: Column<Row> = {
    key: "rate",
    title: words.rate,
    render: (row) => (
      <>
        {rateOf(row)}
        <SumsBelow sums={row} />
      </>
    ),
  };
  return (
    <Report name="tax-summary">
      <TablePanel
        caption={reportTitles["tax-summary"]}
        of={found}
        rows={found.data?.rates}
        columns={[rate, ...sumColumns<Row>(totals)]}
        rowKey={({ treatment, rate }) => `${treatment} ${rate}`}
        empty={EMPTY}
        totals={totals && { label, values: totals }}
      />
      {found.data && <Advances title={words.advancesReceived} rows={found.data.advances.received} />}
      {found.data && <Advances title={words.advancesAdjusted} rows={found.data.advances.adjusted} />}
    </Report>
  );
}

type Advance = Answer<"GET", "/reports/tax-summary">["advances"]["received"][number];

/** Tax on advances: nothing where there are none. */
function Advances({ title, rows }: { readonly title: string; readonly rows: readonly Advance[] }) {
  if (rows.length === 0) return null;
  const rate: Column<Advance> = {
    key: "rate",
    title: words.rate,
    render: (row) => (
      <>
        {`${row.rate}% · ${row.state_name || words.noPlace}`}
        <SumsBelow sums={row} />
      </>
    ),
  };
  return (
    <TablePanel
      title={title}
      columns={[rate, ...sumColumns<Advance>(null)]}
      rows={rows}
      rowKey={(row) => `${row.place_of_supply} ${row.rate}`}
    />
  );
}

function rateOf({ treatment, rate }: Row): string {
  if (treatment === "taxable") return `${rate}%`;
  if (treatment === "zero_rated" || treatment === "reverse_charge") return `${rate}% · ${words[treatment]}`;
  return treatment === "untied" ? words.untied : treatments[treatment as TaxTreatment];
}
