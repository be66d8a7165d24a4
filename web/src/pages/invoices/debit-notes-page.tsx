// All debit notes: found, filtered, and with the menu of an invoice, which they are.
import { Box, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { Line } from "../../components/line.tsx";
import { Notice } from "../../components/notices.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { FilterTabs } from "../../components/view-tabs.tsx";
import { day } from "../../format/time.ts";
import { AMOUNT_FILTERS, AmountRange, DATE_FILTERS, DateRange, MoreFilters } from "../../lists/filters.tsx";
import { useList } from "../../lists/use-list.ts";
import { billingLists, creditNotes, debitNotes as words } from "../../strings/billing-lists.ts";
import { invoices } from "../../strings/invoices.ts";
import { lists } from "../../strings/lists.ts";
import { InvoiceMenu } from "./row-menu.tsx";
import { titles } from "../../strings/titles.ts";

type Row = Answer<"GET", "/debit-notes">["debit_notes"][number];

const TABS = [
  { value: "", label: invoices.tabs.all },
  { value: "Open", label: invoices.tabs.unpaid },
  { value: "Overdue", label: invoices.tabs.overdue },
  { value: "Paid", label: invoices.tabs.paid },
  { value: "Cancelled", label: creditNotes.kinds.cancelled },
];
const FILTERS = ["search", "status", ...DATE_FILTERS, ...AMOUNT_FILTERS];

const COLUMNS: readonly Column<Row>[] = [
  { key: "date", title: billingLists.date, sortable: true, as: "day", hideBelow: "sm" },
  { key: "debit_note_number", title: words.number, render: (note) => <Note of={note} /> },
  {
    key: "invoice_number",
    title: billingLists.invoice,
    hideBelow: "md",
    render: ({ invoice_id: id, invoice_number: number }) => (
      <LinkTo label={number} to={`/invoices/${id}`} style={{ whiteSpace: "nowrap" }} />
    ),
  },
  { key: "customer_name", title: billingLists.customer, hideBelow: "sm" },
  { key: "amount", title: billingLists.amount, as: "amount" },
  { key: "due_amount", title: invoices.due, as: "amount", hideBelow: "md" },
  { key: "status", title: billingLists.status, hideBelow: "sm", as: "status" },
  menuColumn(({ debit_note_id: id, debit_note_number: number }) => (
    <InvoiceMenu id={id} number={number} onRemind={null} />
  )),
];

/** Its number; on narrow screens, with its day, customer and status below. */
function Note({
  of: { debit_note_id: id, debit_note_number: number, date, customer_name, status },
}: {
  readonly of: Row;
}) {
  return (
    <>
      <LinkTo label={number} to={`/invoices/${id}`} style={{ whiteSpace: "nowrap" }} />
      <Box hiddenFrom="sm">
        <Line dimmed>{`${day(date)} · ${customer_name}`}</Line>
      </Box>
      <Group hiddenFrom="sm">
        <StatusBadge status={status} />
      </Group>
    </>
  );
}

/** Debit notes. */
export function Page() {
  const list = useList({ path: "/debit-notes", rowsIn: "debit_notes", filters: FILTERS });
  return (
    <DataPage
      title={titles.debitNotes}
      hint={words.hint}
      list={list}
      columns={COLUMNS}
      rowKey="debit_note_id"
      search={{ filter: "search", placeholder: words.search }}
      tabs={<FilterTabs label={billingLists.status} list={list} filter="status" choices={TABS} />}
      filterFields={
        <MoreFilters list={list} names={[...DATE_FILTERS, ...AMOUNT_FILTERS]}>
          <DateRange list={list} />
          <AmountRange list={list} />
        </MoreFilters>
      }
      summary={list.answer && <SearchedTo {...list.answer} />}
      empty={{ title: words.empty, hint: words.emptyHint }}
    />
  );
}

/** How far a search came. */
function SearchedTo({ searched_to: searchedTo, is_cut: isCut }: Answer<"GET", "/debit-notes">) {
  if (searchedTo === null && !isCut) return null;
  return (
    <Stack px="md" pb="md" gap="sm">
      {searchedTo !== null && <Text size="sm">{lists.searchedTo(day(searchedTo))}</Text>}
      {isCut && <Notice>{invoices.cut}</Notice>}
    </Stack>
  );
}
