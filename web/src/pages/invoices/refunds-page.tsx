// All refunds: the payouts of what credit notes owe, found, filtered, added up, exported.
import { isPayoutUnderWay } from "../../api/ask-again.ts";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { useList } from "../../lists/use-list.ts";
import { billingLists, refunds as words } from "../../strings/billing-lists.ts";
import { BILLING_FILTERS, BillingFilters, BillingSummary, BillingTabs } from "./billing-list.tsx";
import { titles } from "../../strings/titles.ts";

type Row = Answer<"GET", "/refunds">["refunds"][number];

/** `maySeePayouts`: whether a refund leads to its payout. */
function columnsOf(maySeePayouts: boolean): readonly Column<Row>[] {
  return [
    {
      key: "added_at",
      title: billingLists.date,
      sortable: true,
      as: "moment",
      ...(maySeePayouts ? { to: ({ transfer_id }: Row) => `/transfers/${transfer_id}` } : {}),
    },
    { key: "credit_note_number", title: words.note, hideBelow: "md" },
    {
      key: "invoice_number",
      title: billingLists.invoice,
      hideBelow: "sm",
      to: ({ invoice_id }) => `/invoices/${invoice_id}`,
    },
    { key: "customer_name", title: billingLists.customer, hideBelow: "sm" },
    { key: "utr", title: words.utr, hideBelow: "lg" },
    { key: "amount", title: billingLists.amount, as: "amount" },
    { key: "status", title: billingLists.status, as: "status" },
  ];
}

/** Refunds. */
export function Page() {
  const may = usePermissions();
  const list = useList({ path: "/refunds", rowsIn: "refunds", filters: BILLING_FILTERS, isUnderWay: isPayoutUnderWay });
  return (
    <DataPage
      title={titles.refunds}
      hint={words.hint}
      list={list}
      columns={columnsOf(may("payouts.view"))}
      rowKey="transfer_id"
      search={{ filter: "search", placeholder: words.search }}
      tabs={<BillingTabs list={list} label={billingLists.status} kinds={words.kinds} />}
      filterFields={<BillingFilters list={list} />}
      hasFile
      summary={<BillingSummary path="/refunds" label={titles.refunds} list={list} sums={words.sums} />}
      empty={{ title: words.empty, hint: words.emptyHint }}
    />
  );
}
