// The list of approvals, open and decided.
import { Box, NativeSelect, Text } from "@mantine/core";
import { useState } from "react";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Line } from "../../components/line.tsx";
import { Money, StatusBadge } from "../../components/values.tsx";
import { actorName } from "../../format/actor.ts";
import { moment } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { approvals } from "../../strings/approvals.ts";
import { DecideMany, nameOf, payeeOf, Refused } from "./decide-many.tsx";
import type { Approval } from "./policy-facts.ts";

const COLUMNS: readonly Column<Approval>[] = [
  {
    key: "kind",
    title: approvals.what,
    render: ({ approval_id, kind, subject, requested_at, requested_by, requested_by_name }) => (
      <>
        <LinkTo label={approvals.kinds[kind] ?? kind} to={`/approvals/${approval_id}`} />
        <Text size="sm" c="dimmed" hiddenFrom="md" style={{ overflowWrap: "anywhere" }}>
          {payeeOf(subject)}
        </Text>
        {/* An access key is one long word: unbroken, it pushes the amount out of sight. */}
        <Text size="sm" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: "anywhere" }}>
          {moment(requested_at)} · {actorName(requested_by, requested_by_name)}
        </Text>
      </>
    ),
  },
  {
    key: "payee",
    title: approvals.payee,
    render: ({ subject }) => payeeOf(subject),
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
  {
    key: "status",
    title: approvals.status,
    render: ({ status, note }) => (
      <>
        <StatusBadge status={status} />
        {note !== "" && <Line dimmed>{note}</Line>}
      </>
    ),
  },
];

/** The decision is shown if not all of them are open. */
const OPEN_COLUMNS = COLUMNS.filter(({ key }) => key !== "status");

/** Approvals. */
export function Page() {
  const may = usePermissions();
  const list = useList({ path: "/approvals", rowsIn: "approvals", filters: ["status"] });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [decision, setDecision] = useState<"approve" | "reject" | null>(null);
  const [refused, setRefused] = useState<Parameters<typeof Refused>[0]["refused"]>([]);
  const mayChoose = ({ status, may_decide: mine }: Approval): boolean => status === "open" && mine;
  const chosen = list.rows.filter((row) => selected.has(row.approval_id) && mayChoose(row));
  const canChoose = may("approvals.decide") && list.rows.some(mayChoose);
  return (
    <DataPage
      title={approvals.title}
      hint={approvals.hint}
      actions={<Action label={approvals.policy} to="/approvals/policy" />}
      list={list}
      columns={list.filters["status"] ? COLUMNS : OPEN_COLUMNS}
      rowKey="approval_id"
      filterFields={
        <NativeSelect
          label={approvals.show}
          value={list.filters["status"] || "open"}
          onChange={({ currentTarget: { value } }) => list.setFilters({ status: value === "open" ? "" : value })}
          data={Object.entries(approvals.states).map(([value, label]) => ({ value, label }))}
        />
      }
      summary={
        refused.length > 0 && (
          <Box px="md" pb="md">
            <Refused refused={refused} onClose={() => setRefused([])} />
          </Box>
        )
      }
      selection={
        canChoose
          ? {
              selected: new Set(chosen.map(({ approval_id }) => approval_id)),
              onChange: setSelected,
              mayChoose,
              allLabel: approvals.selectAll,
              labelOf: (row) => approvals.selectOne(nameOf(row)),
            }
          : undefined
      }
      bulk={
        <>
          <Action label={approvals.approve} onClick={() => setDecision("approve")} />
          <Action label={approvals.reject} onClick={() => setDecision("reject")} />
        </>
      }
      empty={{ title: approvals.empty, hint: approvals.emptyHint }}
    >
      {decision && (
        <DecideMany
          decision={decision}
          chosen={chosen}
          onDone={(left) => {
            setRefused(left);
            setSelected(new Set());
            setDecision(null);
          }}
          onClose={() => setDecision(null)}
        />
      )}
    </DataPage>
  );
}
