// The credit notes of an invoice: what each took off, its PDF, and how its refund stands.
// What belongs here: showing them. A refund is paid out by refund-dialog.tsx.
import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { apiUrl } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/page.tsx";
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
  { key: "reason", title: words.reason, hideBelow: "md", render: ({ reason }) => reason },
  {
    key: "amount",
    title: words.paymentAmount,
    align: "right",
    render: ({ amount }) => <Money amount={amount} plain />,
  },
  {
    key: "due",
    title: words.reducesDue,
    align: "right",
    hideBelow: "sm",
    render: ({ reduces_due }) => <Money amount={reduces_due} plain />,
  },
  {
    key: "refund",
    title: words.refund,
    align: "right",
    hideBelow: "sm",
    render: ({ refund }) => <Money amount={refund} plain />,
  },
  {
    key: "refunded",
    title: words.refunded,
    align: "right",
    hideBelow: "lg",
    render: ({ refunded }) => <Money amount={refunded} plain />,
  },
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
    <Panel title={words.creditNotes} flush>
      <DataTable
        caption={words.creditNotes}
        columns={[...COLUMNS, actions]}
        rows={record.credit_notes}
        rowKey={({ credit_note_id }) => credit_note_id}
      />
      {refunded && <RefundDialog record={record} note={refunded} onClose={() => setRefunded(null)} />}
    </Panel>
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
        <Button
          size="xs"
          variant="default"
          component="a"
          href={apiUrl(`/invoices/${record.invoice_id}/credit-notes/${id}/pdf`)}
          target="_blank"
          rel="noreferrer"
          aria-label={words.notePdfOf(number)}
        >
          {words.notePdf}
        </Button>
        {isOwed && may("payouts.transfer") && (may("beneficiaries.manage") || note.payee !== "") && (
          <Button size="xs" onClick={onRefund} aria-label={words.payBackOf(number)}>
            {words.payBack}
          </Button>
        )}
      </Group>
      {isOwed && <Text size="sm">{words.refundOwed(rupees(owed))}</Text>}
      {toPaise(underWay) !== 0n && (
        <Text size="sm" role="status">
          {words.refundUnderWay(rupees(underWay))}
        </Text>
      )}
      {transferId !== "" && may("payouts.view") && (
        <Anchor component={Link} to={`/transfers/${transferId}`} size="sm">
          {words.refundTransfer}
        </Anchor>
      )}
    </Stack>
  );
}
