// Opening balances from a file.
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Money } from "../../components/values.tsx";
import { CsvImport } from "../../forms/csv-import.tsx";
import { MoreLines } from "../../forms/file-upload.tsx";
import { day } from "../../format/time.ts";
import { csvFile } from "../../strings/bulk.ts";
import { openingBalance, openingBalanceImport as words } from "../../strings/opening-balances.ts";

type Line = Answer<"POST", "/opening-balance-files/preview">["good"][number];

/** So many rows are shown; all are imported. */
const SHOWN = 100;

const COLUMNS: readonly Column<Line>[] = [
  { key: "line", title: csvFile.line },
  { key: "customer_name", title: words.customer },
  {
    key: "date",
    title: openingBalance.date,
    hideBelow: "sm",
    render: ({ opening_balance }) => day(opening_balance.date ?? ""),
  },
  {
    key: "reference",
    title: openingBalance.reference,
    hideBelow: "sm",
    render: ({ opening_balance }) => opening_balance.reference ?? "",
  },
  {
    key: "amount",
    title: openingBalance.amount,
    align: "right",
    render: ({ opening_balance }) => <Money amount={opening_balance.amount ?? ""} />,
  },
];

/** Import opening balances. */
export function Page() {
  return (
    <CsvImport
      path="/opening-balance-files/preview"
      sample="/opening-balance-files/sample"
      to="/customers"
      previewOf={(answer) => answer}
      save={async (lines, key) => {
        const body = { opening_balance: lines.map(({ opening_balance }) => opening_balance) };
        await api("POST", "/opening-balances/batch", { key, body });
        return null;
      }}
      member="opening_balance"
      changes={["/opening-balances", "/invoices", "/customers"]}
      words={words}
      show={(lines) => (
        <TablePanel title={words.rows} columns={COLUMNS} rows={lines.slice(0, SHOWN)} rowKey={({ line }) => `${line}`}>
          <MoreLines count={lines.length - SHOWN} words={words.firstRows} />
        </TablePanel>
      )}
    />
  );
}
