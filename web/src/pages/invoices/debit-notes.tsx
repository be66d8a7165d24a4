// The debit notes of an invoice.
import { LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { invoice as words } from "../../strings/invoices.ts";
import type { InvoiceRecord } from "./invoice-record.ts";

type DebitNote = InvoiceRecord["debit_notes"][number];

const COLUMNS: readonly Column<DebitNote>[] = [
  {
    key: "number",
    title: words.noteNumber,
    render: ({ debit_note_number, debit_note_id }) => (
      <LinkTo
        label={<span style={{ whiteSpace: "nowrap" }}>{debit_note_number}</span>}
        to={`/invoices/${debit_note_id}`}
      />
    ),
  },
  { key: "date", title: words.noteDate, as: "day", hideBelow: "sm" },
  { key: "amount", title: words.paymentAmount, as: "amount" },
  { key: "due_amount", title: words.noteDue, as: "amount", hideBelow: "sm" },
  { key: "status", title: words.state, render: ({ status }) => <StatusBadge status={status} /> },
];

/** What was charged more. */
export function DebitNotes({ record }: { readonly record: InvoiceRecord }) {
  return <TablePanel title={words.debitNotes} columns={COLUMNS} rows={record.debit_notes} rowKey="debit_note_id" />;
}
