// Every document of a period with its tax.
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { ListPanel } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Below } from "../../components/values.tsx";
import { usePeriod } from "../../lists/period.tsx";
import { useList } from "../../lists/use-list.ts";
import { reports as words } from "../../strings/reports.ts";
import { reportTitles } from "../../strings/titles.ts";
import { DocumentCell, EMPTY, Report, sumColumns, SumsBelow } from "./report.tsx";

const PATH = "/reports/sales-register";
type Row = Answer<"GET", typeof PATH>["documents"][number];

/** The sales register. */
export function Page() {
  const period = usePeriod();
  const list = useList({ path: PATH, rowsIn: "documents", filters: [], fixed: period });
  // The first page has the totals of all.
  const first = useGet(PATH, { query: { ...period, limit: "1" }, enabled: list.hasPrevious });
  const totals = list.answer?.totals ?? (list.hasPrevious ? first.data?.totals : null) ?? null;
  const label = totals && (
    <>
      {words.totalOf(totals.documents)}
      <SumsBelow sums={totals} withTaxable />
    </>
  );
  return (
    <Report name="sales-register">
      <ListPanel
        caption={reportTitles["sales-register"]}
        list={list}
        columns={columnsFor(totals)}
        rowKey="document_id"
        empty={EMPTY}
        totals={totals ? { label, values: totals } : undefined}
      />
    </Report>
  );
}

function columnsFor(totals: Parameters<typeof sumColumns>[0]): readonly Column<Row>[] {
  return [
    {
      key: "number",
      title: words.number,
      render: (row) => (
        <>
          <DocumentCell of={row} />
          {row.original_number !== "" && <Below>{words.against(row.original_number)}</Below>}
          <SumsBelow sums={row} withTaxable />
        </>
      ),
    },
    { key: "date", title: words.date, as: "day", hideBelow: "sm" },
    { key: "customer_name", title: words.customer, hideBelow: "sm", render: (row) => <Customer row={row} /> },
    ...sumColumns<Row>(totals, "lg"),
    { key: "total", title: words.total, as: "amount" },
  ];
}

function Customer({ row }: { readonly row: Row }) {
  const { customer_name, gstin, state_name, supply_type, reverse_charge } = row;
  const facts = [
    gstin,
    state_name || words.noPlace,
    supply_type === "regular" ? "" : supply_type.replaceAll("_", " "),
    reverse_charge ? words.reverseCharge : "",
  ];
  return (
    <>
      {customer_name}
      <Below>{facts.filter((fact) => fact !== "").join(" · ")}</Below>
    </>
  );
}
