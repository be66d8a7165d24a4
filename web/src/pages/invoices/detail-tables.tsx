// The tables of one invoice: rows and taxes, payments and recording one, messages, earlier revisions.
// Credit notes are credit-notes.tsx.
import { Checkbox, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useMerchant, usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { lineColumns, placedLines } from "../../components/line-columns.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge, TotalsTable } from "../../components/values.tsx";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { rupees, toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { payment as paying, invoice as words } from "../../strings/invoices.ts";
import { messages } from "../../strings/messages.ts";
import { CHANGES, ReverseDialog } from "./dialogs.tsx";
import type { InvoiceRecord, Payment } from "./invoice-record.ts";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/queries.ts";
import { FormDialog } from "../../forms/dialogs.tsx";
import { DateField } from "../../forms/date-field.tsx";
import { paymentDoubts } from "../../forms/doubts.ts";
import { type ApiForm, MoneyField } from "../../forms/form.tsx";
import { EMPTY_MODE, modeName, PaymentModeFields, toPaymentMode } from "../../forms/payment-mode.tsx";

type Props = { readonly record: InvoiceRecord };

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
      columns={lineColumns(record.particular_rows)}
      rows={placedLines(record.particular_rows)}
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
    { key: "mode", title: words.mode, hideBelow: "sm", render: ({ mode }) => modeName(mode) },
    { key: "amount", title: words.paymentAmount, as: "amount" },
    { key: "reference", title: words.reference, hideBelow: "md", render: referenceOf },
    {
      key: "state",
      title: words.state,
      isBelowFirst: true,
      render: ({ status, reversal_reason, write_off_reason }) => (
        <>
          <StatusBadge status={status} />
          {write_off_reason !== "" && <Text size="sm">{write_off_reason}</Text>}
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

type PaymentProps = { readonly record: InvoiceRecord; readonly onClose: () => void };

const EMPTY = {
  ...EMPTY_MODE,
  tds_amount: "",
  tds_code: "",
  notify: false,
};

/** Records a payment. */
export function PaymentDialog({ record, onClose }: PaymentProps) {
  const { today } = useMerchant();
  const [key] = useRequestKey();
  return (
    <FormDialog
      title={paying.title}
      initialValues={{ ...EMPTY, amount: record.due_amount, paid_date: today }}
      submit={({ amount, paid_date, notify, tds_amount, tds_code, ...mode }) => {
        const tds = tds_amount === "" ? { tds_code } : { tds_amount: typedAmount(tds_amount), tds_code };
        const plain = { amount: typedAmount(amount), paid_date, notify: notify ? 1 : 0, ...tds };
        const path = `/invoices/${record.invoice_id}/payments` as const;
        return api("POST", path, { key, body: { ...plain, ...toPaymentMode(mode) } });
      }}
      doubts={({ paid_date }) => paymentDoubts(paid_date, record.bill_date, today)}
      changes={CHANGES}
      done={paying.saved}
      onClose={onClose}
    >
      {(sent) => (
        <>
          <MoneyField
            {...sent.field("amount", paying.amount, paying.due(rupees(record.due_amount)))}
            required
            data-autofocus
          />
          <PaymentFields of={sent} />
        </>
      )}
    </FormDialog>
  );
}

type Values = typeof EMPTY & { amount: string; paid_date: string };

function PaymentFields({ of: { form, field, check } }: { readonly of: ApiForm<Values> }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <DateField {...field("paid_date", paying.date)} required />
        <PaymentModeFields mode={form.values.mode} field={field} />
        <MoneyField {...field("tds_amount", paying.tdsAmount, paying.tdsHint)} />
        <TextInput {...field("tds_code", paying.tdsCode)} />
      </SimpleGrid>
      <Checkbox {...check("notify", paying.notify)} />
    </>
  );
}
