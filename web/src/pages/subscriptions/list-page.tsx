// The subscriptions of a merchant: found, filtered, exported. All of that is in the address.
import { Alert, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { CustomerPicker } from "../../components/customer-picker.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { Line, Unbroken } from "../../components/line.tsx";
import { RecordMenu } from "../../components/record-menu.tsx";
import { Money, StatusBadge } from "../../components/values.tsx";
import { StatusTabs } from "../../components/view-tabs.tsx";
import { day } from "../../format/time.ts";
import { useList, type List } from "../../lists/use-list.ts";
import { subscriptions as words } from "../../strings/subscriptions.ts";
import { StepDialog, useSubscriptionActions } from "./subscription-actions.tsx";
import { titles } from "../../strings/titles.ts";

/** `amount` is empty where the invoice could not be made as things are. */
type Row = Answer<"GET", "/subscriptions">["subscriptions"][number];
type Extra = Answer<"GET", "/subscriptions">;

const STATES = ["Active", "Parked", "Paused", "Cancelled", "Completed"];
const FILTERS = ["search", "status", "customer"];

/** `isByDate`: whether the list may be in the order of the next invoices. */
function columnsOf(isByDate: boolean): readonly Column<Row>[] {
  return [
    {
      key: "customer",
      title: words.customer,
      render: ({ subscription_id, customer_name, customer_code, next_invoice_date: next }) => (
        <>
          <Line length={customer_name.length}>
            <LinkTo label={customer_name} to={`/subscriptions/${subscription_id}`} />
          </Line>
          <Line dimmed>{customer_code}</Line>
          <Text size="sm" c="dimmed" hiddenFrom="sm">
            {next === "" ? words.noNext : words.nextOn(day(next))}
          </Text>
        </>
      ),
    },
    {
      key: "repeats",
      title: words.repeats,
      hideBelow: "sm",
      render: ({ mode, repeat_every }) => words.every(mode, repeat_every),
    },
    {
      key: "amount",
      title: words.amount,
      align: "right",
      render: ({ amount }) =>
        amount === "" ? <Text c="dimmed">{words.amountUnknown}</Text> : <Money amount={amount} plain />,
    },
    {
      key: "next_invoice_date",
      title: words.next,
      sortable: isByDate,
      hideBelow: "sm",
      render: ({ next_invoice_date: next }) => (next === "" ? words.noNext : <Unbroken>{day(next)}</Unbroken>),
    },
    {
      key: "created",
      title: words.created,
      sortable: true,
      hideBelow: "lg",
      render: ({ created_at }) => <Unbroken>{day(created_at)}</Unbroken>,
    },
    {
      key: "status",
      title: words.status,
      isBelowFirst: true,
      // What is parked is active otherwise.
      render: ({ status, parked }) => <StatusBadge status={parked ? "Parked" : status} />,
    },
    menuColumn<Row>((row) => <ActionsOf of={row} />),
  ];
}

/** Subscriptions. */
export function Page() {
  const may = usePermissions();
  const list = useList({ path: "/subscriptions", rowsIn: "subscriptions", filters: FILTERS });
  const create = may("subscriptions.manage") && <Action label={words.create} primary to="/subscriptions/new" />;
  return (
    <DataPage
      title={titles.subscriptions}
      hint={words.hint}
      actions={create}
      list={list}
      tabs={<StatusTabs label={words.status} list={list} statuses={STATES} />}
      columns={columnsOf(list.filters["status"] === "Active")}
      rowKey="subscription_id"
      search={{ filter: "search", placeholder: words.search }}
      filterFields={<Filters list={list} />}
      hasFile
      summary={
        list.answer?.is_cut && (
          <Alert color="yellow" mx="md" mb="md">
            <Text size="sm">{words.cut}</Text>
          </Alert>
        )
      }
      empty={{ title: words.empty, hint: create ? words.emptyHint : words.emptyHintOfViewers, action: create }}
    />
  );
}

/** The actions of a row. */
function ActionsOf({ of: { subscription_id: id, customer_name: name } }: { readonly of: Row }) {
  return (
    <RecordMenu
      name={words.one(name)}
      path={`/subscriptions/${id}`}
      to={`/subscriptions/${id}`}
      useActions={useSubscriptionActions}
      dialog={({ record, chosen, onClose }) => <StepDialog detail={record} step={chosen} onClose={onClose} />}
    />
  );
}

function Filters({ list }: { readonly list: List<Row, Extra> }) {
  const may = usePermissions();
  const { kind } = useSession();
  const { customer = "" } = list.filters;
  const named = list.rows.find(({ customer_code }) => customer_code === customer)?.customer_name ?? customer;
  // A franchise may not choose from all customers of the merchant.
  if (!may("customers.view") || kind === "franchise") return null;
  return (
    <CustomerPicker
      value={customer === "" ? null : { customer_code: customer, customer_name: named, email: "", city: "", state: "" }}
      onChange={(chosen) => list.setFilters({ customer: chosen?.customer_code ?? "" })}
    />
  );
}
