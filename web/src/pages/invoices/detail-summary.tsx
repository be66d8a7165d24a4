// What an invoice comes to, and the facts about it.
import { Divider, Group } from "@mantine/core";
import { usePermissions, useSession } from "../../api/session.ts";
import { Action, CopyButton, LinkTo } from "../../components/actions.tsx";
import { Panel } from "../../components/page.tsx";
import { type Fact, Facts, Money } from "../../components/values.tsx";
import { formatRupees, toPaise } from "../../format/money.ts";
import { day, moment } from "../../format/time.ts";
import { invoice as words } from "../../strings/invoices.ts";
import { openingBalance } from "../../strings/opening-balances.ts";
import { validNotesOf, type InvoiceRecord } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord };

/** The panel beside the document. */
export function Summary({ record }: Props) {
  return (
    <Panel title={words.summary}>
      <Facts inRows facts={amountsOf(record)} />
      <Divider my="md" />
      <Facts inRows facts={useFacts(record)} />
      <Group gap="xs" mt="md">
        <Action label={words.publicPage} href={record.short_url} newTab size="xs" />
        <CopyButton text={record.short_url} label={words.copyLink} size="xs" />
      </Group>
    </Panel>
  );
}

function amountsOf(record: InvoiceRecord): Fact[] {
  const lastRefund = record.refunds.at(-1);
  const fact = (label: string, amount: string): Fact => ({ label, value: <Money amount={amount} /> });
  return [
    fact(words.total, record.amount),
    fact(words.paid, record.paid_amount),
    ...(validNotesOf(record).length === 0 ? [] : [fact(words.credited, creditedOf(record))]),
    ...(lastRefund
      ? [fact(words.refundedOn(day(lastRefund.refunded_at), record.refunds.length), record.refunded)]
      : []),
    fact(words.due, record.due_amount),
  ];
}

/** The sum of an invoice's credit notes. */
function creditedOf(record: InvoiceRecord): string {
  return formatRupees(validNotesOf(record).reduce((sum, { amount }) => sum + toPaise(amount)!, 0n));
}

function useFacts(record: InvoiceRecord): Fact[] {
  const may = usePermissions();
  const isStaff = useSession().kind !== "franchise";
  const { customer } = record;
  return [
    { label: words.customer, value: `${customer.customer_name} (${customer.customer_code})` },
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
  ];
}

/** The invoice that a debit note charges more for. */
function originalOf({ invoice_id, invoice_number }: NonNullable<InvoiceRecord["original_invoice"]>): Fact {
  return { label: words.original, value: <LinkTo label={invoice_number} to={`/invoices/${invoice_id}`} /> };
}

/** The fact that something else belongs to it; none where `id` is empty. */
function linksTo(label: string, path: string, id: string, name = id): Fact[] {
  if (id === "") return [];
  const value = <LinkTo label={name} to={`${path}${id}`} />;
  return [{ label, value }];
}
