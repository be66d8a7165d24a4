// All withdrawals to the merchant's own account.
import { isPayoutUnderWay } from "../../api/ask-again.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { useList } from "../../lists/use-list.ts";
import { withdrawals } from "../../strings/payouts.ts";
import { SearchProgress, TRANSFER_FILTERS, transferColumns, TransferFilters, TransferTabs } from "./transfer-list.tsx";
import { titles } from "../../strings/titles.ts";

const COLUMNS = transferColumns("/withdrawals");

/** Withdrawals. */
export function Page() {
  const may = usePermissions();
  const list = useList({
    path: "/withdrawals",
    rowsIn: "transfers",
    filters: TRANSFER_FILTERS,
    isUnderWay: isPayoutUnderWay,
  });
  const create = may("payouts.withdraw") && <Action label={withdrawals.create} primary to="/withdrawals/new" />;
  return (
    <DataPage
      title={titles.withdrawals}
      hint={withdrawals.hint}
      actions={create}
      list={list}
      tabs={<TransferTabs list={list} />}
      columns={COLUMNS}
      rowKey="transfer_id"
      search={{ filter: "search", placeholder: withdrawals.search }}
      filterFields={<TransferFilters list={list} hasKinds={false} />}
      hasFile
      summary={<SearchProgress list={list} />}
      empty={{ title: withdrawals.empty, hint: withdrawals.emptyHint, action: create }}
    />
  );
}
