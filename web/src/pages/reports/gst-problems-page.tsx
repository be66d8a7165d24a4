// What to correct on the documents of a period before a return.
import type { Answer } from "../../api/contract.ts";
import { ListPanel } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { usePeriod } from "../../lists/period.tsx";
import { useList } from "../../lists/use-list.ts";
import { reports as words } from "../../strings/reports.ts";
import { reportTitles } from "../../strings/titles.ts";
import { DocumentCell, Report } from "./report.tsx";

type Problem = Answer<"GET", "/reports/gst-problems">["problems"][number];

const COLUMNS: readonly Column<Problem>[] = [
  { key: "number", title: words.number, render: (row) => <DocumentCell of={row} /> },
  { key: "date", title: words.date, as: "day", hideBelow: "sm" },
  { key: "customer_name", title: words.customer, hideBelow: "sm" },
  { key: "message", title: words.problems.problem, wraps: true, render: textOf },
];

/** GST problems. */
export function Page() {
  const list = useList({ path: "/reports/gst-problems", rowsIn: "problems", filters: [], fixed: usePeriod() });
  return (
    <Report name="gst-problems">
      <ListPanel
        caption={reportTitles["gst-problems"]}
        list={list}
        columns={COLUMNS}
        rowKey={({ document_id, code, field }) => `${document_id} ${code} ${field}`}
        empty={{ title: words.problems.empty, hint: words.problems.emptyHint }}
      />
    </Report>
  );
}

function textOf({ code, field }: Problem): string {
  return words.problems.texts[code](rowIn(field));
}

/** `particular_rows[1].gst` is row 2. */
function rowIn(field: string): number {
  return Number(/\[(\d+)\]/.exec(field)?.[1] ?? 0) + 1;
}
