// The tables of one invoice: rows and taxes, payments, messages, earlier revisions. Credit notes are credit-notes.tsx.
// What belongs here: showing them. A payment is reversed by reverse-dialog.tsx.
import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { usePermissions } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { TotalsTable } from "../../components/totals-table.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { day, moment } from "../../format/time.ts";
import { invoice as words } from "../../strings/invoices.ts";
import type { InvoiceRecord, Payment } from "./invoice-record.ts";
import { ReverseDialog } from "./reverse-dialog.tsx";

type Props = { readonly record: InvoiceRecord };
type Row = InvoiceRecord["particular_rows"][number] & { readonly place: number };

const ROW_COLUMNS: readonly Column<Row>[] = [
  {
    key: "item",
    title: words.item,
    render: ({ item, description }) => (
      <>
        {item}
        {description !== "" && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
      </>
    ),
  },
  { key: "code", title: words.code, hideBelow: "sm", render: ({ sac_code }) => sac_code },
  { key: "gst", title: words.gst, align: "right", render: ({ gst }) => `${gst} %` },
  {
    key: "amount",
    title: words.rowAmount,
    align: "right",
    render: ({ total_amount }) => <Money amount={total_amount} plain />,
  },
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
    <Panel title={words.rows} flush>
      <DataTable
        caption={words.rows}
        columns={ROW_COLUMNS}
        rows={record.particular_rows.map((row, place) => ({ ...row, place }))}
        rowKey={({ place }) => String(place)}
      />
      <TotalsTable label={words.total} lines={totals} total={{ label: words.total, amount: record.amount }} />
    </Panel>
  );
}

/** What was paid, and taken back. */
export function Payments({ record }: Props) {
  const may = usePermissions();
  const [reversed, setReversed] = useState<Payment | null>(null);
  const canReverse = may("invoices.settle") && record.status !== "Cancelled";
  const columns: readonly Column<Payment>[] = [
    { key: "date", title: words.paidOn, render: ({ paid_date }) => day(paid_date) },
    { key: "mode", title: words.mode, hideBelow: "sm", render: ({ mode }) => mode },
    {
      key: "amount",
      title: words.paymentAmount,
      align: "right",
      render: ({ amount }) => <Money amount={amount} plain />,
    },
    { key: "reference", title: words.reference, hideBelow: "md", render: referenceOf },
    {
      key: "state",
      title: words.state,
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
                <Button
                  size="xs"
                  variant="default"
                  aria-label={words.reverseOf(rupees(payment.amount), day(payment.paid_date))}
                  onClick={() => setReversed(payment)}
                >
                  {words.reverse}
                </Button>
              ),
          },
        ]
      : []),
  ];
  return (
    <Panel title={words.payments} flush>
      {record.settlements.length === 0 ? (
        <Text px="md" pb="md" c="dimmed">
          {words.noPayments}
        </Text>
      ) : (
        <DataTable
          caption={words.payments}
          columns={columns}
          rows={record.settlements}
          rowKey={({ transaction_id }) => transaction_id}
        />
      )}
      {reversed && <ReverseDialog record={record} payment={reversed} onClose={() => setReversed(null)} />}
    </Panel>
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
    render: ({ kind, channel }) => `${words.messageKinds[kind]} · ${words.channels[channel]}`,
  },
  { key: "recipient", title: words.recipient, hideBelow: "sm", render: ({ recipient }) => recipient || "–" },
  { key: "when", title: words.when, hideBelow: "md", render: ({ at }) => moment(at) },
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
    <Panel title={words.messages} flush>
      {record.messages.length === 0 ? (
        <Text px="md" pb="md" c="dimmed">
          {words.noMessages}
        </Text>
      ) : (
        <DataTable
          caption={words.messages}
          columns={MESSAGE_COLUMNS}
          rows={record.messages}
          rowKey={({ message_id }) => message_id}
        />
      )}
    </Panel>
  );
}

type Revision = InvoiceRecord["revisions"][number];
const REVISION_COLUMNS: readonly Column<Revision>[] = [
  { key: "revision", title: words.revision, render: ({ revision }) => revision },
  { key: "replaced", title: words.replaced, render: ({ replaced_at }) => moment(replaced_at) },
  { key: "bill", title: words.billDate, hideBelow: "sm", render: ({ bill_date }) => day(bill_date) },
  { key: "due", title: words.dueDate, hideBelow: "sm", render: ({ due_date }) => day(due_date) },
  { key: "amount", title: words.rowAmount, align: "right", render: ({ amount }) => <Money amount={amount} plain /> },
];

/** What the invoice was before it was changed. */
export function Revisions({ record }: Props) {
  return (
    <Panel title={words.revisions} flush>
      <DataTable
        caption={words.revisions}
        columns={REVISION_COLUMNS}
        rows={record.revisions}
        rowKey={({ revision }) => String(revision)}
      />
    </Panel>
  );
}
