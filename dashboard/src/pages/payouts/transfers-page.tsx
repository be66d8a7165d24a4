// All transfers, and payouts of commission.
// What belongs here: the list.
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePermissions } from "../../api/session.ts";
import { DataPage } from "../../components/data-page.tsx";
import { useList } from "../../lists/use-list.ts";
import { beneficiaries, transfers } from "../../strings/payouts.ts";
import {
  SearchProgress,
  TRANSFER_FILTERS,
  transferColumns,
  TransferFilters,
  type Transfer,
  type TransferExtra,
} from "./transfer-list.tsx";

const COLUMNS = transferColumns("/transfers");

/** Transfers. */
export function Page() {
  const may = usePermissions();
  const list = useList<Transfer, TransferExtra>({
    path: "/transfers",
    rowsIn: "transfers",
    filters: TRANSFER_FILTERS,
  });
  const create = may("payouts.transfer") && (
    <Button component={Link} to="/transfers/new">
      {transfers.create}
    </Button>
  );
  return (
    <DataPage
      title={transfers.title}
      actions={create}
      list={list}
      columns={COLUMNS}
      rowKey={({ transfer_id }) => transfer_id}
      search={{ filter: "search", placeholder: transfers.search }}
      filterFields={<TransferFilters list={list} hasKinds />}
      exportAs={{ path: "/transfers.csv", fileName: "transfers.csv" }}
      summary={<SearchProgress list={list} />}
      empty={{
        title: transfers.empty,
        hint: transfers.emptyHint,
        action: may("beneficiaries.manage") && (
          <Button component={Link} to="/beneficiaries/new">
            {beneficiaries.create}
          </Button>
        ),
      }}
    />
  );
}
