// All merchants of the installation; each leads to its own dashboard.
// What belongs here: the list.
import { Anchor } from "@mantine/core";
import { addressOfMerchant } from "../../app/place.ts";
import type { Column } from "../../components/data-table.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { day } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { operator } from "../../strings/home.ts";

type Merchant = {
  readonly merchant_id: string;
  readonly name: string;
  readonly email: string;
  readonly status: string;
  readonly live: boolean;
  readonly created_at: string;
};

const COLUMNS: readonly Column<Merchant>[] = [
  {
    key: "name",
    title: operator.name,
    // Another account's dashboard: the browser loads it anew.
    render: ({ merchant_id, name }) => <Anchor href={addressOfMerchant(merchant_id)}>{name}</Anchor>,
  },
  { key: "merchant_id", title: operator.id, render: ({ merchant_id }) => merchant_id, hideBelow: "md" },
  { key: "email", title: operator.email, render: ({ email }) => email, hideBelow: "sm" },
  {
    key: "live",
    title: operator.mode,
    hideBelow: "sm",
    render: ({ live }) =>
      live ? (
        <StatusBadge status={operator.live} tone="success" />
      ) : (
        <StatusBadge status={operator.sandbox} tone="warning" />
      ),
  },
  { key: "status", title: operator.status, render: ({ status }) => <StatusBadge status={status} /> },
  { key: "created_at", title: operator.created, render: ({ created_at }) => day(created_at), hideBelow: "md" },
];

/** Merchants. */
export function Page() {
  const list = useList<Merchant>({ path: "/merchants", rowsIn: "merchants", filters: ["search"] });
  return (
    <DataPage
      title={operator.merchants}
      list={list}
      columns={COLUMNS}
      rowKey={({ merchant_id }) => merchant_id}
      search={{ filter: "search", placeholder: operator.search }}
      empty={{ title: operator.empty, hint: operator.emptyHint }}
    />
  );
}
