// The credit notes of an invoice: what each took off, its PDF, and how its refund stands.
import { Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { apiUrl } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { invoice as words } from "../../strings/invoices.ts";
import type { CreditNote, InvoiceRecord } from "./invoice-record.ts";
import { RefundDialog } from "./refund-dialog.tsx";

type Props = { readonly record: InvoiceRecord };

const COLUMNS: readonly Column<CreditNote>[] = [
  {
    key: "number",
    title: words.noteNumber,
    render: ({ credit_note_number, credit_note_date }) => (
      <>
        <span style={{ whiteSpace: "nowrap" }}>{credit_note_number}</span>
        <Text size="sm" c="dimmed">
          {day(credit_note_date)}
        </Text>
      </>
    ),
  },
  { key: "reason", title: words.reason, hideBelow: "md" },
  { key: "amount", title: words.paymentAmount, as: "amount" },
  { key: "reduces_due", title: words.reducesDue, hideBelow: "sm", as: "amount" },
  { key: "refund", title: words.refund, hideBelow: "sm", as: "amount" },
  { key: "refunded", title: words.refunded, hideBelow: "lg", as: "amount" },
];

/** What was credited. */
export function CreditNotes({ record }: Props) {
  const [refunded, setRefunded] = useState<CreditNote | null>(null);
  const actions: Column<CreditNote> = {
    key: "actions",
    title: "",
    render: (note) => <NoteActions record={record} note={note} onRefund={() => setRefunded(note)} />,
  };
  return (
    <TablePanel
      title={words.creditNotes}
      columns={[...COLUMNS, actions]}
      rows={record.credit_notes}
      rowKey="credit_note_id"
    >
      {refunded && <RefundDialog record={record} note={refunded} onClose={() => setRefunded(null)} />}
    </TablePanel>
  );
}

type ActionProps = Props & { readonly note: CreditNote; readonly onRefund: () => void };

function NoteActions({ record, note, onRefund }: ActionProps) {
  const may = usePermissions();
  const { credit_note_id: id, credit_note_number: number, owed, under_way: underWay, transfer_id: transferId } = note;
  const isOwed = toPaise(owed) !== 0n;
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="xs" justify="flex-end">
        <Action
          label={words.notePdf}
          size="xs"
          href={apiUrl(`/invoices/${record.invoice_id}/credit-notes/${id}/pdf`)}
          newTab
          aria-label={words.notePdfOf(number)}
        />
        {isOwed && may("payouts.transfer") && (may("beneficiaries.manage") || note.payee !== "") && (
          <Action label={words.payBack} primary size="xs" onClick={onRefund} aria-label={words.payBackOf(number)} />
        )}
      </Group>
      {isOwed && <Text size="sm">{words.refundOwed(rupees(owed))}</Text>}
      {toPaise(underWay) !== 0n && (
        <Text size="sm" role="status">
          {words.refundUnderWay(rupees(underWay))}
        </Text>
      )}
      {transferId !== "" && may("payouts.view") && (
        <LinkTo label={words.refundTransfer} to={`/transfers/${transferId}`} size="sm" />
      )}
    </Stack>
  );
}
