// One invoice: what it says, how it stands, and what can be done with it.
import { Button, Group, Menu, SimpleGrid, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { useGet } from "../../api/queries.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { Action, CopyButton, LinkTo } from "../../components/actions.tsx";
import { FramedPage } from "../../components/framed-page.tsx";
import { HistoryPanel } from "../../components/history-panel.tsx";
import { ErrorNotice, UnprintableNotice } from "../../components/notices.tsx";
import { Page as PageFrame, Panel } from "../../components/page.tsx";
import { Facts, Money, StatusBadge, type Fact } from "../../components/values.tsx";
import { formatRupees, toPaise } from "../../format/money.ts";
import { day, moment } from "../../format/time.ts";
import { OpeningBalanceDialog } from "../../forms/opening-balance-dialog.tsx";
import { debitNotes } from "../../strings/billing-lists.ts";
import { invoice as words, writeOff } from "../../strings/invoices.ts";
import { openingBalance } from "../../strings/opening-balances.ts";
import { CreditNoteDialog } from "./credit-note-dialog.tsx";
import { CreditNotes } from "./credit-notes.tsx";
import { DebitNoteDialog } from "./debit-note-dialog.tsx";
import { DebitNotes } from "./debit-notes.tsx";
import { Messages, PaymentDialog, Payments, Revisions, Rows } from "./detail-tables.tsx";
import { CancelDialog, SendDialog, WriteOffDialog } from "./dialogs.tsx";
import { useInvoice, type InvoiceRecord } from "./invoice-record.ts";
import { SIZE, WEIGHT } from "../../app/tokens.ts";

type Action = "send" | "pay" | "writeOff" | "credit" | "debit" | "cancel" | "edit";

/** One invoice. */
export function Page() {
  const record = useInvoice();
  const [action, setAction] = useState<Action | null>(null);
  const close = (): void => setAction(null);
  return (
    <PageFrame
      title={titleOf(record)}
      badge={<StatusBadge status={record.status} />}
      actions={<Actions record={record} onChoose={setAction} />}
    >
      <UnprintableNotice letters={record.unprintable} />
      <Amounts record={record} />
      <Summary record={record} />
      {!record.is_opening_balance && <Rows record={record} />}
      <Payments record={record} />
      {record.credit_notes.length > 0 && <CreditNotes record={record} />}
      {record.debit_notes.length > 0 && <DebitNotes record={record} />}
      <Messages record={record} />
      {record.revisions.length > 0 && <Revisions record={record} />}
      <HistoryPanel title={words.history} path={`/invoices/${record.invoice_id}/history`} />
      <PublicPage record={record} />
      {action === "send" && <SendDialog record={record} onClose={close} />}
      {action === "pay" && <PaymentDialog record={record} onClose={close} />}
      {action === "writeOff" && <WriteOffDialog record={record} onClose={close} />}
      {action === "credit" && <CreditNoteDialog record={record} onClose={close} />}
      {action === "edit" && <OpeningBalanceEdit record={record} onClose={close} />}
      {action === "debit" && <DebitNoteDialog record={record} onClose={close} />}
      {action === "cancel" && <CancelDialog record={record} onClose={close} />}
    </PageFrame>
  );
}

/** Changes an opening balance; an invoice has a page for that. */
function OpeningBalanceEdit({ record, onClose }: { readonly record: InvoiceRecord; readonly onClose: () => void }) {
  const { data } = useGet(`/opening-balances/${record.invoice_id}`);
  return data ? <OpeningBalanceDialog of={data.opening_balance} onClose={onClose} /> : null;
}

type ActionProps = { readonly record: InvoiceRecord; readonly onChoose: (action: Action) => void };

function Actions({ record, onChoose }: ActionProps) {
  const may = usePermissions();
  const isClosed = record.status === "Cancelled" || record.status === "Carried forward";
  const isInvoice = !record.is_opening_balance;
  const isDue = (toPaise(record.due_amount) ?? 0n) > 0n;
  const isDebited = record.debit_notes.some(({ status }) => status !== "Cancelled");
  const isCredited = validNotesOf(record).length > 0;
  const isTouched = isDebited || isCredited || record.settlements.some(({ status }) => status === "Recorded");
  return (
    <>
      {may("invoices.settle") && isDue && <Action label={words.pay} primary onClick={() => onChoose("pay")} />}
      {isDue && <WriteOffAction record={record} onChoose={onChoose} />}
      {may("invoices.manage") && !isClosed && <Action label={words.send} onClick={() => onChoose("send")} />}
      {may("invoices.manage") && !isClosed && !isTouched && record.original_invoice === null && (
        <Action
          label={words.edit}
          {...(isInvoice ? { to: `/invoices/${record.invoice_id}/edit` } : { onClick: () => onChoose("edit") })}
        />
      )}
      {may("invoices.manage") && isInvoice && (
        <Action label={words.duplicate} to="/invoices/new" search={{ copy: record.invoice_id }} />
      )}
      {may("invoices.cancel") && isInvoice && record.status !== "Cancelled" && (
        <Action label={words.credit} onClick={() => onChoose("credit")} />
      )}
      {may("invoices.manage") && isDebitable(record) && (
        <Action label={words.debit} onClick={() => onChoose("debit")} />
      )}
      {may("invoices.cancel") && !isClosed && !isTouched && (
        <Action label={cancelLabelOf(record)} onClick={() => onChoose("cancel")} />
      )}
    </>
  );
}

/** Where the rest is small enough to be written off. */
function WriteOffAction({ record, onChoose }: ActionProps) {
  const may = usePermissions();
  const { data } = useGet("/book-settings", { enabled: may("invoices.settle") && may("profile.view") });
  const isSmall = data !== undefined && (toPaise(record.due_amount) ?? 0n) <= (toPaise(data.write_off_limit) ?? 0n);
  return isSmall && <Action label={writeOff.action} onClick={() => onChoose("writeOff")} />;
}

function Amounts({ record }: { readonly record: InvoiceRecord }) {
  const lastRefund = record.refunds.at(-1);
  const amounts = [
    { label: words.total, amount: record.amount },
    { label: words.paid, amount: record.paid_amount },
    ...(validNotesOf(record).length === 0 ? [] : [{ label: words.credited, amount: creditedOf(record) }]),
    ...(lastRefund
      ? [
          {
            label: words.refundedOn(day(lastRefund.refunded_at), record.refunds.length),
            amount: record.refunded,
          },
        ]
      : []),
    { label: words.due, amount: record.due_amount },
  ];
  return (
    <Panel>
      <SimpleGrid component="dl" cols={{ base: 1, sm: amounts.length }} m={0}>
        {amounts.map(({ label, amount }) => (
          <div key={label}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0} fz={SIZE.title} fw={WEIGHT.strong}>
              <Money amount={amount} />
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Panel>
  );
}

/** The credit notes that are not cancelled. */
function validNotesOf({ credit_notes: notes }: InvoiceRecord) {
  return notes.filter(({ status }) => status !== "Cancelled");
}

/** Whether a debit note can charge more for rows of it. */
function isDebitable({ status, original_invoice, particular_rows: rows }: InvoiceRecord): boolean {
  return status !== "Cancelled" && original_invoice === null && rows.length > 0;
}

function titleOf({ invoice_number: number, original_invoice, is_opening_balance: isOpening }: InvoiceRecord): string {
  if (isOpening) return openingBalance.title(number);
  return original_invoice === null ? words.title(number) : words.debitTitle(number);
}

/** The sum of an invoice's credit notes. */
function creditedOf(record: InvoiceRecord): string {
  return formatRupees(validNotesOf(record).reduce((sum, { amount }) => sum + toPaise(amount)!, 0n));
}

function Summary({ record }: { readonly record: InvoiceRecord }) {
  const may = usePermissions();
  const isStaff = useSession().kind !== "franchise";
  const { customer } = record;
  const customerName = `${customer.customer_name} (${customer.customer_code})`;
  return (
    <Panel
      title={words.summary}
      actions={
        <Group gap="xs">
          <Action label={words.publicPage} href={record.short_url} newTab />
          <CopyButton text={record.short_url} label={words.copyLink} />
          <Action label={words.pdf} href={record.pdf_url} newTab />
          <Copies pdfUrl={record.pdf_url} />
        </Group>
      }
    >
      <Facts
        facts={[
          {
            label: words.customer,
            value: may("customers.view") ? (
              <LinkTo label={customerName} to={`/customers/${customer.customer_id}`} />
            ) : (
              customerName
            ),
          },
          { label: words.email, value: customer.email },
          { label: words.mobile, value: customer.mobile },
          { label: record.is_opening_balance ? openingBalance.date : words.billDate, value: day(record.bill_date) },
          { label: words.dueDate, value: day(record.due_date) },
          { label: words.cycle, value: record.bill_cycle_name },
          { label: words.sent, value: record.sent_date === "" ? words.notSent : moment(record.sent_date) },
          { label: words.created, value: moment(record.created_at) },
          { label: words.id, value: record.invoice_id },
          ...(record.franchise_name === null
            ? []
            : [
                { label: words.franchise, value: record.franchise_name },
                { label: words.commission, value: <Money amount={record.commission} /> },
              ]),
          ...(may("subscriptions.view") ? linksTo(words.subscription, "/subscriptions/", record.subscription_id) : []),
          ...linksTo(words.carriedTo, "/invoices/", record.carried_to),
          ...(isStaff ? linksTo(words.estimate, "/estimates/", record.estimate_id, record.estimate_number) : []),
          ...(record.original_invoice === null ? [] : [originalOf(record.original_invoice)]),
          ...record.custom_header_fields
            .filter(({ value }) => value !== "")
            .map(({ id, name, value }) => ({
              label: id === "reason" && record.original_invoice !== null ? words.reason : name,
              value,
            })),
        ]}
      />
    </Panel>
  );
}

function cancelLabelOf({ is_opening_balance: isOpeningBalance, original_invoice: original }: InvoiceRecord): string {
  if (isOpeningBalance) return openingBalance.cancel;
  return original === null ? words.cancel : debitNotes.cancel;
}

/** The invoice that a debit note charges more for. */
function originalOf({ invoice_id, invoice_number }: NonNullable<InvoiceRecord["original_invoice"]>): Fact {
  return { label: words.original, value: <LinkTo label={invoice_number} to={`/invoices/${invoice_id}`} /> };
}

/** The copies that are not the customer's, each as PDF. */
function Copies({ pdfUrl }: { readonly pdfUrl: string }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">{words.copies}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(["duplicate", "triplicate"] as const).map((copy) => (
          <Menu.Item key={copy} component="a" href={`${pdfUrl}?copy=${copy}`} target="_blank" rel="noreferrer">
            {words.copy[copy]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The fact that something else belongs to it; none where `id` is empty. */
function linksTo(label: string, path: string, id: string, name = id): Fact[] {
  if (id === "") return [];
  const value = <LinkTo label={name} to={`${path}${id}`} />;
  return [{ label, value }];
}

function PublicPage({ record }: { readonly record: InvoiceRecord }) {
  const [isOpen, { open }] = useDisclosure(false);
  const { data, error, refetch } = useGet(`/invoices/${record.invoice_id}/page`, { enabled: isOpen });
  return (
    <Panel title={words.page}>
      <Stack gap="sm" align="stretch">
        <Text c="dimmed">{words.pageHint}</Text>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data && <FramedPage html={data.html} title={words.pageTitle} />}
        {!isOpen && (
          <div>
            <Action label={words.showPage} onClick={open} />
          </div>
        )}
      </Stack>
    </Panel>
  );
}
