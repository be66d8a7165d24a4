// What was sold of each HSN in a period, to registered customers and to others.
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Below } from "../../components/values.tsx";
import { reports as words } from "../../strings/reports.ts";
import { reportTitles } from "../../strings/titles.ts";
import { EMPTY, FirstRows, MOST_ROWS, Report, sumColumns, SumsBelow, useReportQuery } from "./report.tsx";

type Summary = Answer<"GET", "/reports/hsn-summary">;
type Row = Summary["b2b"][number] & { readonly section: string };

/** The HSN summary. */
export function Page() {
  const found = useGet("/reports/hsn-summary", useReportQuery());
  const rows = found.data && rowsOf(found.data);
  const totals = found.data?.totals;
  const label = totals && (
    <>
      {words.totals}
      <SumsBelow sums={totals} />
    </>
  );
  return (
    <Report name="hsn-summary">
      <TablePanel
        caption={reportTitles["hsn-summary"]}
        of={found}
        rows={rows?.slice(0, MOST_ROWS)}
        columns={[...COLUMNS, ...sumColumns<Row>(totals)]}
        rowKey={({ section, hsn, uqc, rate }) => `${section} ${hsn} ${uqc} ${rate}`}
        empty={EMPTY}
        totals={totals && { label, values: totals }}
      >
        <FirstRows all={rows?.length ?? 0} />
      </TablePanel>
    </Report>
  );
}

function rowsOf({ b2b, b2c }: Summary): readonly Row[] {
  return [...b2b.map((row) => ({ ...row, section: "b2b" })), ...b2c.map((row) => ({ ...row, section: "b2c" }))];
}

const quantityOf = ({ quantity, uqc }: Row): string => (uqc === "NA" ? "–" : quantity.replace("-", "\u2212"));

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "hsn",
    title: words.hsn,
    render: (row) => (
      <>
        {row.hsn || words.noHsn}
        <Below>{row.description}</Below>
        <Below onPhones>
          {[words.sections[row.section], `${row.rate}%`, row.uqc === "NA" ? "" : `${quantityOf(row)} ${row.uqc}`]
            .filter((fact) => fact !== "")
            .join(" · ")}
        </Below>
        <SumsBelow sums={row} />
      </>
    ),
  },
  { key: "section", title: words.supply, hideBelow: "sm", render: ({ section }) => words.sections[section] },
  { key: "rate", title: words.rate, align: "right", hideBelow: "sm", render: ({ rate }) => `${rate}%` },
  { key: "quantity", title: words.quantity, align: "right", hideBelow: "sm", render: quantityOf },
  { key: "uqc", title: words.uqc, hideBelow: "sm", render: ({ uqc }) => (uqc === "NA" ? "–" : uqc) },
];
