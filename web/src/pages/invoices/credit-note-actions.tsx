// The actions on a credit note, on its invoice's page and in its row of the list.
import { useState } from "react";
import { api, apiUrl } from "../../api/client.ts";
import { useFresh } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { type MenuEntry, MenuEntries, RowMenu } from "../../components/more-menu.tsx";
import { toPaise } from "../../format/money.ts";
import { AmountInWords, FormDialog } from "../../forms/dialogs.tsx";
import { cancellingNote, invoice as words } from "../../strings/invoices.ts";
import { lists } from "../../strings/lists.ts";
import { CHANGES } from "./dialogs.tsx";
import { type CreditNote, type InvoiceRecord, validNotesOf } from "./invoice-record.ts";
import { RefundDialog } from "./refund-dialog.tsx";

/** A credit note with its invoice. */
type NoteOf = { readonly record: InvoiceRecord; readonly note: CreditNote };

/** What is done in a dialog. */
export type ChosenForNote = "refund" | "cancel";

/** An action, with what it is called where several notes have it. */
type NoteEntry = MenuEntry & { readonly name: string };

/** The actions that this user may take: the PDF, the refund, and cancelling the last note. */
export function useCreditNoteActions({ record, note }: NoteOf, onChoose: (chosen: ChosenForNote) => void): NoteEntry[] {
  const may = usePermissions();
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

type Action = NoteOf & { readonly chosen: ChosenForNote };
type MenuProps = { readonly id: string; readonly number: string; readonly invoiceId: string };

/** The menu of a credit note's row. */
export function CreditNoteRowMenu({ number, ...rest }: MenuProps) {
  const [action, setAction] = useState<Action | null>(null);
  return (
    <>
      <RowMenu label={lists.actionsOf(number)}>
        <RowEntries {...rest} onChoose={setAction} />
      </RowMenu>
      {action && <ChosenNoteDialog {...action} onClose={() => setAction(null)} />}
    </>
  );
}

type EntriesProps = Omit<MenuProps, "number"> & { readonly onChoose: (action: Action) => void };

/** What can be done depends on the invoice with its other notes, which is fetched once the menu opens. */
function RowEntries({ id, invoiceId, onChoose }: EntriesProps) {
  const { data: record, error } = useFresh(`/invoices/${invoiceId}`);
  const note = record?.credit_notes.find(({ credit_note_id }) => credit_note_id === id);
  return (
    <>
      <MenuEntries of={[{ label: words.openInvoice, to: `/invoices/${invoiceId}` }]} isLoading={!record && !error} />
      {record && note && <EntriesOf record={record} note={note} onChoose={onChoose} />}
    </>
  );
}

function EntriesOf({ onChoose, ...of }: NoteOf & Pick<EntriesProps, "onChoose">) {
  return <MenuEntries of={useCreditNoteActions(of, (chosen) => onChoose({ ...of, chosen }))} />;
}
