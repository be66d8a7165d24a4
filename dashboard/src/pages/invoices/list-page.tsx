// All invoices: found, filtered, added up, exported.
// What belongs here: the list. Its filters are list-filters.tsx, its totals list-totals.tsx.
import { Alert, Anchor, Box, Button, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePermissions } from "../../api/session.ts";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Money } from "../../components/money.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { day } from "../../format/time.ts";
import { useList, type List } from "../../lists/use-list.ts";
import { invoices } from "../../strings/invoices.ts";
import { ListFilters } from "./list-filters.tsx";
import { ListTotals } from "./list-totals.tsx";

type Row = {
  readonly invoice_id: string;
  readonly invoice_number: string;
  readonly bill_date: string;
  readonly due_date: string;
  readonly customer_code: string;
  readonly customer_name: string;
  readonly amount: string;
  readonly due_amount: string;
  readonly overdue_days: number;
  readonly status: string;
};

type Extra = { readonly is_cut: boolean };

const FILTERS = ["search", "status", "date", "from", "to", "customer", "group", "franchise", "template"];

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "number",
    title: invoices.number,
    render: (row) => (
      <>
        <Anchor component={Link} to={`/invoices/${row.invoice_id}`} style={{ whiteSpace: "nowrap" }}>
          {row.invoice_number}
        </Anchor>
        <Box hiddenFrom="sm">
          <Text size="sm" c="dimmed">
            {row.customer_name}
          </Text>
          <Status of={row} />
        </Box>
      </>
    ),
  },
  { key: "customer", title: invoices.customer, hideBelow: "sm", render: ({ customer_name }) => customer_name },
  {
    key: "bill_date",
    title: invoices.billDate,
    sortable: true,
    hideBelow: "md",
    render: ({ bill_date }) => day(bill_date),
  },
  {
    key: "due_date",
    title: invoices.dueDate,
    sortable: true,
    hideBelow: "sm",
    render: ({ due_date }) => day(due_date),
  },
  {
    key: "amount",
    title: invoices.amount,
    align: "right",
    render: ({ amount }) => <Money amount={amount} plain />,
  },
  {
    key: "due",
    title: invoices.due,
    align: "right",
    hideBelow: "sm",
    render: ({ due_amount }) => <Money amount={due_amount} plain />,
  },
  {
    key: "status",
    title: invoices.status,
    hideBelow: "sm",
    render: (row) => <Status of={row} />,
  },
];

function Status({ of: { status, overdue_days } }: { readonly of: Row }) {
  return (
    <span title={overdue_days > 0 ? invoices.overdueBy(overdue_days) : undefined}>
      <StatusBadge status={status} />
    </span>
  );
}

/** Invoices. */
export function Page() {
  const may = usePermissions();
  const list = useList<Row, Extra>({ path: "/invoices", rowsIn: "invoices", filters: FILTERS });
  const create = may("invoices.manage") && (
    <Button component={Link} to="/invoices/new">
      {invoices.create}
    </Button>
  );
  return (
    <DataPage
      title={invoices.title}
      hint={invoices.hint}
      actions={
        create && (
          <>
            <Button component={Link} to="/invoices/upload" variant="default">
              {invoices.upload}
            </Button>
            {create}
          </>
        )
      }
      list={list}
      columns={COLUMNS}
      rowKey={({ invoice_id }) => invoice_id}
      search={{ filter: "search", placeholder: invoices.search }}
      filterFields={<ListFilters list={list} />}
      exportAs={{ path: "/invoices/export", fileName: "invoices.csv" }}
      summary={<Summary list={list} />}
      empty={{ title: invoices.empty, hint: invoices.emptyHint, action: create }}
    />
  );
}

function Summary({ list }: { readonly list: List<Row, Extra> }) {
  const { answer, filters } = list;
  if (!answer || (list.rows.length === 0 && !list.isFiltered)) return null;
  return (
    <Group px="md" pb="md" gap="sm">
      {filters["customer"] && <Text size="sm">{invoices.ofCustomer(filters["customer"])}</Text>}
      {answer.is_cut && <Alert color="yellow">{<Text size="sm">{invoices.cut}</Text>}</Alert>}
      <ListTotals query={list.query} />
    </Group>
  );
}
