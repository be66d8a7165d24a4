// What waits for a second person, and what was decided.
// What belongs here: the list.
import { Anchor, Button, NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Money } from "../../components/money.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { actorName } from "../../format/actor.ts";
import { moment } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { approvals } from "../../strings/payouts.ts";
import type { Approval } from "./approval.ts";

const COLUMNS: readonly Column<Approval>[] = [
  {
    key: "kind",
    title: approvals.what,
    render: ({ approval_id, kind }) => (
      <Anchor component={Link} to={`/approvals/${approval_id}`}>
        {approvals.kinds[kind] ?? kind}
      </Anchor>
    ),
  },
  {
    key: "payee",
    title: approvals.payee,
    render: ({ subject }) => subject.payee_name ?? subject.franchise_name ?? "",
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
  {
    key: "requested_at",
    title: approvals.requestedAt,
    render: ({ requested_at }) => moment(requested_at),
    hideBelow: "sm",
  },
  { key: "status", title: approvals.status, render: ({ status }) => <StatusBadge status={status} /> },
];

/** Approvals. */
export function Page() {
  const list = useList<Approval>({ path: "/approvals", rowsIn: "approvals", filters: ["status"] });
  return (
    <DataPage
      title={approvals.title}
      hint={approvals.hint}
      actions={
        <Button component={Link} to="/approvals/policy" variant="default">
          {approvals.policy}
        </Button>
      }
      list={list}
      columns={COLUMNS}
      rowKey={({ approval_id }) => approval_id}
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
