// All beneficiaries.
import { Box, Group } from "@mantine/core";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { Line } from "../../components/line.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { useList } from "../../lists/use-list.ts";
import { beneficiaryImport } from "../../strings/bulk.ts";
import { beneficiaries } from "../../strings/payouts.ts";
import { BeneficiaryMenu } from "./beneficiary-actions.tsx";
import { titles } from "../../strings/titles.ts";
import { accountOf, isBeingVerified, type Beneficiary } from "./beneficiary.ts";

const COLUMNS: readonly Column<Beneficiary>[] = [
  { key: "name", title: beneficiaries.name, to: ({ beneficiary_id }) => `/beneficiaries/${beneficiary_id}` },
  {
    key: "account",
    title: beneficiaries.account,
    render: (row) => (
      <>
        <Line>{accountOf(row)}</Line>
        <Box visibleFrom="sm">
          <Line dimmed>{row.bank}</Line>
        </Box>
      </>
    ),
  },
  { key: "mobile", title: beneficiaries.contactFields.mobile, hideBelow: "md" },
  { key: "beneficiary_id", title: beneficiaries.number, hideBelow: "lg" },
  { key: "approval", title: beneficiaries.approval, hideBelow: "sm", as: "status" },
  {
    key: "verification",
    title: beneficiaries.verification,
    hideBelow: "lg",
    render: ({ account_number, verification }) =>
      account_number === "" ? (
        ""
      ) : (
        <StatusBadge status={verification} word={beneficiaries.verifications[verification] ?? verification} />
      ),
  },
  { key: "created_at", title: beneficiaries.since, hideBelow: "md", as: "day" },
  menuColumn<Beneficiary>((row) => <BeneficiaryMenu of={row} />),
];

/** Beneficiaries. */
export function Page() {
  const may = usePermissions();
  const list = useList({
    path: "/beneficiaries",
    rowsIn: "beneficiaries",
    filters: ["search"],
    isUnderWay: isBeingVerified,
  });
  const create = may("beneficiaries.manage") && (
    <Group gap="xs" justify="center">
      <Action label={beneficiaryImport.open} to="/beneficiaries/import" />
      <Action label={beneficiaries.create} primary to="/beneficiaries/new" />
    </Group>
  );
  return (
    <DataPage
      title={titles.beneficiaries}
      actions={create}
      list={list}
      columns={COLUMNS}
      rowKey="beneficiary_id"
      search={{ filter: "search", placeholder: beneficiaries.search }}
      hasFile
      empty={{ title: beneficiaries.empty, hint: beneficiaries.emptyHint, action: create }}
    />
  );
}
