// The subscriptions of a merchant. The state that it is narrowed to is in the address.
// What belongs here: the list. One subscription is subscription-page.tsx.
import { Anchor, Group, NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Column } from "../../components/data-table.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { day } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { subscriptions } from "../../strings/subscriptions.ts";
import type { Subscription } from "./subscription.ts";

const STATES = ["Active", "Paused", "Cancelled", "Completed"];

const COLUMNS: readonly Column<Subscription>[] = [
  {
    key: "customer",
    title: subscriptions.customer,
    render: ({ subscription_id, customer_name }) => (
      <Anchor component={Link} to={`/subscriptions/${subscription_id}`}>
        {customer_name}
      </Anchor>
    ),
  },
  {
    key: "repeats",
    title: subscriptions.repeats,
    hideBelow: "sm",
    render: ({ mode, repeat_every }) => subscriptions.every(mode, repeat_every),
  },
  {
    key: "next",
    title: subscriptions.next,
    render: ({ next_invoice_date: next }) => (next === "" ? subscriptions.noNext : day(next)),
  },
  {
    key: "status",
    title: subscriptions.status,
    render: ({ status, parked }) => (
      <Group gap="xs">
        <StatusBadge status={status} />
        {parked && <StatusBadge status={subscriptions.parked} tone="danger" />}
      </Group>
    ),
  },
];

/** Subscriptions. */
export function Page() {
  const list = useList<Subscription>({ path: "/subscriptions", rowsIn: "subscriptions", filters: ["status"] });
  return (
    <DataPage
      title={subscriptions.title}
      hint={subscriptions.hint}
      list={list}
      columns={COLUMNS}
      rowKey={({ subscription_id }) => subscription_id}
      filterFields={
        <NativeSelect
          label={subscriptions.status}
          data={[{ value: "", label: subscriptions.allStates }, ...STATES]}
          value={list.filters["status"] ?? ""}
          onChange={({ currentTarget }) => list.setFilters({ status: currentTarget.value })}
        />
      }
      empty={{ title: subscriptions.empty, hint: subscriptions.emptyHint }}
    />
  );
}
