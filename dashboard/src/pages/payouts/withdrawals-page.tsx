// All withdrawals to the merchant's own account.
// What belongs here: the list.
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePermissions } from "../../api/session.ts";
import { DataPage } from "../../components/data-page.tsx";
import { useList } from "../../lists/use-list.ts";
import { withdrawals } from "../../strings/payouts.ts";
import {
  SearchProgress,
  TRANSFER_FILTERS,
  transferColumns,
  TransferFilters,
  type Transfer,
  type TransferExtra,
} from "./transfer-list.tsx";

const COLUMNS = transferColumns("/withdrawals");

/** Withdrawals. */
export function Page() {
  const may = usePermissions();
  const list = useList<Transfer, TransferExtra>({
    path: "/withdrawals",
    rowsIn: "transfers",
    filters: TRANSFER_FILTERS,
  });
  const create = may("payouts.withdraw") && (
    <Button component={Link} to="/withdrawals/new">
      {withdrawals.create}
    </Button>
  );
  return (
    <DataPage
      title={withdrawals.title}
      hint={withdrawals.hint}
      actions={create}
      list={list}
      columns={COLUMNS}
      rowKey={({ transfer_id }) => transfer_id}
      search={{ filter: "search", placeholder: withdrawals.search }}
      filterFields={<TransferFilters list={list} hasKinds={false} />}
      exportAs={{ path: "/withdrawals.csv", fileName: "withdrawals.csv" }}
      summary={<SearchProgress list={list} />}
      empty={{ title: withdrawals.empty, hint: withdrawals.emptyHint, action: create }}
    />
  );
}
