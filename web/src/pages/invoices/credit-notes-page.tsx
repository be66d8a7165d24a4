// All credit notes: found, filtered, added up, exported.
import { Box } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { Line } from "../../components/line.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { day } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { billingLists, creditNotes as words } from "../../strings/billing-lists.ts";
import { BILLING_FILTERS, BillingFilters, BillingSummary, BillingTabs } from "./billing-list.tsx";
import { CreditNoteMenu } from "./credit-note-actions.tsx";
import { titles } from "../../strings/titles.ts";

type Row = Answer<"GET", "/credit-notes">["credit_notes"][number];

const COLUMNS: readonly Column<Row>[] = [
  { key: "note_date", title: billingLists.date, sortable: true, as: "day", hideBelow: "sm" },
  { key: "credit_note_number", title: words.number, render: (note) => <Note of={note} /> },
  { key: "invoice_number", title: billingLists.invoice, hideBelow: "md", as: "number" },
  { key: "customer_name", title: billingLists.customer, hideBelow: "sm" },
  { key: "amount", title: billingLists.amount, as: "amount" },
  { key: "to_refund", title: words.toRefund, as: "amount", hideBelow: "md" },
  { key: "status", title: billingLists.status, hideBelow: "sm", as: "status" },
  menuColumn(({ credit_note_id: id, credit_note_number: number, invoice_id: invoiceId }) => (
    <CreditNoteMenu id={id} number={number} invoiceId={invoiceId} />
  )),
];

/** Its number; on narrow screens, with its day and customer below. */
function Note({ of: { credit_note_number, invoice_id, note_date, customer_name, status } }: { readonly of: Row }) {
  return (
    <>
      <LinkTo
        label={<span style={{ whiteSpace: "nowrap" }}>{credit_note_number}</span>}
        to={`/invoices/${invoice_id}`}
      />
      <Box hiddenFrom="sm">
        <Line dimmed>{`${day(note_date)} · ${customer_name}`}</Line>
        {status === "Cancelled" && <StatusBadge status={status} />}
      </Box>
    </>
  );
}

/** Credit notes. */
export function Page() {
  const list = useList({ path: "/credit-notes", rowsIn: "credit_notes", filters: BILLING_FILTERS });
  return (
    <DataPage
      title={titles.creditNotes}
      hint={words.hint}
      list={list}
      columns={COLUMNS}
      rowKey="credit_note_id"
      search={{ filter: "search", placeholder: words.search }}
      tabs={<BillingTabs list={list} label={words.kind} kinds={words.kinds} />}
      filterFields={<BillingFilters list={list} />}
      hasFile
      summary={<BillingSummary path="/credit-notes" label={titles.creditNotes} list={list} sums={words.sums} />}
      empty={{ title: words.empty, hint: words.emptyHint }}
    />
  );
}
