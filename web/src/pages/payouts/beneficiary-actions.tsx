// The actions on a beneficiary, on its page and in its row of the list.
import { usePermissions } from "../../api/session.ts";
import { historyEntry } from "../../components/actions.tsx";
import { type MenuEntry, offered } from "../../components/more-menu.tsx";
import { RecordMenu } from "../../components/record-menu.tsx";
import { beneficiaries as words } from "../../strings/payouts.ts";
import { BeneficiaryDialog, type DialogName } from "./beneficiary-dialogs.tsx";
import type { Beneficiary } from "./beneficiary.ts";

type Actions = { readonly common: readonly MenuEntry[]; readonly more: readonly MenuEntry[] };

/** What this user can do with it in its current state: the common actions, and the rest. */
export function useBeneficiaryActions(beneficiary: Beneficiary, onChoose: (dialog: DialogName) => void): Actions {
  const may = usePermissions();
  const { beneficiary_id: id, approval, account_number: account, verification } = beneficiary;
  const isApproved = approval === "approved";
  const manages = may("beneficiaries.manage");
  const pays = may("payouts.transfer");
  const isVerifiable = account !== "" && (isApproved || approval === "pending");
  return {
    common: offered([
      [pays && isApproved, { label: words.pay, to: "/transfers/new", search: { beneficiary: id } }],
      [manages, { label: words.edit, onClick: () => onChoose("edit") }],
      [manages && isVerifiable, { label: words.verify, onClick: () => onChoose("verify") }],
    ]),
    more: offered([
      [pays && verification === "name_differs", { label: words.acceptName, onClick: () => onChoose("accept") }],
      [may("audit.view"), historyEntry(id)],
      [manages && isApproved, { label: words.deactivate, onClick: () => onChoose("deactivate"), danger: true }],
    ]),
  };
}

function useAllActions(beneficiary: Beneficiary, onChoose: (dialog: DialogName) => void): readonly MenuEntry[] {
  const { common, more } = useBeneficiaryActions(beneficiary, onChoose);
  return [...common, ...more];
}

/** The menu of a row. The list masks what an edit must show in full, so the record is fetched. */
export function BeneficiaryMenu({ of: { beneficiary_id: id, name } }: { readonly of: Beneficiary }) {
  return (
    <RecordMenu
      name={name}
      path={`/beneficiaries/${id}`}
      to={`/beneficiaries/${id}`}
      useActions={useAllActions}
      dialog={({ record, chosen, onClose }) => (
        <BeneficiaryDialog dialog={chosen} beneficiary={record} onClose={onClose} />
      )}
    />
  );
}
