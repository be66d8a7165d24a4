// The list of customers, with search and groups.
import { NativeSelect, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { FirstLoad } from "../../components/page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { MoreMenu, offered } from "../../components/more-menu.tsx";
import { Money } from "../../components/values.tsx";
import { FilterTabs } from "../../components/view-tabs.tsx";
import { indianAmount, toPaise } from "../../format/money.ts";
import { useList, type List } from "../../lists/use-list.ts";
import { customers as words } from "../../strings/customers.ts";
import { openingBalance } from "../../strings/opening-balances.ts";
import { parts } from "../../strings/shell.ts";
import { CustomerMenu } from "./customer-actions.tsx";
import { titles } from "../../strings/titles.ts";

type Customer = Answer<"GET", "/customers">["customers"][number];

const COLUMNS: readonly Column<Customer>[] = [
  { key: "customer_name", title: words.fields.customer_name, to: ({ customer_id }) => `/customers/${customer_id}` },
  { key: "customer_code", title: words.fields.customer_code, sortable: true, isBelowFirst: true },
  { key: "due_amount", title: words.dueRupees, align: "right", render: Due },
  { key: "overdue_amount", title: words.overdueRupees, hideBelow: "md", align: "right", render: overdueOf },
  {
    key: "advance_amount",
    title: words.advanceRupees,
    hideBelow: "md",
    align: "right",
    render: ({ advance_amount: advance }) =>
      advance !== null && !isNothing(advance) && <Money amount={advance} plain />,
  },
  { key: "mobile", title: words.fields.mobile, hideBelow: "sm" },
  { key: "groups", title: words.ofGroups, hideBelow: "lg", render: ({ groups }) => groups.join(", ") },
  { key: "created_at", title: words.added, sortable: true, hideBelow: "lg", as: "day" },
  menuColumn((row) => <CustomerMenu of={row} />),
];

/** A customer's balance; empty if nothing is due. Where there is no room for a column, the overdue part is below it. */
function Due({ due_amount: due, overdue_amount: overdue }: Customer) {
  if (due === null || overdue === null || isNothing(due)) return null;
  return (
    <>
      <Money amount={due} plain />
      {!isNothing(overdue) && (
        <Text size="xs" c="var(--nodal-danger)" style={{ whiteSpace: "nowrap" }} hiddenFrom="md">
          {words.ofThatOverdue(indianAmount(overdue))}
        </Text>
      )}
    </>
  );
}

function overdueOf({ overdue_amount: overdue }: Customer) {
  if (overdue === null || isNothing(overdue)) return null;
  return (
    <Text span inherit c="var(--nodal-danger)">
      <Money amount={overdue} plain />
    </Text>
  );
}

const isNothing = (amount: string): boolean => toPaise(amount) === 0n;

/** Customers. */
export function Page() {
  const may = usePermissions();
  const { kind } = useSession();
  const list = useList({ path: "/customers", rowsIn: "customers", filters: ["search", "group", "dues"] });
  const mayManage = may("customers.manage");
  const addButton = <Action label={words.add} primary to="/customers/new" />;
  return (
    <DataPage
      title={titles.customers}
      list={list}
      columns={COLUMNS}
      rowKey="customer_id"
      search={{ filter: "search", placeholder: words.search }}
      tabs={may("invoices.view") && <DuesTabs list={list} hasAdvances={kind !== "franchise"} />}
      filterFields={<Filters list={list} hasGroups={kind !== "franchise"} />}
      hasFile
      empty={{ title: words.empty, hint: words.emptyHint, ...(mayManage ? { action: addButton } : {}) }}
      actions={
        <>
          <MoreMenu
            title={titles.customers}
            entries={offered([
              [kind !== "franchise", { label: words.groups, to: "/customers/groups" }],
              [kind !== "franchise", { label: words.columns, to: "/customers/columns" }],
              [may("invoices.manage"), { label: openingBalance.name, to: "/customers/opening-balances" }],
            ])}
          />
          {mayManage && <Action label={words.importFile} to="/customers/import" />}
          {mayManage && addButton}
        </>
      }
    />
  );
}

type TabProps = { readonly list: List<Customer>; readonly hasAdvances: boolean };

/** Customers by what they owe, or have paid in advance. */
function DuesTabs({ list, hasAdvances }: TabProps) {
  const { label, owing, overdue, advance } = words.duesTabs;
  const choices = Object.entries({ "": parts.all, owing, overdue, ...(hasAdvances ? { advance } : {}) });
  return (
    <FilterTabs
      label={label}
      list={list}
      filter="dues"
      choices={choices.map(([value, name]) => ({ value, label: name }))}
    />
  );
}

function Filters({ list, hasGroups }: { readonly list: List<Customer>; readonly hasGroups: boolean }) {
  const { data, isLoading } = useGet("/customer-groups", { enabled: hasGroups });
  if (isLoading) return <FirstLoad />;
  const groups = data?.groups ?? [];
  return (
    groups.length > 0 && (
      <NativeSelect
        {...list.filter("group", words.group)}
        data={[{ value: "", label: words.anyGroup }, ...groups.map(({ name }) => ({ value: name, label: name }))]}
      />
    )
  );
}
