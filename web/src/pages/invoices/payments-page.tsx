// All payments of invoices: found, filtered, added up, exported.
import type { Answer } from "../../api/contract.ts";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Line } from "../../components/line.tsx";
import { useList } from "../../lists/use-list.ts";
import { modeName } from "../../forms/payment-mode.tsx";
import { billingLists, payments as words } from "../../strings/billing-lists.ts";
import { BILLING_FILTERS, BillingFilters, BillingSummary, BillingTabs } from "./billing-list.tsx";
import { titles } from "../../strings/titles.ts";

type Row = Answer<"GET", "/payments">["payments"][number];

const COLUMNS: readonly Column<Row>[] = [
  { key: "paid_date", title: billingLists.date, sortable: true, as: "day" },
  {
    key: "invoice_number",
    title: billingLists.invoice,
    isBelowFirst: true,
    as: "number",
    to: ({ invoice_id }) => `/invoices/${invoice_id}`,
  },
  { key: "customer_name", title: billingLists.customer, isBelowFirst: true },
  { key: "mode", title: words.mode, hideBelow: "md", render: ({ mode }) => modeName(mode) },
  {
    key: "reference",
    title: words.reference,
    hideBelow: "md",
    render: ({ reference, bank_name }) => (
      <>
        <Line>{reference}</Line>
        <Line dimmed>{bank_name}</Line>
      </>
    ),
  },
  { key: "amount", title: billingLists.amount, as: "amount" },
  { key: "status", title: billingLists.status, hideBelow: "sm", as: "status" },
];

/** Payments. */
export function Page() {
  const list = useList({ path: "/payments", rowsIn: "payments", filters: BILLING_FILTERS });
  return (
    <DataPage
      title={titles.payments}
      hint={words.hint}
      list={list}
      columns={COLUMNS}
      rowKey="settlement_id"
      search={{ filter: "search", placeholder: words.search }}
      tabs={<BillingTabs list={list} label={billingLists.status} kinds={words.kinds} />}
      filterFields={<BillingFilters list={list} modes={{ label: words.mode, of: words.modes }} />}
      hasFile
      summary={<BillingSummary path="/payments" label={titles.payments} list={list} sums={words.sums} />}
      empty={{ title: words.empty, hint: words.emptyHint }}
    />
  );
}
