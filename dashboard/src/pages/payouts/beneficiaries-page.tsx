// All beneficiaries.
// What belongs here: the list.
import { Anchor, Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePermissions } from "../../api/session.ts";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { day } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { beneficiaries } from "../../strings/payouts.ts";
import { accountOf, type Beneficiary } from "./beneficiary.ts";

const COLUMNS: readonly Column<Beneficiary>[] = [
  {
    key: "name",
    title: beneficiaries.name,
    render: ({ beneficiary_id, name }) => (
      <Anchor component={Link} to={`/beneficiaries/${beneficiary_id}`}>
        {name}
      </Anchor>
    ),
  },
  { key: "account", title: beneficiaries.account, render: accountOf },
  { key: "mobile", title: beneficiaries.mobile, render: ({ mobile }) => mobile, hideBelow: "md" },
  { key: "number", title: beneficiaries.number, render: ({ beneficiary_id }) => beneficiary_id, hideBelow: "lg" },
  {
    key: "approval",
    title: beneficiaries.approval,
    render: ({ approval }) => <StatusBadge status={approval} />,
    hideBelow: "sm",
  },
  { key: "created_at", title: beneficiaries.since, render: ({ created_at }) => day(created_at), hideBelow: "md" },
];

/** Beneficiaries. */
export function Page() {
  const may = usePermissions();
  const list = useList<Beneficiary>({ path: "/beneficiaries", rowsIn: "beneficiaries", filters: ["search"] });
  const create = may("beneficiaries.manage") && (
    <Button component={Link} to="/beneficiaries/new">
      {beneficiaries.create}
    </Button>
  );
  return (
    <DataPage
      title={beneficiaries.title}
      actions={create}
      list={list}
      columns={COLUMNS}
      rowKey={({ beneficiary_id }) => beneficiary_id}
      search={{ filter: "search", placeholder: beneficiaries.search }}
      exportAs={{ path: "/beneficiaries.csv", fileName: "beneficiaries.csv" }}
      empty={{ title: beneficiaries.empty, hint: beneficiaries.emptyHint, action: create }}
    />
  );
}
