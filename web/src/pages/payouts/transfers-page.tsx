// All transfers, and payouts of commission.
import { isPayoutUnderWay } from "../../api/ask-again.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { useList } from "../../lists/use-list.ts";
import { attention, beneficiaries, transfers } from "../../strings/payouts.ts";
import { SearchProgress, TRANSFER_FILTERS, transferColumns, TransferFilters, TransferTabs } from "./transfer-list.tsx";
import { titles } from "../../strings/titles.ts";

const COLUMNS = transferColumns("/transfers");

/** Transfers. */
export function Page() {
  const may = usePermissions();
  const list = useList({
    path: "/transfers",
    rowsIn: "transfers",
    filters: TRANSFER_FILTERS,
    isUnderWay: isPayoutUnderWay,
  });
  const { data } = useGet("/stuck-transfers");
  const actions = (
    <>
      <Action label={attention.open(data?.stuck.length ?? 0)} to="/transfers/attention" />
      {may("payouts.transfer") && <Action label={transfers.create} primary to="/transfers/new" />}
    </>
  );
  return (
    <DataPage
      title={titles.transfers}
      actions={actions}
      list={list}
      tabs={<TransferTabs list={list} />}
      columns={COLUMNS}
      rowKey="transfer_id"
      search={{ filter: "search", placeholder: transfers.search }}
      filterFields={<TransferFilters list={list} hasKinds />}
      hasFile
      summary={<SearchProgress list={list} />}
      empty={{
        title: transfers.empty,
        hint: transfers.emptyHint,
        action: may("beneficiaries.manage") && <Action label={beneficiaries.create} primary to="/beneficiaries/new" />,
      }}
    />
  );
}
