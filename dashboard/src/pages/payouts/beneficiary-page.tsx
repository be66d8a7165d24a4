// One beneficiary: where its money goes, and what was paid to it.
// What belongs here: the page.
import { Anchor, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { HistoryLink } from "../../components/history-link.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { moment } from "../../format/time.ts";
import { searchOf } from "../../lists/search-of.ts";
import { beneficiaries } from "../../strings/payouts.ts";
import type { Beneficiary } from "./beneficiary.ts";
import { transferColumns, type Transfer } from "./transfer-list.tsx";

const SHOWN = "10";
const COLUMNS = transferColumns("/transfers")
  .filter(({ key }) => key !== "payee")
  .map((column) => ({ ...column, sortable: false }));

/** A beneficiary. */
export function Page() {
  const { beneficiaryId = "" }: Readonly<Record<string, string>> = useParams({ strict: false });
  const may = usePermissions();
  const { data, error, refetch } = useQuery({
    queryKey: ["/beneficiaries", beneficiaryId],
    queryFn: ({ signal }) => api<Beneficiary>("GET", `/beneficiaries/${beneficiaryId}`, { signal }),
  });
  const pay = may("payouts.transfer") && data?.approval === "approved" && (
    <Button component={Link} to="/transfers/new" search={searchOf({ beneficiary: beneficiaryId })}>
      {beneficiaries.pay}
    </Button>
  );
  return (
    <Outline
      title={data?.name ?? beneficiaries.title}
      badge={data && data.approval !== "approved" && <StatusBadge status={data.approval} />}
      actions={
        <>
          <HistoryLink subjectId={beneficiaryId} />
          {pay}
        </>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && (
        <Panel>
          <Facts
            facts={[
              { label: beneficiaries.account, value: data.account_number },
              { label: beneficiaries.ifsc, value: data.ifsc },
              { label: beneficiaries.upi, value: data.upi },
              { label: beneficiaries.mobile, value: data.mobile },
              { label: beneficiaries.email, value: data.email_id },
              { label: beneficiaries.address, value: data.address },
              { label: beneficiaries.number, value: data.beneficiary_id },
              { label: beneficiaries.since, value: moment(data.created_at) },
            ]}
          />
        </Panel>
      )}
      {data && may("payouts.view") && <LatestTransfers beneficiaryId={beneficiaryId} />}
    </Outline>
  );
}

function LatestTransfers({ beneficiaryId }: { readonly beneficiaryId: string }) {
  const query = { beneficiary_id: beneficiaryId, limit: SHOWN };
  const { data, error, refetch } = useQuery({
    queryKey: ["/transfers", query],
    queryFn: ({ signal }) => api<{ transfers: Transfer[] }>("GET", "/transfers", { query, signal }),
  });
  const all = (
    <Anchor component={Link} to="/transfers" search={searchOf({ beneficiary_id: beneficiaryId })} size="sm">
      {beneficiaries.all}
    </Anchor>
  );
  return (
    <Panel title={beneficiaries.transfers} actions={all} flush>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
      {data?.transfers.length === 0 ? (
        <Text p="md" c="dimmed">
          {beneficiaries.noTransfers}
        </Text>
      ) : (
        <DataTable
          caption={beneficiaries.transfers}
          columns={COLUMNS}
          rows={data?.transfers ?? []}
          rowKey={({ transfer_id }) => transfer_id}
          isLoading={!data && !error}
        />
      )}
    </Panel>
  );
}
