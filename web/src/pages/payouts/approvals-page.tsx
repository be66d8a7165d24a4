// What waits for a second person, and what was decided.
import { NativeSelect } from "@mantine/core";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Money } from "../../components/values.tsx";
import { actorName } from "../../format/actor.ts";
import { useList } from "../../lists/use-list.ts";
import { approvals } from "../../strings/payouts.ts";
import type { Approval } from "./policy-facts.ts";

const COLUMNS: readonly Column<Approval>[] = [
  {
    key: "kind",
    title: approvals.what,
    render: ({ approval_id, kind }) => (
      <LinkTo label={approvals.kinds[kind] ?? kind} to={`/approvals/${approval_id}`} />
    ),
  },
  {
    key: "payee",
    title: approvals.payee,
    render: ({ subject }) => subject.payee_name ?? subject.franchise_name ?? subject.batch_name ?? "",
    hideBelow: "md",
  },
  {
    key: "amount",
    title: approvals.amount,
    align: "right",
    render: ({ subject }) => subject.amount !== undefined && <Money amount={subject.amount} />,
  },
  {
    key: "requested_by",
    title: approvals.requestedBy,
    render: ({ requested_by, requested_by_name }) => actorName(requested_by, requested_by_name),
    hideBelow: "sm",
  },
  { key: "requested_at", title: approvals.requestedAt, hideBelow: "sm", as: "moment" },
  { key: "status", title: approvals.status, as: "status" },
];

/** Approvals. */
export function Page() {
  const list = useList({ path: "/approvals", rowsIn: "approvals", filters: ["status"] });
  return (
    <DataPage
      title={approvals.title}
      hint={approvals.hint}
      actions={<Action label={approvals.policy} to="/approvals/policy" />}
      list={list}
      columns={COLUMNS}
      rowKey="approval_id"
      filterFields={
        <NativeSelect
          label={approvals.show}
          value={list.filters["status"] || "open"}
          onChange={({ currentTarget: { value } }) => list.setFilters({ status: value === "open" ? "" : value })}
          data={Object.entries(approvals.states).map(([value, label]) => ({ value, label }))}
        />
      }
      empty={{ title: approvals.empty, hint: approvals.emptyHint }}
    />
  );
}
