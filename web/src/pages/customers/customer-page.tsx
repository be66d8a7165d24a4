// One customer: contact, what it owes, its last invoices and payments.
import { SimpleGrid } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useParams } from "@tanstack/react-router";
import { CUSTOMER_MEMBERS } from "../../../../src/customers/customer-members.ts";
import { panOfGstin } from "../../../../src/platform/gst.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet, useLoaded } from "../../api/queries.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { Action, HistoryLink, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { recordFacts } from "../../components/record-facts.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Facts, Gstin, Money, StatusBadge } from "../../components/values.tsx";
import { day, moment } from "../../format/time.ts";
import { OpeningBalanceDialog } from "../../forms/opening-balance-dialog.tsx";
import { customers as words, gstinAndState } from "../../strings/customers.ts";
import { openingBalance } from "../../strings/opening-balances.ts";
import { receipts } from "../../strings/receipts.ts";
import { reports } from "../../strings/reports.ts";

/** The code and the name are the page's title, and the PAN is shown beside the GSTIN. */
const ELSEWHERE: readonly string[] = ["customer_code", "customer_name", "pan"];
const CONTACT_MEMBERS = CUSTOMER_MEMBERS.filter(({ name }) => !ELSEWHERE.includes(name));

type CustomerDetail = Answer<"GET", "/customers/:customer_id">;
type Customer = CustomerDetail["customer"];
type Invoice = CustomerDetail["invoices"][number];
type Payment = CustomerDetail["payments"][number];

const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
  {
    key: "invoice_number",
    title: words.number,
    to: ({ invoice_id }) => `/invoices/${invoice_id}`,
    render: ({ invoice_number, is_opening_balance }) => (is_opening_balance ? openingBalance.name : invoice_number),
  },
  { key: "bill_date", title: words.billDate, hideBelow: "sm", as: "day" },
  { key: "due_date", title: words.dueDate, hideBelow: "sm", as: "day" },
  { key: "status", title: words.status, as: "status" },
  { key: "amount", title: words.amount, hideBelow: "sm", as: "money" },
  { key: "due_amount", title: words.due, as: "money" },
];

const PAYMENT_COLUMNS: readonly Column<Payment>[] = [
  { key: "invoice_number", title: words.number, to: ({ invoice_id }) => `/invoices/${invoice_id}` },
  { key: "paid_date", title: words.paidOn, as: "day" },
  { key: "mode", title: words.mode, hideBelow: "sm" },
  {
    key: "status",
    title: words.status,
    hideBelow: "sm",
    render: ({ reversed }) => (
      <StatusBadge status={reversed ? words.reversed : words.standing} tone={reversed ? "warning" : "success"} />
    ),
  },
  { key: "amount", title: words.amount, as: "money" },
];

/** A customer. */
export function Page() {
  const { customerId = "" }: { customerId?: string } = useParams({ strict: false });
  const may = usePermissions();
  const { customer, account, invoices, payments, gstin_field_id: gstinFieldId } = useLoaded(`/customers/${customerId}`);
  return (
    <Outline
      title={customer.customer_name}
      hint={customer.customer_code}
      actions={<Actions customer={customer} account={account} />}
    >
      <Account account={account} customerId={customerId} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Contact customer={customer} />
        <OwnColumns customer={customer} gstinFieldId={gstinFieldId} />
      </SimpleGrid>
      {may("invoices.view") && (
        <>
          <TablePanel
            title={words.invoices}
            actions={
              <LinkTo
                label={words.allInvoices}
                to={`/invoices?customer=${encodeURIComponent(customer.customer_code)}`}
              />
            }
            columns={INVOICE_COLUMNS}
            rows={invoices}
            rowKey="invoice_id"
            empty={words.noInvoices}
          />
          <TablePanel
            title={words.payments}
            columns={PAYMENT_COLUMNS}
            rows={payments}
            rowKey="settlement_id"
            empty={words.noPayments}
          />
        </>
      )}
    </Outline>
  );
}

function Actions({ customer, account }: Pick<CustomerDetail, "customer" | "account">) {
  const may = usePermissions();
  const { kind } = useSession();
  const { customer_id: id, customer_code: code } = customer;
  return (
    <>
      <HistoryLink subjectId={id} />
      {may("invoices.view") && kind !== "franchise" && (
        <Action label={reports.statement.title} to={`/customers/${id}/statement`} />
      )}
      {may("subscriptions.view") && (
        <Action label={words.subscriptions} to="/subscriptions" search={{ customer: code }} />
      )}
      {may("subscriptions.manage") && (
        <Action label={words.newSubscription} to="/subscriptions/new" search={{ customer: id }} />
      )}
      {may("invoices.manage") && !account.has_opening_balance && <AddOpeningBalance customerCode={code} />}
      {may("invoices.settle") && kind !== "franchise" && (
        <Action label={receipts.create} to="/receipts/new" search={{ customer: id }} />
      )}
      {may("invoices.manage") && <Action label={words.newInvoice} to="/invoices/new" search={{ customer: id }} />}
      {may("customers.manage") && <Action label={words.edit} to={`/customers/${id}/edit`} />}
    </>
  );
}

/** Adds an opening balance, which is among the customer's invoices then. */
function AddOpeningBalance({ customerCode }: { readonly customerCode: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Action label={openingBalance.add} onClick={open} />
      {isOpen && <OpeningBalanceDialog of={{ customer_code: customerCode }} onClose={close} />}
    </>
  );
}

type AccountProps = Pick<CustomerDetail, "account"> & { readonly customerId: string };

function Account({ account, customerId }: AccountProps) {
  const may = usePermissions();
  const { kind } = useSession();
  const enabled = may("invoices.view") && kind !== "franchise";
  const { data } = useGet(`/session/customers/${customerId}/dues`, { enabled });
  const receiptsPath = `/receipts?customer_id=${customerId}&has_advance=1`;
  const advance = data && {
    label: receipts.advance,
    value: <LinkTo label={<Money amount={data.advance_amount} />} to={receiptsPath} />,
  };
  return (
    <Panel title={words.account}>
      <Facts
        facts={[
          { label: words.due, value: <Money amount={account.due} /> },
          { label: words.overdue, value: <Money amount={account.overdue} /> },
          { label: words.billed, value: <Money amount={account.billed} /> },
          ...(advance ? [advance] : []),
          { label: words.invoiceCount, value: account.invoices.toLocaleString("en-IN") },
        ]}
      />
    </Panel>
  );
}

/** The PAN in a customer's GSTIN, and that it is from there; "" where it has none. */
function panInGstin(gstin: string): string {
  const pan = panOfGstin(gstin);
  return pan === null ? "" : words.panOfGstin(pan);
}

function Contact({ customer }: { readonly customer: Customer }) {
  return (
    <Panel title={words.contact}>
      <Facts
        facts={[
          ...recordFacts(CONTACT_MEMBERS, words.fields, customer),
          { label: gstinAndState.gstin, value: <Gstin gstin={customer.gstin} /> },
          { label: words.fields.pan, value: customer.pan || panInGstin(customer.gstin) },
          { label: words.ofGroups, value: customer.groups.join(", ") },
          { label: words.added, value: moment(customer.created_at) },
          { label: words.changed, value: moment(customer.updated_at) },
        ]}
      />
    </Panel>
  );
}

type OwnProps = { readonly customer: Customer; readonly gstinFieldId: string };

/** The custom fields, but for the GSTIN, which is said among the usual ones. */
function OwnColumns({ customer, gstinFieldId }: OwnProps) {
  const { columns } = useLoaded("/customer-columns");
  const known = new Set(columns.map(({ column_id }) => column_id));
  const own = columns.map(({ column_id, name, type }) => {
    return { id: column_id, name, type, value: customer.custom_fields.find(({ id }) => id === column_id)?.value ?? "" };
  });
  const all = [...own, ...customer.custom_fields.filter(({ id }) => !known.has(id))];
  const fields = all.filter(({ id }) => id !== gstinFieldId);
  if (fields.length === 0) return null;
  return (
    <Panel title={words.custom}>
      <Facts
        facts={fields.map(({ id, name, type, value }) => {
          return { label: name || id, value: type === "date" ? day(value) : value };
        })}
      />
    </Panel>
  );
}
