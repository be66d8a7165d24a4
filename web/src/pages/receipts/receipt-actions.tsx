// The actions on a receipt, on its page and in its row of the list.
import { useState } from "react";
import { useFresh } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { historyEntry } from "../../components/actions.tsx";
import { type MenuEntry, MenuEntries, RowMenu } from "../../components/more-menu.tsx";
import { lists } from "../../strings/lists.ts";
import { receipt as words } from "../../strings/receipts.ts";
import { RefundDialog, ReverseDialog, UseDialog } from "./dialogs.tsx";
import { paiseOf, type ReceiptRecord, restOf } from "./receipt-values.ts";

/** What is done in a dialog. */
export type Chosen = "use" | "refund" | "reverse";
type Choose = (chosen: Chosen) => void;

/** The actions that this user may take in the receipt's current state, the rare ones first. */
export function useReceiptActions(receipt: ReceiptRecord, onChoose: Choose): MenuEntry[] {
  const may = usePermissions();
  const maySettle = may("invoices.settle");
  const { moneyPaise, tdsPaise } = restOf(receipt);
  const isRefunded = paiseOf(receipt.refunded_amount) > 0n;
  const mayReverse = maySettle && receipt.status === "Recorded" && !isRefunded;
  return [
    ...(may("audit.view") ? [historyEntry(receipt.receipt_id)] : []),
    ...(mayReverse ? [{ label: words.reverse, onClick: () => onChoose("reverse"), danger: true }] : []),
    ...(maySettle && moneyPaise > 0n ? [{ label: words.refund, onClick: () => onChoose("refund") }] : []),
    ...(maySettle && moneyPaise + tdsPaise > 0n ? [{ label: words.use, onClick: () => onChoose("use") }] : []),
  ];
}

type DialogProps = {
  readonly receipt: ReceiptRecord;
  readonly chosen: Chosen;
  readonly onClose: () => void;
};

/** The dialog of an action. */
export function ChosenDialog({ chosen, ...props }: DialogProps) {
  if (chosen === "use") return <UseDialog {...props} />;
  return chosen === "refund" ? <RefundDialog {...props} /> : <ReverseDialog {...props} />;
}

type Action = { readonly receipt: ReceiptRecord; readonly chosen: Chosen };
type MenuProps = { readonly id: string; readonly number: string };

/** The menu of a receipt's row. */
export function ReceiptRowMenu({ id, number }: MenuProps) {
  const [action, setAction] = useState<Action | null>(null);
  return (
    <>
      <RowMenu label={lists.actionsOf(number)}>
        <RowEntries id={id} onChoose={setAction} />
      </RowMenu>
      {action && <ChosenDialog {...action} onClose={() => setAction(null)} />}
    </>
  );
}

type EntriesProps = { readonly id: string; readonly onChoose: (action: Action) => void };

/** What can be done depends on the invoices that use it, so it is fetched once the menu opens. */
function RowEntries({ id, onChoose }: EntriesProps) {
  const { data, error } = useFresh(`/receipts/${id}`);
  return (
    <>
      <MenuEntries of={[{ label: lists.open, to: `/receipts/${id}` }]} isLoading={!data && !error} />
      {data && <EntriesOf receipt={data.receipt} onChoose={onChoose} />}
    </>
  );
}

type OfProps = { readonly receipt: ReceiptRecord; readonly onChoose: EntriesProps["onChoose"] };

function EntriesOf({ receipt, onChoose }: OfProps) {
  const actions = useReceiptActions(receipt, (chosen) => onChoose({ receipt, chosen }));
  return <MenuEntries of={actions.toReversed()} />;
}
