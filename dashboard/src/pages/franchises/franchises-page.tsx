// All franchises with their commission.
// What belongs here: the list.
import { Anchor, Button, NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePermissions, useSession } from "../../api/session.ts";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Money } from "../../components/money.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { useList } from "../../lists/use-list.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { rateOf, type FranchiseRow } from "./franchise.ts";

const COLUMNS: readonly Column<FranchiseRow>[] = [
  {
    key: "name",
    title: words.name,
    render: ({ franchise_id, franchise_name }) => (
      <Anchor component={Link} to={`/franchises/${franchise_id}`}>
        {franchise_name}
      </Anchor>
    ),
  },
  { key: "code", title: words.code, hideBelow: "sm", render: ({ franchise_code }) => franchise_code },
  {
    key: "status",
    title: words.status,
    hideBelow: "md",
    render: ({ status }) =>
      status === "active" ? <StatusBadge status={status} /> : <StatusBadge status={status} word={words.deleted} />,
  },
  { key: "rate", title: words.rate, align: "right", hideBelow: "md", render: rateOf },
  {
    key: "earned",
    title: words.earned,
    align: "right",
    hideBelow: "sm",
    render: ({ commission_accrued }) => <Money amount={commission_accrued} />,
  },
  {
    key: "paid",
    title: words.paid,
    align: "right",
    hideBelow: "lg",
    render: ({ commission_paid }) => <Money amount={commission_paid} />,
  },
  { key: "due", title: words.due, align: "right", render: ({ commission_due }) => <Money amount={commission_due} /> },
];

/** Franchises. */
export function Page() {
  const may = usePermissions();
  const isOwn = useSession().kind === "franchise";
  const list = useList<FranchiseRow>({ path: "/franchises", rowsIn: "franchises", filters: ["search", "status"] });
  const add = may("franchises.manage") && may("payouts.transfer") && (
    <Button component={Link} to="/franchises/new">
      {words.add}
    </Button>
  );
  const ofMerchant = isOwn
    ? {}
    : {
        search: { filter: "search", placeholder: words.search },
        exportAs: { path: "/franchises/export", fileName: "franchises.csv" },
        filterFields: (
          <NativeSelect
            label={words.status}
            value={list.filters["status"] ?? ""}
            data={[
              { value: "", label: words.anyStatus },
              { value: "active", label: words.active },
              { value: "deleted", label: words.deleted },
            ]}
            onChange={({ currentTarget }) => list.setFilters({ status: currentTarget.value })}
          />
        ),
      };
  return (
    <DataPage
      title={isOwn ? words.own : words.title}
      list={list}
      columns={COLUMNS}
      rowKey={({ franchise_id }) => franchise_id}
      empty={{ title: words.empty, hint: words.emptyHint, ...(add ? { action: add } : {}) }}
      actions={add}
      {...ofMerchant}
    />
  );
}
