// All franchises with their commission.
import { Box } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { FirstLoad } from "../../components/page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { RefusedNotice } from "../../components/notices.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { FilterTabs } from "../../components/view-tabs.tsx";
import { useList } from "../../lists/use-list.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { titles } from "../../strings/titles.ts";
import { parts } from "../../strings/shell.ts";
import { FranchiseMenu } from "./franchise-actions.tsx";
import { rateOf } from "./franchise-fields.tsx";
import { SettleAllDialog, type Unpaid } from "./settle-all.tsx";

type FranchiseRow = Answer<"GET", "/franchises">["franchises"][number];

const COLUMNS: readonly Column<FranchiseRow>[] = [
  {
    key: "franchise_name",
    title: words.fields.franchise_name,
    to: ({ franchise_id }) => `/franchises/${franchise_id}`,
  },
  { key: "franchise_code", title: words.code, hideBelow: "sm" },
  {
    key: "status",
    title: words.status,
    hideBelow: "md",
    render: ({ status }) =>
      status === "active" ? <StatusBadge status={status} /> : <StatusBadge status={status} word={words.deleted} />,
  },
  { key: "rate", title: words.rate, align: "right", hideBelow: "md", render: rateOf },
  { key: "commission_accrued", title: words.earned, hideBelow: "sm", as: "money" },
  { key: "commission_paid", title: words.paid, hideBelow: "lg", as: "money" },
  { key: "commission_due", title: words.due, as: "money" },
  menuColumn<FranchiseRow>((row) => <FranchiseMenu of={row} />),
];

const TABS = [
  { value: "", label: parts.all },
  { value: "active", label: words.active },
  { value: "deleted", label: words.deleted },
];

/** Franchises. */
export function Page() {
  const may = usePermissions();
  const isOwn = useSession().kind === "franchise";
  const list = useList({ path: "/franchises", rowsIn: "franchises", filters: ["search", "status"] });
  const [isSettling, setSettling] = useState(false);
  const [unpaid, setUnpaid] = useState<readonly Unpaid[]>([]);
  const maySettle = !isOwn && may("franchises.settle") && may("payouts.transfer") && list.rows.length > 0;
  const add = may("franchises.manage") && may("payouts.transfer") && (
    <Action label={words.add} primary to="/franchises/new" />
  );
  const ofMerchant = isOwn
    ? {}
    : {
        search: { filter: "search", placeholder: words.search },
        hasFile: true,
        tabs: <FilterTabs label={words.status} list={list} filter="status" choices={TABS} />,
      };
  return (
    <DataPage
      title={isOwn ? words.own : titles.franchises}
      list={list}
      columns={COLUMNS}
      rowKey="franchise_id"
      empty={{ title: words.empty, hint: words.emptyHint, ...(add ? { action: add } : {}) }}
      actions={
        <>
          {list.isLoading && <FirstLoad />}
          {maySettle && <Action label={words.settleAll} onClick={() => setSettling(true)} />}
          {add}
        </>
      }
      summary={
        unpaid.length > 0 && (
          <Box px="md" pb="md">
            <RefusedNotice title={words.notSettled(unpaid.length)} refused={unpaid} onClose={() => setUnpaid([])} />
          </Box>
        )
      }
      {...ofMerchant}
    >
      {isSettling && (
        <SettleAllDialog
          onDone={(left) => {
            setUnpaid(left);
            setSettling(false);
          }}
          onClose={() => setSettling(false)}
        />
      )}
    </DataPage>
  );
}
