// All merchants of the installation; each leads to its own dashboard.
// What belongs here: the list.
import { Anchor, Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { usePermissions } from "../../api/session.ts";
import { addressOfMerchant } from "../../app/place.ts";
import type { Column } from "../../components/data-table.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { day } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { operator } from "../../strings/home.ts";
import { merchants } from "../../strings/operator.ts";
import { CreateMerchant } from "./create-merchant.tsx";

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
  {
    key: "manage",
    title: merchants.manage,
    align: "right",
    render: ({ merchant_id, name }) => (
      <Button
        component={Link}
        to={`/merchants/${merchant_id}`}
        size="compact-sm"
        variant="default"
        aria-label={merchants.manageOf(name)}
      >
        {merchants.manage}
      </Button>
    ),
  },
];

/** Merchants. */
export function Page() {
  const list = useList<Merchant>({ path: "/merchants", rowsIn: "merchants", filters: ["search"] });
  const may = usePermissions();
  const [isCreating, setCreating] = useState(false);
  const add = may("merchants.create") && <Button onClick={() => setCreating(true)}>{merchants.add}</Button>;
  return (
    <>
      <DataPage
        title={operator.merchants}
        actions={add}
        list={list}
        columns={COLUMNS}
        rowKey={({ merchant_id }) => merchant_id}
        search={{ filter: "search", placeholder: operator.search }}
        empty={{ title: operator.empty, hint: operator.emptyHint }}
      />
      {isCreating && <CreateMerchant onCreated={list.reload} onClose={() => setCreating(false)} />}
    </>
  );
}
