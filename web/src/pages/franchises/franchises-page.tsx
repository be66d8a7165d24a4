// All franchises with their commission.
import { NativeSelect } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { useList } from "../../lists/use-list.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { rateOf } from "./franchise-fields.tsx";

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
];

/** Franchises. */
export function Page() {
  const may = usePermissions();
  const isOwn = useSession().kind === "franchise";
  const list = useList({ path: "/franchises", rowsIn: "franchises", filters: ["search", "status"] });
  const add = may("franchises.manage") && may("payouts.transfer") && (
    <Action label={words.add} primary to="/franchises/new" />
  );
  const ofMerchant = isOwn
    ? {}
    : {
        search: { filter: "search", placeholder: words.search },
        hasFile: true,
        filterFields: (
          <NativeSelect
            {...list.filter("status", words.status)}

            data={[
              { value: "", label: words.anyStatus },
              { value: "active", label: words.active },
              { value: "deleted", label: words.deleted },
            ]}
          />
        ),
      };
  return (
    <DataPage
      title={isOwn ? words.own : words.title}
      list={list}
      columns={COLUMNS}
      rowKey="franchise_id"
      empty={{ title: words.empty, hint: words.emptyHint, ...(add ? { action: add } : {}) }}
      actions={add}
      {...ofMerchant}
    />
  );
}
