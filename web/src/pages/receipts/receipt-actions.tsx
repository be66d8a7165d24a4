// The actions on a receipt, on its page and in its row of the list.
import { usePermissions } from "../../api/session.ts";
import { historyEntry } from "../../components/actions.tsx";
import type { MenuEntry } from "../../components/more-menu.tsx";
import { RecordMenu } from "../../components/record-menu.tsx";
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

type Answered = { readonly receipt: ReceiptRecord };

function useMenuEntries({ receipt }: Answered, onChoose: Choose): readonly MenuEntry[] {
  return useReceiptActions(receipt, onChoose).toReversed();
}

type MenuProps = { readonly of: Pick<ReceiptRecord, "receipt_id" | "receipt_number"> };

/** The menu of a row. What can be done depends on the invoices that use the receipt, which are in the record only. */
export function ReceiptMenu({ of: { receipt_id: id, receipt_number: number } }: MenuProps) {
  return (
    <RecordMenu
      name={number}
      path={`/receipts/${id}`}
      to={`/receipts/${id}`}
      useActions={useMenuEntries}
      dialog={({ record: { receipt }, chosen, onClose }) => (
        <ChosenDialog receipt={receipt} chosen={chosen} onClose={onClose} />
      )}
    />
  );
}
