// One customer: contact, what it owes, its last invoices and payments.
// What belongs here: the arrangement.
import { Anchor, Button, SimpleGrid, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { usePermissions } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Facts } from "../../components/facts.tsx";
import { HistoryLink } from "../../components/history-link.tsx";
import { Money } from "../../components/money.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { hasWrongCheckDigit } from "../../format/check-digits.ts";
import { day, moment } from "../../format/time.ts";
import { searchOf } from "../../lists/search-of.ts";
import { customers as words } from "../../strings/customers.ts";
import { columnsQuery, customerQuery, type Customer, type CustomerDetail } from "./customer.ts";

type Invoice = CustomerDetail["invoices"][number];
type Payment = CustomerDetail["payments"][number];

const invoiceLink = (id: string, number: string) => (
  <Anchor component={Link} to={`/invoices/${id}`}>
    {number}
  </Anchor>
);

const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
  {
    key: "number",
    title: words.number,
    render: ({ invoice_id, invoice_number }) => invoiceLink(invoice_id, invoice_number),
  },
  { key: "bill_date", title: words.billDate, hideBelow: "sm", render: ({ bill_date }) => day(bill_date) },
  { key: "due_date", title: words.dueDate, hideBelow: "sm", render: ({ due_date }) => day(due_date) },
  { key: "status", title: words.status, render: ({ status }) => <StatusBadge status={status} /> },
  {
    key: "amount",
    title: words.amount,
    align: "right",
    hideBelow: "sm",
    render: ({ amount }) => <Money amount={amount} />,
  },
  { key: "due", title: words.due, align: "right", render: ({ due_amount }) => <Money amount={due_amount} /> },
];

const PAYMENT_COLUMNS: readonly Column<Payment>[] = [
  {
    key: "number",
    title: words.number,
    render: ({ invoice_id, invoice_number }) => invoiceLink(invoice_id, invoice_number),
  },
  { key: "paid", title: words.paidOn, render: ({ paid_date }) => day(paid_date) },
  { key: "mode", title: words.mode, hideBelow: "sm", render: ({ mode }) => mode },
  {
    key: "status",
    title: words.status,
    hideBelow: "sm",
    render: ({ reversed }) =>
      reversed ? (
        <StatusBadge status={words.reversed} tone="warning" />
      ) : (
        <StatusBadge status={words.standing} tone="success" />
      ),
  },
  { key: "amount", title: words.amount, align: "right", render: ({ amount }) => <Money amount={amount} /> },
];

/** A customer. */
export function Page() {
  const { customerId = "" }: { customerId?: string } = useParams({ strict: false });
  const may = usePermissions();
  const { customer, account, invoices, payments } = useSuspenseQuery(customerQuery(customerId)).data;
  return (
    <Outline title={customer.customer_name} hint={customer.customer_code} actions={<Actions customer={customer} />}>
      <Account account={account} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Contact customer={customer} />
        <OwnColumns customer={customer} />
      </SimpleGrid>
      {may("invoices.view") && (
        <>
          <Panel
            title={words.invoices}
            flush
            actions={
              <Anchor component={Link} to={`/invoices?customer=${encodeURIComponent(customer.customer_code)}`}>
                {words.allInvoices}
              </Anchor>
            }
          >
            <Rows
              caption={words.invoices}
              columns={INVOICE_COLUMNS}
              rows={invoices}
              rowKey={(row) => row.invoice_id}
              none={words.noInvoices}
            />
          </Panel>
          <Panel title={words.payments} flush>
            <Rows
              caption={words.payments}
              columns={PAYMENT_COLUMNS}
              rows={payments}
              rowKey={(row) => row.settlement_id}
              none={words.noPayments}
            />
          </Panel>
        </>
      )}
    </Outline>
  );
}

function Actions({ customer }: { readonly customer: Customer }) {
  const may = usePermissions();
  const { customer_id: id, customer_code: code } = customer;
  return (
    <>
      <HistoryLink subjectId={id} />
      {may("subscriptions.view") && (
        <Button variant="default" component={Link} to="/subscriptions" search={searchOf({ customer: code })}>
          {words.subscriptions}
        </Button>
      )}
      {may("subscriptions.manage") && (
        <Button variant="default" component={Link} to="/subscriptions/new" search={searchOf({ customer: id })}>
          {words.newSubscription}
        </Button>
      )}
      {may("invoices.manage") && (
        <Button variant="default" component={Link} to="/invoices/new" search={searchOf({ customer: id })}>
          {words.newInvoice}
        </Button>
      )}
      {may("customers.manage") && (
        <Button variant="default" component={Link} to={`/customers/${id}/edit`}>
          {words.edit}
        </Button>
      )}
    </>
  );
}

function Account({ account }: Pick<CustomerDetail, "account">) {
  return (
    <Panel title={words.account}>
      <Facts
        facts={[
          { label: words.due, value: <Money amount={account.due} /> },
          { label: words.overdue, value: <Money amount={account.overdue} /> },
          { label: words.billed, value: <Money amount={account.billed} /> },
          { label: words.invoiceCount, value: account.invoices.toLocaleString("en-IN") },
        ]}
      />
    </Panel>
  );
}

function Contact({ customer }: { readonly customer: Customer }) {
  const place = [customer.address, customer.city, customer.state, customer.zipcode].filter((part) => part !== "");
  return (
    <Panel title={words.contact}>
      <Facts
        facts={[
          { label: words.email, value: customer.email },
          { label: words.mobile, value: customer.mobile },
          { label: words.address, value: place.join(", ") },
          { label: words.ofGroups, value: customer.groups.join(", ") },
          { label: words.added, value: moment(customer.created_at) },
          { label: words.changed, value: moment(customer.updated_at) },
        ]}
      />
    </Panel>
  );
}

function OwnColumns({ customer }: { readonly customer: Customer }) {
  const { columns } = useSuspenseQuery(columnsQuery).data;
  const known = new Set(columns.map(({ column_id }) => column_id));
  const own = columns.map(({ column_id, name, type }) => {
    return { id: column_id, name, type, value: customer.custom_fields.find(({ id }) => id === column_id)?.value ?? "" };
  });
  const fields = [...own, ...customer.custom_fields.filter(({ id }) => !known.has(id))];
  if (fields.length === 0) return null;
  const isDoubtful = fields.some(({ type, value }) => type === "gst" && hasWrongCheckDigit(value));
  return (
    <Panel title={words.custom}>
      <Facts
        facts={fields.map(({ id, name, type, value }) => {
          return { label: name || id, value: type === "date" ? day(value) : value };
        })}
      />
      {isDoubtful && (
        <Text size="sm" mt="sm">
          {words.gstinWarning}
        </Text>
      )}
    </Panel>
  );
}

type RowsProps<Row> = {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly none: string;
};

function Rows<Row>({ none, ...table }: RowsProps<Row>) {
  if (table.rows.length > 0) return <DataTable {...table} />;
  return (
    <Text c="dimmed" p="md" pt={0}>
      {none}
    </Text>
  );
}
