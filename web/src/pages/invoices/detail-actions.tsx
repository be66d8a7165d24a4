// The actions on an invoice, on its page and in its row of the list.
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { offered, type Offer } from "../../components/more-menu.tsx";
import { toPaise } from "../../format/money.ts";
import { debitNotes } from "../../strings/billing-lists.ts";
import { invoice as words, writeOff } from "../../strings/invoices.ts";
import { openingBalance } from "../../strings/opening-balances.ts";
import { isChanged, isClosed, type InvoiceRecord } from "./invoice-record.ts";

/** What is done in a dialog. */
export type Chosen = "send" | "pay" | "writeOff" | "credit" | "debit" | "cancel" | "edit";

/** The actions that this user may take in the invoice's current state: the common ones, and the rest. */
export function useActions(record: InvoiceRecord, onChoose: (chosen: Chosen) => void) {
  const may = usePermissions();
  const isDue = (toPaise(record.due_amount) ?? 0n) > 0n;
  const isSmall = useIsSmall(record);
  const isInvoice = !record.is_opening_balance;
  const isOpen = !isClosed(record);
  const isUntouched = isOpen && !isChanged(record);
  const manages = may("invoices.manage");
  const cancels = may("invoices.cancel");
  const { invoice_id: id, original_invoice: original, pdf_url: pdf } = record;
  const edit = isInvoice ? { to: `/invoices/${id}/edit` } : { onClick: () => onChoose("edit") };
  const entries: readonly Offer[] = [
    [manages && isUntouched && original === null, { label: words.edit, ...edit }],
    [manages && isInvoice, { label: words.duplicate, to: "/invoices/new", search: { copy: id } }],
    [cancels && isInvoice && record.status !== "Cancelled", { label: words.credit, onClick: () => onChoose("credit") }],
    [manages && isDebitable(record), { label: words.debit, onClick: () => onChoose("debit") }],
    [isDue && isSmall, { label: writeOff.action, onClick: () => onChoose("writeOff") }],
    [true, { label: words.copy.duplicate, href: `${pdf}?copy=duplicate` }],
    [true, { label: words.copy.triplicate, href: `${pdf}?copy=triplicate` }],
    [cancels && isUntouched, { label: cancelLabelOf(record), onClick: () => onChoose("cancel"), danger: true }],
  ];
  const common: readonly Offer[] = [
    [may("invoices.settle") && isDue, { label: words.pay, onClick: () => onChoose("pay") }],
    [manages && isOpen, { label: words.send, onClick: () => onChoose("send") }],
    [true, { label: words.pdf, href: pdf }],
  ];
  return { common: offered(common), more: offered(entries) };
}

/** Whether the rest is small enough to be written off, by somebody who may. */
function useIsSmall({ due_amount: due }: InvoiceRecord): boolean {
  const may = usePermissions();
  const isDue = (toPaise(due) ?? 0n) > 0n;
  const enabled = isDue && may("invoices.settle") && may("profile.view");
  const { data } = useGet("/book-settings", { enabled });
  return data !== undefined && (toPaise(due) ?? 0n) <= (toPaise(data.write_off_limit) ?? 0n);
}

/** Whether a debit note can charge more for rows of it. */
function isDebitable({ status, original_invoice, particular_rows: rows }: InvoiceRecord): boolean {
  return status !== "Cancelled" && original_invoice === null && rows.length > 0;
}

function cancelLabelOf({ is_opening_balance: isOpeningBalance, original_invoice: original }: InvoiceRecord): string {
  if (isOpeningBalance) return openingBalance.cancel;
  return original === null ? words.cancel : debitNotes.cancel;
}
