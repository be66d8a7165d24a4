// The actions on a credit note, on its invoice's page and in its row of the list.
import { api, apiUrl } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import type { MenuEntry } from "../../components/more-menu.tsx";
import { RecordMenu } from "../../components/record-menu.tsx";
import { toPaise } from "../../format/money.ts";
import { AmountInWords, FormDialog } from "../../forms/dialogs.tsx";
import { cancellingNote, invoice as words } from "../../strings/invoices.ts";
import { CHANGES } from "./dialogs.tsx";
import { type CreditNote, type InvoiceRecord, validNotesOf } from "./invoice-record.ts";
import { RefundDialog } from "./refund-dialog.tsx";

/** A credit note with its invoice. */
type NoteOf = { readonly record: InvoiceRecord; readonly note: CreditNote };

/** What is done in a dialog. */
export type ChosenForNote = "refund" | "cancel";
type Choose = (chosen: ChosenForNote) => void;

type May = ReturnType<typeof usePermissions>;

/** An action, with what it is called where several notes have it. */
type NoteEntry = MenuEntry & { readonly name: string };

/** The actions that this user may take: the PDF, the refund, and cancelling the last note. */
export function useCreditNoteActions(of: NoteOf, onChoose: Choose): NoteEntry[] {
  return creditNoteActions(usePermissions(), of, onChoose);
}

function creditNoteActions(may: May, { record, note }: NoteOf, onChoose: Choose): NoteEntry[] {
  const { credit_note_id: id, credit_note_number: number, owed, under_way: underWay, refunded } = note;
  const isOwed = toPaise(owed) !== 0n;
  const isPaid = toPaise(underWay) !== 0n || toPaise(refunded) !== 0n;
  const mayRefund = may("payouts.transfer") && (may("beneficiaries.manage") || note.payee !== "");
  // No later note builds on it.
  const isLast = note === validNotesOf(record).at(-1);
  const pdf = apiUrl(`/invoices/${record.invoice_id}/credit-notes/${id}/pdf`);
  const cancel = { onClick: () => onChoose("cancel"), danger: true };
  return [
    { label: words.notePdf, href: pdf, name: words.notePdfOf(number) },
    ...(isOwed && mayRefund
      ? [{ label: words.payBack, onClick: () => onChoose("refund"), name: words.payBackOf(number) }]
      : []),
    ...(isLast && !isPaid && may("invoices.cancel")
      ? [{ label: cancellingNote.submit, name: words.cancelNoteOf(number), ...cancel }]
      : []),
  ];
}

type DialogProps = NoteOf & { readonly chosen: ChosenForNote; readonly onClose: () => void };

/** The dialog of an action. */
export function ChosenNoteDialog({ chosen, ...props }: DialogProps) {
  return chosen === "refund" ? <RefundDialog {...props} /> : <CancelNoteDialog {...props} />;
}

/** Confirms and cancels a credit note without consequences. */
function CancelNoteDialog({ note, onClose }: { readonly note: CreditNote; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={cancellingNote.title(note.credit_note_number)}
      label={cancellingNote.submit}
      cancelLabel={cancellingNote.keep}
      danger
      intro={<AmountInWords amount={note.amount} />}
      hint={cancellingNote.hint}
      initialValues={{}}
      submit={() => api("POST", `/credit-notes/${note.credit_note_id}/cancel`)}
      changes={CHANGES}
      done={cancellingNote.done}
      onClose={onClose}
    />
  );
}

type MenuProps = { readonly id: string; readonly number: string; readonly invoiceId: string };

/** The menu of a row. What can be done depends on the invoice with its other notes. */
export function CreditNoteMenu({ id, number, invoiceId }: MenuProps) {
  const noteOf = (record: InvoiceRecord) => record.credit_notes.find(({ credit_note_id }) => credit_note_id === id);
  const may = usePermissions();
  return (
    <RecordMenu
      name={number}
      path={`/invoices/${invoiceId}`}
      to={`/invoices/${invoiceId}`}
      openLabel={words.openInvoice}
      useActions={(record, onChoose: Choose) => {
        const note = noteOf(record);
        return note ? creditNoteActions(may, { record, note }, onChoose) : [];
      }}
      dialog={({ record, chosen, onClose }) => {
        const note = noteOf(record);
        return note && <ChosenNoteDialog record={record} note={note} chosen={chosen} onClose={onClose} />;
      }}
    />
  );
}
