// Every account of billing on a day.
import { keepPreviousData } from "@tanstack/react-query";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import type { Column } from "../../components/data-table.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Below, Money } from "../../components/values.tsx";
import { reports as words } from "../../strings/reports.ts";
import { reportTitles } from "../../strings/titles.ts";
import { AccountingFiles } from "./accounting-files.tsx";
import { AsOfReport, useAsOf } from "./report.tsx";

type Row = Answer<"GET", "/reports/trial-balance">["accounts"][number];

/** The trial balance. */
export function Page() {
  const asOf = useAsOf();
  const found = useGet("/reports/trial-balance", { query: asOf, placeholderData: keepPreviousData });
  const totals = found.data?.totals;
  const label = totals && (
    <>
      {words.totals}
      <SidesBelow sides={totals} />
    </>
  );
  const month = { from_date: `${asOf.as_of.slice(0, -2)}01`, to_date: asOf.as_of };
  const fileName = `day-book-${month.from_date}-to-${month.to_date}.csv`;
  return (
    <AsOfReport
      name="trial-balance"
      actions={<ExportButton path="/reports/day-book.csv" query={month} fileName={fileName} label={words.dayBook} />}
    >
      <TablePanel
        caption={reportTitles["trial-balance"]}
        of={found}
        rows={found.data?.accounts.filter(({ debit, credit }) => debit !== credit)}
        columns={COLUMNS}
        rowKey="account"
        empty={{ title: words.empty, hint: words.nothingOwedHint }}
        totals={totals && { label, values: totals }}
      />
      <AccountingFiles period={month} />
    </AsOfReport>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "account",
    title: words.account,
    render: (row) => (
      <>
        {words.accounts[row.account] ?? row.title}
        <SidesBelow sides={row} />
      </>
    ),
  },
  { key: "code", title: words.code, hideBelow: "sm" },
  { key: "debit", title: words.debit, as: "amount", hideBelow: "sm" },
  { key: "credit", title: words.credit, as: "amount", hideBelow: "sm" },
];

type Sides = { readonly debit: string; readonly credit: string };
const SIDES = ["debit", "credit"] as const;

/** Debit and credit on phones, where there is no room for their columns. */
function SidesBelow({ sides }: { readonly sides: Sides }) {
  return (
    <Below onPhones>
      {SIDES.filter((side) => sides[side] !== "0.00").map((side) => (
        <div key={side}>
          {words[side]} <Money amount={sides[side]} plain />
        </div>
      ))}
    </Below>
  );
}
