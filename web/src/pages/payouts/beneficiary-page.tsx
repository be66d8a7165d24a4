// One beneficiary: where its money goes, and what was paid to it.
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { CONTACT_MEMBERS } from "../../../../src/payouts/beneficiaries/beneficiary-members.ts";
import { isPayoutUnderWay, whileAnyUnderWay, whileUnderWay } from "../../api/ask-again.ts";
import { useGet, useLoaded } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo, MenuButton } from "../../components/actions.tsx";
import { Notice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { recordFacts } from "../../components/record-facts.tsx";
import { RecordPage } from "../../components/record-page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Facts, StatusBadge } from "../../components/values.tsx";
import { moment } from "../../format/time.ts";
import { beneficiaries } from "../../strings/payouts.ts";
import { useBeneficiaryActions } from "./beneficiary-actions.tsx";
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
  const beneficiary = useLoaded(`/beneficiaries/${beneficiaryId}`, {
    refetchInterval: whileUnderWay(isBeingVerified),
  });
  return <Record beneficiary={beneficiary} />;
}

type Props = { readonly beneficiary: Beneficiary };

function Record({ beneficiary }: Props) {
  const may = usePermissions();
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const { common, more } = useBeneficiaryActions(beneficiary, setDialog);
  const { name, approval, beneficiary_id: id } = beneficiary;
  return (
    <RecordPage
      title={name}
      badge={approval !== "approved" && <StatusBadge status={approval} />}
      actions={common.map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={entry.label === beneficiaries.pay} />
      ))}
      more={more}
    >
      <VerificationNotice beneficiary={beneficiary} onAccept={() => setDialog("accept")} />
      <Panel>
        <Facts
          facts={[
            { label: beneficiaries.account, value: beneficiary.account_number },
            { label: beneficiaries.ifsc, value: beneficiary.ifsc },
            { label: beneficiaries.bank, value: beneficiary.bank },
            ...(beneficiary.account_number === "" ? [] : verificationFacts(beneficiary)),
            { label: beneficiaries.upi, value: beneficiary.upi },
            ...recordFacts(CONTACT_MEMBERS, beneficiaries.contactFields, beneficiary),
            { label: beneficiaries.number, value: id },
            { label: beneficiaries.since, value: moment(beneficiary.created_at) },
          ]}
        />
      </Panel>
      {may("payouts.view") && <LatestTransfers beneficiaryId={id} />}
      {dialog !== null && (
        <BeneficiaryDialog dialog={dialog} beneficiary={beneficiary} onClose={() => setDialog(null)} />
      )}
    </RecordPage>
  );
}

/** The warnings from the bank's verification of the account. */
function VerificationNotice({ beneficiary, onAccept }: Props & { readonly onAccept: () => void }) {
  const may = usePermissions();
  const { verification, name, name_at_bank: nameAtBank } = beneficiary;
  if (verification === "invalid") return <Notice>{beneficiaries.accountInvalidAtBank}</Notice>;
  if (verification !== "name_differs") return null;
  return (
    <Notice>
      {beneficiaries.nameDiffers(name, nameAtBank)}{" "}
      {may("payouts.transfer") && <Action label={beneficiaries.acceptName} size="compact-sm" onClick={onAccept} />}
    </Notice>
  );
}

/** The result of the bank's verification of the account. */
function verificationFacts(data: Beneficiary) {
  const { verification, name_at_bank, bank_branch, verified_at } = data;
  const word = beneficiaries.verifications[verification] ?? verification;
  // Waiting for the bank differs from waiting for a second person.
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
