// Receipts from a file: each line is recorded separately, and once.
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Money } from "../../components/values.tsx";
import { CsvImport } from "../../forms/csv-import.tsx";
import { MoreLines } from "../../forms/file-upload.tsx";
import { day } from "../../format/time.ts";
import { csvFile } from "../../strings/bulk.ts";
import { receiptImport as words, receipts } from "../../strings/receipts.ts";

type Line = Answer<"POST", "/receipt-files/preview">["good"][number];

/** The most rows to show; all are imported. */
const SHOWN = 100;
/** The receipts per request. */
const BATCH_SIZE = 100;

const COLUMNS: readonly Column<Line>[] = [
  { key: "line", title: csvFile.line },
  { key: "customer_name", title: words.customer },
  { key: "date", title: receipts.date, hideBelow: "sm", render: ({ receipt }) => day(receipt.date ?? "") },
  { key: "mode", title: receipts.mode, hideBelow: "sm", render: ({ receipt }) => receipt.mode ?? "" },
  {
    key: "invoices",
    title: words.invoices,
    hideBelow: "sm",
    render: ({ receipt: { invoice_ids: ids } }) => (ids ? ids.length.toLocaleString("en-IN") : words.dueFirst),
  },
  {
    key: "amount",
    title: receipts.amount,
    align: "right",
    render: ({ receipt }) => <Money amount={receipt.amount ?? ""} />,
  },
];

/** Records lines, and answers those that were refused. */
async function save(lines: readonly Line[], key: string) {
  const body = { receipt: lines.map(({ receipt }) => receipt) };
  const { outcomes } = await api("POST", "/receipts/batch", { key, body });
  return outcomes.flatMap(({ error }, place) => (error ? [{ line: lines[place]!.line, ...error }] : []));
}

/** Import receipts. */
export function Page() {
  return (
    <CsvImport
      path="/receipt-files/preview"
      sample="/receipt-files/sample"
      to="/receipts"
      previewOf={(answer) => answer}
      save={save}
      batchSize={BATCH_SIZE}
      member="receipt"
      changes={["/receipts", "/invoices", "/customers", "/reports"]}
      words={words}
      show={(lines) => (
        <TablePanel title={words.rows} columns={COLUMNS} rows={lines.slice(0, SHOWN)} rowKey={({ line }) => `${line}`}>
          <MoreLines count={lines.length - SHOWN} words={words.firstRows} />
        </TablePanel>
      )}
    />
  );
}
