// A summary of a customer: overdue dues, advance, latest invoices and payments, and contact details.
import { Skeleton, Text } from "@mantine/core";
import { CUSTOMER_MEMBERS } from "../../../../src/customers/customer-members.ts";
import { panOfGstin } from "../../../../src/platform/gst.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { LinkTo } from "../../components/actions.tsx";
import { Panel } from "../../components/page.tsx";
import { recordFacts } from "../../components/record-facts.tsx";
import { RecordColumns } from "../../components/record-page.tsx";
import { Timeline, type TimelineEntry } from "../../components/timeline.tsx";
import { type Fact, Facts, Gstin, Money, StatusBadge } from "../../components/values.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { day, moment } from "../../format/time.ts";
import { modeName } from "../../forms/payment-mode.tsx";
import { customers as words, gstinAndState } from "../../strings/customers.ts";
import { openingBalance } from "../../strings/opening-balances.ts";
import { receipts } from "../../strings/receipts.ts";

/** The code and the name are in the page's bar, and the PAN is shown beside the GSTIN. */
const ELSEWHERE: readonly string[] = ["customer_code", "customer_name", "pan"];
const CONTACT_MEMBERS = CUSTOMER_MEMBERS.filter(({ name }) => !ELSEWHERE.includes(name));
/** The number of invoices and payments in the list of latest ones. */
const SHOWN = 10;
/** A link in a line of text: the number in it doesn't break. */
const WHOLE = { inherit: true, underline: "always", style: { whiteSpace: "nowrap" } } as const;

type Detail = Answer<"GET", "/customers/:customer_id">;
type Props<Name extends keyof Detail> = Pick<Detail, Name>;

/** The first tab. */
export function Overview({ customer, account, invoices, payments, gstin_field_id }: Detail) {
  const may = usePermissions();
  return (
    <RecordColumns
      aside={
        <>
          <Contact customer={customer} />
          <OwnColumns customer={customer} gstin_field_id={gstin_field_id} />
        </>
      }
    >
      <Account account={account} customer={customer} />
      {may("invoices.view") && <Activity invoices={invoices} payments={payments} />}
    </RecordColumns>
  );
}

function Account({ account, customer }: Props<"account" | "customer">) {
  return (
    <Panel title={words.account}>
      <Facts
        facts={[
          { label: words.overdue, value: <Money amount={account.overdue} /> },
          ...useAdvance(customer.customer_id),
          { label: words.billed, value: <Money amount={account.billed} /> },
          { label: words.invoiceCount, value: account.invoices.toLocaleString("en-IN") },
        ]}
      />
    </Panel>
  );
}

/** The unused rest of the customer's receipts, with a placeholder while it loads. */
function useAdvance(customerId: string): Fact[] {
  const may = usePermissions();
  const { kind } = useSession();
  const enabled = may("invoices.view") && kind !== "franchise";
  const { data, error } = useGet(`/session/customers/${customerId}/dues`, { enabled });
  if (!enabled) return [];
  if (!data) return [{ label: receipts.advance, value: error ? "" : <Skeleton height="1lh" width="5rem" /> }];
  const search = { tab: "receipts", kind: "with_advance" };
  const amount = <Money amount={data.advance_amount} />;
  const isNothing = toPaise(data.advance_amount) === 0n;
  const link = <LinkTo label={amount} to={`/customers/${customerId}`} search={search} />;
  return [{ label: receipts.advance, value: isNothing ? amount : link }];
}

/** The last invoices and payments, in one list. */
function Activity({ invoices, payments }: Props<"invoices" | "payments">) {
  const entries = [...payments.map(paymentEntry), ...invoices.map(invoiceEntry)];
  const last = entries.toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, SHOWN);
  return (
    <Panel title={words.activity}>
      {last.length === 0 && <Text c="dimmed">{words.noInvoices}</Text>}
      {last.length > 0 && <Timeline label={words.activity} entries={last} />}
    </Panel>
  );
}

function invoiceEntry(invoice: Detail["invoices"][number]): TimelineEntry {
  const { invoice_id: id, invoice_number: number, amount, status, bill_date: at, is_opening_balance } = invoice;
  const name = is_opening_balance ? openingBalance.name : words.invoiceNamed(number);
  return {
    key: id,
    what: (
      <>
        <LinkTo label={name} to={`/invoices/${id}`} {...WHOLE} /> · {rupees(amount)} <StatusBadge status={status} />
      </>
    ),
    at,
  };
}

function paymentEntry(payment: Detail["payments"][number]): TimelineEntry {
  const { settlement_id: id, invoice_id, invoice_number: number, amount, reversed, paid_date: at, mode } = payment;
  return {
    key: `payment-${id}`,
    what: (
      <>
        {reversed ? words.paymentReversed : words.paymentReceived} · {rupees(amount)} ·{" "}
        <LinkTo label={number} to={`/invoices/${invoice_id}`} {...WHOLE} />
      </>
    ),
    at,
    who: modeName(mode),
    tone: reversed ? "danger" : "success",
  };
}

/** The PAN in a customer's GSTIN, and that it is from there; "" where it has none. */
function panInGstin(gstin: string): string {
  const pan = panOfGstin(gstin);
  return pan === null ? "" : words.panOfGstin(pan);
}

function Contact({ customer }: Props<"customer">) {
  return (
    <Panel title={words.contact}>
      <Facts
        inRows
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

/**
 * The custom fields except for the GSTIN, which is among the usual ones. Their names load later than the page: nothing is below this panel that it
 * could push down.
 */
function OwnColumns({ customer, gstin_field_id: gstinFieldId }: Props<"customer" | "gstin_field_id">) {
  const { data } = useGet("/customer-columns");
  if (!data) return null;
  const known = new Set(data.columns.map(({ column_id }) => column_id));
  const own = data.columns.map(({ column_id, name, type }) => {
    return { id: column_id, name, type, value: customer.custom_fields.find(({ id }) => id === column_id)?.value ?? "" };
  });
  const all = [...own, ...customer.custom_fields.filter(({ id }) => !known.has(id))];
  const fields = all.filter(({ id }) => id !== gstinFieldId);
  if (fields.length === 0) return null;
  return (
    <Panel title={words.custom}>
      <Facts
        inRows
        facts={fields.map(({ id, name, type, value }) => {
          return { label: name || id, value: type === "date" ? day(value) : value };
        })}
      />
    </Panel>
  );
}
