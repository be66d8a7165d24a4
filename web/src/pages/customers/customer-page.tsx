// One customer: what it owes, and in tabs its invoices, receipts, statement and messages. The address keeps the tab.
import { useDisclosure } from "@mantine/hooks";
import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLoaded } from "../../api/queries.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { MenuButton } from "../../components/actions.tsx";
import { RecordPage } from "../../components/record-page.tsx";
import { Money } from "../../components/values.tsx";
import { ViewTabs } from "../../components/view-tabs.tsx";
import { OpeningBalanceDialog } from "../../forms/opening-balance-dialog.tsx";
import { customers as words } from "../../strings/customers.ts";
import { record } from "../../strings/records.ts";
import { type CustomerDetail, useCustomerActions } from "./customer-actions.tsx";
import { CustomerInvoices, CustomerMessages, CustomerReceipts } from "./list-tabs.tsx";
import { Overview } from "./overview-tab.tsx";
import { CustomerStatement } from "./statement-tab.tsx";

type TabName = keyof typeof words.tabs;

const TABS: Readonly<Record<TabName, (detail: CustomerDetail) => ReactNode>> = {
  overview: (detail) => <Overview {...detail} />,
  invoices: ({ customer }) => <CustomerInvoices customerCode={customer.customer_code} />,
  receipts: ({ customer }) => <CustomerReceipts customerId={customer.customer_id} />,
  statement: ({ customer }) => <CustomerStatement customerId={customer.customer_id} />,
  messages: ({ customer }) => <CustomerMessages customerId={customer.customer_id} />,
};

/** A customer. */
export function Page() {
  const { customerId = "" }: { customerId?: string } = useParams({ strict: false });
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const detail = useLoaded(`/customers/${customerId}`);
  const { customer, account } = detail;
  const names = useTabNames();
  const current = names.find((name) => name === search["tab"]) ?? "overview";
  const [isAdding, adding] = useDisclosure(false);
  const { common, more } = useCustomerActions(detail, adding.open);
  return (
    <RecordPage
      title={customer.customer_name}
      hint={customer.customer_code}
      figure={{ label: words.due, value: <Money amount={account.due} /> }}
      actions={common.map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={entry.label === words.newInvoice} />
      ))}
      more={more}
    >
      <ViewTabs
        label={record.sections}
        tabs={names.map((name) => ({
          label: words.tabs[name],
          to: `/customers/${customerId}`,
          search: searchOf(name),
          isCurrent: name === current,
          count: null,
        }))}
      />
      {TABS[current](detail)}
      {isAdding && <OpeningBalanceDialog of={{ customer_code: customer.customer_code }} onClose={adding.close} />}
    </RecordPage>
  );
}

const searchOf = (tab: TabName): Readonly<Record<string, string>> => (tab === "overview" ? {} : { tab });

/** The tabs that the person may see. Franchises see the invoices of their own customers, and no receipts of the merchant. */
function useTabNames(): readonly TabName[] {
  const may = usePermissions();
  const isStaff = useSession().kind !== "franchise";
  const seesInvoices = may("invoices.view");
  return [
    "overview",
    ...(seesInvoices ? (["invoices"] as const) : []),
    ...(seesInvoices && isStaff ? (["receipts"] as const) : []),
    ...(seesInvoices ? (["statement"] as const) : []),
    ...(may("notifications.view") && isStaff ? (["messages"] as const) : []),
  ];
}
