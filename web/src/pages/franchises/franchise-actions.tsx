// The actions on a franchise, on its page and in its row of the list.
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { historyEntry } from "../../components/actions.tsx";
import { type MenuEntry, offered } from "../../components/more-menu.tsx";
import { RecordMenu } from "../../components/record-menu.tsx";
import { toPaise } from "../../format/money.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { type DialogName, FranchiseDialog } from "./dialogs.tsx";

type Detail = Answer<"GET", "/franchises/:franchise_id">;

/** What this user can do with it now, the commonest first. */
export function useFranchiseActions(
  { franchise }: Pick<Detail, "franchise">,
  onChoose: (dialog: DialogName) => void,
): readonly MenuEntry[] {
  const may = usePermissions();
  const { franchise_id: id, status, account_number: account, payable } = franchise;
  const isPayable = (toPaise(payable) ?? 0n) > 0n && may("franchises.settle") && may("payouts.transfer");
  const mayChange = may("franchises.manage") && status === "active";
  return offered([
    [isPayable && account !== "", { label: words.settle, onClick: () => onChoose("settle") }],
    [isPayable, { label: words.recordPayment, onClick: () => onChoose("payment") }],
    [mayChange, { label: words.edit, to: `/franchises/${id}/edit` }],
    [may("audit.view"), historyEntry(id)],
    [mayChange, { label: words.remove, onClick: () => onChoose("delete"), danger: true }],
  ]);
}

type MenuProps = { readonly of: Pick<Detail["franchise"], "franchise_id" | "franchise_name"> };

/** The menu of a row. */
export function FranchiseMenu({ of: { franchise_id: id, franchise_name: name } }: MenuProps) {
  return (
    <RecordMenu
      name={name}
      path={`/franchises/${id}`}
      to={`/franchises/${id}`}
      useActions={useFranchiseActions}
      dialog={({ record: { franchise }, chosen, onClose }) => (
        <FranchiseDialog dialog={chosen} franchise={franchise} onClose={onClose} />
      )}
    />
  );
}
