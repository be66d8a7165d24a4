// The tables of one invoice: rows and taxes, payments, messages, earlier revisions. Credit notes are credit-notes.tsx.
import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { ItemCell, StatusBadge, TotalsTable } from "../../components/values.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { invoice as words } from "../../strings/invoices.ts";
import { messages } from "../../strings/messages.ts";
import { ReverseDialog } from "./dialogs.tsx";
import type { InvoiceRecord, Payment } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord };
type Row = InvoiceRecord["particular_rows"][number] & { readonly place: number };

const ROW_COLUMNS: readonly Column<Row>[] = [
  { key: "item", title: words.item, render: ItemCell },
  { key: "sac_code", title: words.code, hideBelow: "sm" },
  { key: "gst", title: words.gst, align: "right", render: ({ gst }) => `${gst} %` },
  { key: "total_amount", title: words.rowAmount, as: "amount" },
];

/** What is billed, and what it comes to. */
export function Rows({ record }: Props) {
  const totals = [
    { label: words.subTotal, amount: record.sub_total },
    ...record.tax_rows.map(({ name, percentage, applicable_on, amount }) => ({
      label: `${words.tax(name, percentage)} ${words.taxOn(rupees(applicable_on))}`,
      amount,
    })),
    ...(toPaise(record.previous_dues) === 0n ? [] : [{ label: words.previousDues, amount: record.previous_dues }]),
  ];
  return (
    <TablePanel
      title={words.rows}
      columns={ROW_COLUMNS}
      rows={record.particular_rows.map((row, place) => ({ ...row, place }))}
      rowKey="place"
    >
      <TotalsTable label={words.total} lines={totals} total={{ label: words.total, amount: record.amount }} />
    </TablePanel>
  );
}

/** What was paid, and taken back. */
export function Payments({ record }: Props) {
  const may = usePermissions();
  const [reversed, setReversed] = useState<Payment | null>(null);
  const canReverse = may("invoices.settle") && record.status !== "Cancelled";
  const columns: readonly Column<Payment>[] = [
    { key: "paid_date", title: words.paidOn, as: "day" },
    { key: "mode", title: words.mode, hideBelow: "sm" },
    { key: "amount", title: words.paymentAmount, as: "amount" },
    { key: "reference", title: words.reference, hideBelow: "md", render: referenceOf },
    {
      key: "state",
      title: words.state,
      isBelowFirst: true,
      render: ({ status, reversal_reason }) => (
        <>
          <StatusBadge status={status} />
          {reversal_reason !== "" && <Text size="sm">{reversal_reason}</Text>}
        </>
      ),
    },
    ...(canReverse
      ? [
          {
            key: "reverse",
            title: "",
            render: (payment: Payment) =>
              payment.status === "Recorded" &&
              payment.via_transaction_id === "" && (
                <Action
                  label={words.reverse}
                  size="compact-sm"
                  aria-label={words.reverseOf(rupees(payment.amount), day(payment.paid_date))}
                  onClick={() => setReversed(payment)}
                />
              ),
          },
        ]
      : []),
  ];
  return (
    <TablePanel
      title={words.payments}
      columns={columns}
      rows={record.settlements}
      rowKey="transaction_id"
      empty={words.noPayments}
    >
      {reversed && <ReverseDialog record={record} payment={reversed} onClose={() => setReversed(null)} />}
    </TablePanel>
  );
}

function referenceOf(payment: Payment) {
  const { bank_name, bank_ref_no, cheque_no, cash_paid_to, via_transaction_id } = payment;
  const given = [bank_name, bank_ref_no, cheque_no, cash_paid_to].filter((text) => text !== "");
  const all = via_transaction_id === "" ? given : [...given, words.passedOn(via_transaction_id)];
  return all.length === 0 ? "–" : all.join(" · ");
}

type Message = InvoiceRecord["messages"][number];
const MESSAGE_COLUMNS: readonly Column<Message>[] = [
  {
    key: "kind",
    title: words.message,
    render: ({ kind, channel }) => `${messages.kinds[kind]} · ${words.channels[channel]}`,
  },
  { key: "recipient", title: words.recipient, hideBelow: "sm", render: ({ recipient }) => recipient || "–" },
  { key: "at", title: words.when, hideBelow: "md", as: "moment" },
  {
    key: "state",
    title: words.state,
    render: ({ state, reason }) => (
      <Stack gap={2} align="flex-start">
        <StatusBadge status={state} />
        {reason !== "" && <Text size="sm">{reason}</Text>}
      </Stack>
    ),
  },
];

/** What was queued for the customer, and how it went. */
export function Messages({ record }: Props) {
  return (
    <TablePanel
      title={words.messages}
      columns={MESSAGE_COLUMNS}
      rows={record.messages}
      rowKey="message_id"
      empty={words.noMessages}
    />
  );
}

type Revision = InvoiceRecord["revisions"][number];
const REVISION_COLUMNS: readonly Column<Revision>[] = [
  { key: "revision", title: words.revision },
  { key: "replaced_at", title: words.replaced, as: "moment" },
  { key: "bill_date", title: words.billDate, hideBelow: "sm", as: "day" },
  { key: "due_date", title: words.dueDate, hideBelow: "sm", as: "day" },
  { key: "amount", title: words.rowAmount, as: "amount" },
];

/** What the invoice was before it was changed. */
export function Revisions({ record }: Props) {
  return <TablePanel title={words.revisions} columns={REVISION_COLUMNS} rows={record.revisions} rowKey="revision" />;
}
