// One beneficiary: where its money goes, and what was paid to it.
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { CONTACT_MEMBERS } from "../../../../src/payouts/beneficiaries/beneficiary-members.ts";
import { isPayoutUnderWay, whileAnyUnderWay, whileUnderWay } from "../../api/ask-again.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, HistoryLink, LinkTo } from "../../components/actions.tsx";
import { ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { recordFacts } from "../../components/record-facts.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Facts, StatusBadge } from "../../components/values.tsx";
import { moment } from "../../format/time.ts";
import { beneficiaries } from "../../strings/payouts.ts";
import { BeneficiaryDialog, type DialogName } from "./beneficiary-dialogs.tsx";
import { isBeingVerified, type Beneficiary } from "./beneficiary.ts";
import { transferColumns } from "./transfer-list.tsx";

const SHOWN = "10";
const COLUMNS = transferColumns("/transfers")
  .filter(({ key }) => key !== "payee")
  .map((column) => ({ ...column, sortable: false }));

/** A beneficiary. */
export function Page() {
  const { beneficiaryId = "" }: Readonly<Record<string, string>> = useParams({ strict: false });
  const may = usePermissions();
  const { data, error, refetch } = useGet(`/beneficiaries/${beneficiaryId}`, {
    refetchInterval: whileUnderWay(isBeingVerified),
  });
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const isApproved = data?.approval === "approved";
  const mayChange = may("beneficiaries.manage") && data !== undefined;
  const mayVerify = mayChange && data.account_number !== "" && ["approved", "pending"].includes(data.approval);
  const pay = may("payouts.transfer") && isApproved && (
    <Action label={beneficiaries.pay} primary to="/transfers/new" search={{ beneficiary: beneficiaryId }} />
  );
  return (
    <Outline
      title={data?.name ?? beneficiaries.title}
      badge={data && data.approval !== "approved" && <StatusBadge status={data.approval} />}
      actions={
        <>
          <HistoryLink subjectId={beneficiaryId} />
          {mayChange && isApproved && (
            <Action label={beneficiaries.deactivate} onClick={() => setDialog("deactivate")} />
          )}
          {mayVerify && <Action label={beneficiaries.verify} onClick={() => setDialog("verify")} />}
          {mayChange && <Action label={beneficiaries.edit} onClick={() => setDialog("edit")} />}
          {pay}
        </>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data?.verification === "name_differs" && (
        <Notice>
          {beneficiaries.nameDiffers(data.name, data.name_at_bank)}{" "}
          {may("payouts.transfer") && (
            <Action label={beneficiaries.acceptName} size="compact-sm" onClick={() => setDialog("accept")} />
          )}
        </Notice>
      )}
      {data?.verification === "invalid" && <Notice>{beneficiaries.accountInvalidAtBank}</Notice>}
      {data && (
        <Panel>
          <Facts
            facts={[
              { label: beneficiaries.account, value: data.account_number },
              { label: beneficiaries.ifsc, value: data.ifsc },
              { label: beneficiaries.bank, value: data.bank },
              ...(data.account_number === "" ? [] : verificationFacts(data)),
              { label: beneficiaries.upi, value: data.upi },
              ...recordFacts(CONTACT_MEMBERS, beneficiaries.contactFields, data),
              { label: beneficiaries.number, value: data.beneficiary_id },
              { label: beneficiaries.since, value: moment(data.created_at) },
            ]}
          />
        </Panel>
      )}
      {data && may("payouts.view") && <LatestTransfers beneficiaryId={beneficiaryId} />}
      {data && dialog !== null && (
        <BeneficiaryDialog dialog={dialog} beneficiary={data} onClose={() => setDialog(null)} />
      )}
    </Outline>
  );
}

/** What the bank said of the account. */
function verificationFacts(data: Beneficiary) {
  const { verification, name_at_bank, bank_branch, verified_at } = data;
  const word = beneficiaries.verifications[verification] ?? verification;
  // What waits for the bank is not what waits for a second person.
  const badge = <StatusBadge status={verification} word={word} />;
  return [
    { label: beneficiaries.verification, value: badge },
    ...(name_at_bank === "" ? [] : [{ label: beneficiaries.nameAtBank, value: name_at_bank }]),
    ...(bank_branch === "" ? [] : [{ label: beneficiaries.branch, value: bank_branch }]),
    ...(verified_at === null ? [] : [{ label: beneficiaries.verifiedAt, value: moment(verified_at) }]),
  ];
}

function LatestTransfers({ beneficiaryId }: { readonly beneficiaryId: string }) {
  const { data, ...found } = useGet("/transfers", {
    query: { beneficiary_id: beneficiaryId, limit: SHOWN },
    refetchInterval: whileAnyUnderWay(({ transfers }) => transfers, isPayoutUnderWay),
  });
  return (
    <TablePanel
      title={beneficiaries.transfers}
      actions={
        <LinkTo label={beneficiaries.all} to="/transfers" search={{ beneficiary_id: beneficiaryId }} size="sm" />
      }
      of={found}
      rows={data?.transfers}
      columns={COLUMNS}
      rowKey="transfer_id"
      empty={beneficiaries.noTransfers}
    />
  );
}
