// All debit notes: found, filtered, had as PDFs, and cancelled while nothing is paid on them.
import { Box, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Line } from "../../components/line.tsx";
import { Notice } from "../../components/notices.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { AmountInWords, FormDialog } from "../../forms/dialogs.tsx";
import { AMOUNT_FILTERS, AmountRange, DATE_FILTERS, DateRange, MoreFilters } from "../../lists/filters.tsx";
import { useList } from "../../lists/use-list.ts";
import { billingLists, debitNotes as words } from "../../strings/billing-lists.ts";
import { invoice, invoices } from "../../strings/invoices.ts";
import { lists } from "../../strings/lists.ts";
import { statusChoices } from "../../strings/statuses.ts";
import { cancellingDebitNote, CHANGES } from "./dialogs.tsx";

type Row = Answer<"GET", "/debit-notes">["debit_notes"][number];

const STATUSES = ["Unpaid", "Partially paid", "Overdue", "Paid offline", "Paid online", "Cancelled", "Carried forward"];
const FILTERS = ["search", "status", ...DATE_FILTERS, ...AMOUNT_FILTERS];

const COLUMNS: readonly Column<Row>[] = [
  { key: "date", title: billingLists.date, as: "day", hideBelow: "sm" },
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
  {
    key: "status",
    title: billingLists.status,
    hideBelow: "sm",
    render: ({ status }) => <StatusBadge status={status} />,
  },
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
  const [cancelled, setCancelled] = useState<Row | null>(null);
  const list = useList({ path: "/debit-notes", rowsIn: "debit_notes", filters: FILTERS });
  const actions: Column<Row> = {
    key: "actions",
    title: lists.actions,
    align: "right",
    render: (note) => <NoteActions of={note} onCancel={() => setCancelled(note)} />,
  };
  return (
    <DataPage
      title={words.title}
      hint={words.hint}
      list={list}
      columns={[...COLUMNS, actions]}
      rowKey="debit_note_id"
      search={{ filter: "search", placeholder: words.search }}
      filterFields={
        <>
          <NativeSelect
            {...list.filter("status", billingLists.status)}
            data={statusChoices(billingLists.all, STATUSES)}
          />
          <MoreFilters list={list} names={[...DATE_FILTERS, ...AMOUNT_FILTERS]}>
            <DateRange list={list} />
            <AmountRange list={list} />
          </MoreFilters>
        </>
      }
      summary={list.answer && <SearchedTo {...list.answer} />}
      empty={{ title: words.empty, hint: words.emptyHint }}
    >
      {cancelled && <CancelDialog of={cancelled} onClose={() => setCancelled(null)} />}
    </DataPage>
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

function NoteActions({ of: note, onCancel }: { readonly of: Row; readonly onCancel: () => void }) {
  const may = usePermissions();
  const { debit_note_number: number, paid_amount: paid, status } = note;
  const isOpen = (status === "Unpaid" || status === "Overdue") && toPaise(paid) === 0n;
  return (
    <Group gap="xs" justify="flex-end">
      <Action label={invoice.notePdf} size="xs" href={note.pdf_url} newTab aria-label={words.pdfOf(number)} />
      {isOpen && may("invoices.cancel") && (
        <Action label={invoice.cancelNote} size="xs" onClick={onCancel} aria-label={words.cancelOf(number)} />
      )}
    </Group>
  );
}

/** Asks, and cancels a debit note on which nothing is paid. */
function CancelDialog({ of: note, onClose }: { readonly of: Row; readonly onClose: () => void }) {
  const said = cancellingDebitNote(note.debit_note_number);
  return (
    <FormDialog
      title={said.title}
      label={said.submit}
      cancelLabel={said.keep}
      danger
      intro={<AmountInWords amount={note.amount} />}
      hint={said.hint}
      initialValues={{}}
      submit={() => api("POST", `/debit-notes/${note.debit_note_id}/cancel`)}
      changes={CHANGES}
      done={said.done}
      onClose={onClose}
    />
  );
}
