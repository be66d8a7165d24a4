// The list of approvals, open and decided.
import { Box, Text } from "@mantine/core";
import { useState } from "react";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { Line } from "../../components/line.tsx";
import { MenuEntries, offered, RowMenu } from "../../components/more-menu.tsx";
import { Below, Money, StatusBadge } from "../../components/values.tsx";
import { FilterTabs } from "../../components/view-tabs.tsx";
import { actorName } from "../../format/actor.ts";
import { moment } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { approvals } from "../../strings/approvals.ts";
import { lists } from "../../strings/lists.ts";
import { titles } from "../../strings/titles.ts";
import { parts } from "../../strings/shell.ts";
import { DecideMany, nameOf, payeeOf, Refused } from "./decide-many.tsx";
import type { Approval } from "./policy-facts.ts";
import { WithdrawDialog } from "./withdraw-dialog.tsx";

const COLUMNS: readonly Column<Approval>[] = [
  {
    key: "kind",
    title: approvals.what,
    render: ({ approval_id, kind, subject, requested_at, requested_by, requested_by_name }) => (
      <>
        <Line length={(approvals.kinds[kind] ?? kind).length}>
          <LinkTo label={approvals.kinds[kind] ?? kind} to={`/approvals/${approval_id}`} />
        </Line>
        <Text size="sm" c="dimmed" hiddenFrom="md" style={{ overflowWrap: "anywhere" }}>
          {payeeOf(subject)}
        </Text>
        <Below onPhones>
          {moment(requested_at)}
          <Line>{actorName(requested_by, requested_by_name)}</Line>
        </Below>
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

/** The list has the pending ones where the address names no status. */
const TABS = [
  { value: "", label: approvals.states.pending },
  { value: "decided", label: approvals.states.decided },
  { value: "all", label: parts.all },
];

/** What is asked about requests of the list. */
type Asked = { readonly decision: "approve" | "reject" | "withdraw"; readonly of: readonly Approval[] };

/** Approvals. */
export function Page() {
  const list = useList({ path: "/approvals", rowsIn: "approvals", filters: ["status"] });
  const mayDecide = useMayDecide();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked | null>(null);
  const [refused, setRefused] = useState<Parameters<typeof Refused>[0]["refused"]>([]);
  // A decision also takes those that were decided meanwhile out of the choice.
  const chosen = list.rows.filter((row) => selected.has(row.approval_id) && mayDecide(row));
  return (
    <DataPage
      title={titles.approvals}
      hint={approvals.hint}
      actions={<Action label={approvals.policy} to="/approvals/policy" />}
      list={list}
      tabs={<FilterTabs label={approvals.status} list={list} filter="status" choices={TABS} />}
      columns={[
        ...(list.filters["status"] ? COLUMNS : OPEN_COLUMNS),
        menuColumn<Approval>((row) => <ActionsOf of={row} onAsk={(decision) => setAsked({ decision, of: [row] })} />),
      ]}
      rowKey="approval_id"
      summary={
        refused.length > 0 && (
          <Box px="md" pb="md">
            <Refused refused={refused} onClose={() => setRefused([])} />
          </Box>
        )
      }
      selection={
        list.rows.some(mayDecide)
          ? {
              selected: new Set(chosen.map(({ approval_id }) => approval_id)),
              onChange: setSelected,
              mayChoose: mayDecide,
              allLabel: approvals.selectAll,
              labelOf: (row) => approvals.selectOne(nameOf(row)),
            }
          : undefined
      }
      bulk={
        <>
          <Action label={approvals.approve} onClick={() => setAsked({ decision: "approve", of: chosen })} />
          <Action label={approvals.reject} onClick={() => setAsked({ decision: "reject", of: chosen })} />
        </>
      }
      empty={{ title: approvals.empty, hint: approvals.emptyHint }}
    >
      {asked && (
        <AskedDialog
          {...asked}
          onDone={(left) => {
            setRefused(left);
            setSelected(new Set());
            setAsked(null);
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </DataPage>
  );
}

/** Whether this user may decide a request of the list. */
function useMayDecide(): (request: Approval) => boolean {
  const may = usePermissions();
  return ({ status, may_decide: mine }) => status === "open" && mine && may("approvals.decide");
}

type ActionsProps = { readonly of: Approval; readonly onAsk: (decision: Asked["decision"]) => void };

/** The menu of a row. */
function ActionsOf({ of: request, onAsk }: ActionsProps) {
  const mayDecide = useMayDecide()(request);
  const entries = offered([
    [true, { label: lists.open, to: `/approvals/${request.approval_id}` }],
    [mayDecide, { label: approvals.approve, onClick: () => onAsk("approve") }],
    [mayDecide, { label: approvals.reject, onClick: () => onAsk("reject"), danger: true }],
    [
      request.own && request.status === "open",
      { label: approvals.withdraw, onClick: () => onAsk("withdraw"), danger: true },
    ],
  ]);
  return (
    <RowMenu label={lists.actionsOf(nameOf(request))}>
      <MenuEntries of={entries} />
    </RowMenu>
  );
}

type AskedProps = Asked & Pick<Parameters<typeof DecideMany>[0], "onDone" | "onClose">;

function AskedDialog({ decision, of, onDone, onClose }: AskedProps) {
  if (decision !== "withdraw") return <DecideMany decision={decision} chosen={of} onDone={onDone} onClose={onClose} />;
  return <WithdrawDialog approval={of[0]!} onClose={onClose} />;
}
