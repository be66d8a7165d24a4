// The credit notes of an invoice: what each took off, its actions, and the progress of its refund.
import { Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { usePermissions } from "../../api/session.ts";
import { LinkTo, MenuButton } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { invoice as words } from "../../strings/invoices.ts";
import { type ChosenForNote, ChosenNoteDialog, useCreditNoteActions } from "./credit-note-actions.tsx";
import type { CreditNote, InvoiceRecord } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord };

const COLUMNS: readonly Column<CreditNote>[] = [
  {
    key: "number",
    title: words.noteNumber,
    render: ({ credit_note_number, credit_note_date, kind, status }) => (
      <>
        <span style={{ whiteSpace: "nowrap" }}>{credit_note_number}</span>
        <Text size="sm" c="dimmed">
          {day(credit_note_date)}
        </Text>
        {kind === "financial" && <StatusBadge status={kind} word={words.financial} tone="neutral" />}
        {status === "Cancelled" && <StatusBadge status={status} />}
      </>
    ),
  },
  { key: "reason", title: words.reason, hideBelow: "md" },
  { key: "amount", title: words.paymentAmount, as: "amount" },
  { key: "reduces_due", title: words.reducesDue, hideBelow: "sm", as: "amount" },
  { key: "refund", title: words.refund, hideBelow: "sm", as: "amount" },
];

/** What was credited. */
export function CreditNotes({ record }: Props) {
  const [action, setAction] = useState<{ readonly note: CreditNote; readonly chosen: ChosenForNote } | null>(null);
  const actions: Column<CreditNote> = {
    key: "actions",
    title: "",
    render: (note) => <NoteActions record={record} note={note} onChoose={(chosen) => setAction({ note, chosen })} />,
  };
  return (
    <TablePanel
      title={words.creditNotes}
      columns={[...COLUMNS, actions]}
      rows={record.credit_notes}
      rowKey="credit_note_id"
    >
      {action && <ChosenNoteDialog record={record} {...action} onClose={() => setAction(null)} />}
    </TablePanel>
  );
}

type ActionProps = Props & { readonly note: CreditNote; readonly onChoose: (chosen: ChosenForNote) => void };

function NoteActions({ record, note, onChoose }: ActionProps) {
  const may = usePermissions();
  const { credit_note_number: number, owed, under_way: underWay, transfer_id: transferId } = note;
  const entries = useCreditNoteActions({ record, note }, onChoose);
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="xs" justify="flex-end">
        {entries.map(({ name, label, ...entry }) => (
          <MenuButton
            key={name}
            of={{ ...entry, label: entry.danger ? words.cancelNote : label }}
            primary={label === words.payBack}
            size="xs"
            aria-label={name}
          />
        ))}
      </Group>
      {toPaise(owed) !== 0n && <Text size="sm">{words.refundOwed(rupees(owed))}</Text>}
      {toPaise(underWay) !== 0n && (
        <Text size="sm" role="status">
          {words.refundUnderWay(rupees(underWay))}
        </Text>
      )}
      {record.refunds
        .filter(({ credit_note_number }) => credit_note_number === number)
        .map(({ amount, refunded_at }) => (
          <Text key={`${refunded_at} ${amount}`} size="sm">
            {words.refundedNote(rupees(amount), day(refunded_at))}
          </Text>
        ))}
      {transferId !== "" && may("payouts.view") && (
        <LinkTo label={words.refundTransfer} to={`/transfers/${transferId}`} size="sm" />
      )}
    </Stack>
  );
}
