// What was taxed at each rate in a period.
import type { TaxTreatment } from "../../../../src/platform/gst.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { treatments } from "../../strings/invoice-lines.ts";
import { reports as words } from "../../strings/reports.ts";
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
        caption={words.titles["tax-summary"]}
        of={found}
        rows={found.data?.rates}
        columns={[rate, ...sumColumns<Row>(totals)]}
        rowKey={({ treatment, rate }) => `${treatment} ${rate}`}
        empty={EMPTY}
        totals={totals && { label, values: totals }}
      />
    </Report>
  );
}

function rateOf({ treatment, rate }: Row): string {
  if (treatment === "taxable") return `${rate}%`;
  if (treatment === "zero_rated" || treatment === "reverse_charge") return `${rate}% · ${words[treatment]}`;
  return treatment === "untied" ? words.untied : treatments[treatment as TaxTreatment];
}
