// The dialog of an action on one invoice, for its page and its row of the list.
import { useGet } from "../../api/queries.ts";
import { OpeningBalanceDialog } from "../../forms/opening-balance-dialog.tsx";
import { CreditNoteDialog } from "./credit-note-dialog.tsx";
import { DebitNoteDialog } from "./debit-note-dialog.tsx";
import type { Chosen } from "./detail-actions.tsx";
import { PaymentDialog } from "./detail-tables.tsx";
import { CancelDialog, SendDialog, WriteOffDialog } from "./dialogs.tsx";
import type { InvoiceRecord } from "./invoice-record.ts";

type DialogProps = {
  readonly record: InvoiceRecord;
  readonly chosen: Chosen | null;
  readonly onClose: () => void;
};

/** The dialog; nothing while no action is chosen. */
export function ChosenDialog({ chosen, ...props }: DialogProps) {
  if (chosen === "send") return <SendDialog {...props} />;
  if (chosen === "pay") return <PaymentDialog {...props} />;
  if (chosen === "writeOff") return <WriteOffDialog {...props} />;
  if (chosen === "credit") return <CreditNoteDialog {...props} />;
  if (chosen === "edit") return <OpeningBalanceEdit {...props} />;
  if (chosen === "debit") return <DebitNoteDialog {...props} />;
  return chosen === "cancel" && <CancelDialog {...props} />;
}

/** Changes an opening balance; an invoice has a page for that. */
function OpeningBalanceEdit({ record, onClose }: { readonly record: InvoiceRecord; readonly onClose: () => void }) {
  const { data } = useGet(`/opening-balances/${record.invoice_id}`);
  return data ? <OpeningBalanceDialog of={data.opening_balance} onClose={onClose} /> : null;
}
