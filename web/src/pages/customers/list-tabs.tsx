// The tabs of a customer's page that are lists: its invoices, receipts and messages.
import { NativeSelect } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { LinkTo } from "../../components/actions.tsx";
import { ListPanel } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { MESSAGE_STATES, useMessages } from "../../components/messages.tsx";
import { useList } from "../../lists/use-list.ts";
import { modeName } from "../../forms/payment-mode.tsx";
import { customers as words } from "../../strings/customers.ts";
import { invoices } from "../../strings/invoices.ts";
import { messages } from "../../strings/messages.ts";
import { receipts } from "../../strings/receipts.ts";
import { statusChoices } from "../../strings/statuses.ts";
import { titles } from "../../strings/titles.ts";

type Invoice = Answer<"GET", "/invoices">["invoices"][number];
type Receipt = Answer<"GET", "/receipts">["receipts"][number];

const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
  { key: "invoice_number", title: invoices.number, as: "number", to: ({ invoice_id }) => `/invoices/${invoice_id}` },
  { key: "bill_date", title: invoices.billDate, sortable: true, hideBelow: "sm", as: "day" },
  { key: "due_date", title: invoices.dueDate, sortable: true, hideBelow: "md", as: "day" },
  { key: "amount", title: invoices.amount, hideBelow: "sm", as: "amount" },
  { key: "due_amount", title: invoices.due, as: "amount" },
  { key: "status", title: invoices.status, isBelowFirst: true, as: "status" },
];

const STATUSES = [
  { value: "", label: invoices.tabs.all },
  { value: "Open", label: invoices.tabs.unpaid },
  { value: "Overdue", label: invoices.tabs.overdue },
  { value: "Paid", label: invoices.tabs.paid },
];

/** A customer's invoices. */
export function CustomerInvoices({ customerCode }: { readonly customerCode: string }) {
  const list = useList({
    path: "/invoices",
    rowsIn: "invoices",
    filters: ["status"],
    fixed: { customer: customerCode },
  });
  return (
    <ListPanel
      caption={words.tabs.invoices}
      list={list}
      columns={INVOICE_COLUMNS}
      rowKey="invoice_id"
      filterFields={
        <>
          <NativeSelect {...list.filter("status", invoices.status)} data={STATUSES} />
          <LinkTo label={words.allFilters} to="/invoices" search={{ customer: customerCode }} />
        </>
      }
      empty={{ title: words.noInvoices }}
    />
  );
}

const RECEIPT_COLUMNS: readonly Column<Receipt>[] = [
  { key: "receipt_number", title: receipts.number, as: "number", to: ({ receipt_id }) => `/receipts/${receipt_id}` },
  { key: "date", title: receipts.date, hideBelow: "sm", as: "day" },
  { key: "mode", title: receipts.mode, hideBelow: "md", render: ({ mode }) => modeName(mode) },
  { key: "amount", title: receipts.amount, as: "amount" },
  { key: "advance_amount", title: receipts.advanceAmount, hideBelow: "sm", as: "amount" },
  { key: "status", title: receipts.status, isBelowFirst: true, as: "status" },
];

/** A customer's receipts. */
export function CustomerReceipts({ customerId }: { readonly customerId: string }) {
  const list = useList({
    path: "/receipts",
    rowsIn: "receipts",
    filters: ["kind"],
    fixed: { customer_id: customerId },
  });
  return (
    <ListPanel
      caption={titles.receipts}
      list={list}
      columns={RECEIPT_COLUMNS}
      rowKey="receipt_id"
      filterFields={
        <NativeSelect
          {...list.filter("kind", receipts.show)}
          data={[
            { value: "", label: receipts.all },
            { value: "with_advance", label: receipts.withAdvance },
            { value: "reversed", label: receipts.reversed },
          ]}
        />
      }
      empty={{ title: receipts.empty, hint: receipts.emptyHint }}
    />
  );
}

/** The messages to a customer. */
export function CustomerMessages({ customerId }: { readonly customerId: string }) {
  const props = useMessages({ customer_id: customerId });
  return (
    <ListPanel
      caption={titles.messages}
      {...props}
      filterFields={
        <NativeSelect
          {...props.list.filter("state", messages.state)}
          data={statusChoices(messages.all, MESSAGE_STATES)}
        />
      }
      empty={{ title: messages.empty, hint: words.noMessagesHint }}
    />
  );
}
