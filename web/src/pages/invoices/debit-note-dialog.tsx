// Issuing a debit note: more pieces of rows, or a higher price.
import { Text, Textarea } from "@mantine/core";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/queries.ts";
import { DateField } from "../../forms/date-field.tsx";
import { Dialog, useDialogForm } from "../../forms/dialogs.tsx";
import { Form } from "../../forms/form.tsx";
import { debitNote } from "../../strings/invoices.ts";
import { CHANGES } from "./dialogs.tsx";
import type { InvoiceRecord } from "./invoice-record.ts";
import {
  atTheirFields,
  blankRows,
  chosenProblem,
  chosenRows,
  debitableOf,
  NoteRowFields,
  rowsInWords,
  sentRows,
  type RowValues,
} from "./note-rows.tsx";

type Props = { readonly record: InvoiceRecord; readonly onClose: () => void };
type Values = { rows: RowValues[]; reason: string; date: string };

/** Issues a debit note. */
export function DebitNoteDialog({ record, onClose }: Props) {
  const [key] = useRequestKey();
  const offered = debitableOf(record);
  const initialValues: Values = { rows: blankRows(offered), reason: "", date: "" };
  const { isConfirming, step, ...sent } = useDialogForm(
    {
      initialValues,
      validate: { rows: chosenProblem },
      submit: ({ rows, reason, date }) => {
        const chosen = chosenRows(offered, rows);
        const body = { invoice_id: record.invoice_id, rows: sentRows(chosen), reason, date };
        return api("POST", "/debit-notes", { key, body }).catch((error: Error) => {
          throw atTheirFields(error, chosen);
        });
      },
      changes: CHANGES,
      done: ({ debit_note }) => debitNote.saved(debit_note.debit_note_number),
    },
    debitNote,
    onClose,
  );
  const { values } = sent.form;
  return (
    <Dialog title={debitNote.title} onClose={onClose}>
      <Form {...step}>
        {isConfirming ? (
          <Text role="status">
            {debitNote.question(record.invoice_number, rowsInWords(chosenRows(offered, values.rows)))}
          </Text>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {debitNote.hint}
            </Text>
            <NoteRowFields sent={sent} offered={offered} label={debitNote.rows} />
            <Textarea {...sent.field("reason", debitNote.reason)} required autosize minRows={2} maxLength={500} />
            <DateField {...sent.field("date", debitNote.date, debitNote.dateHint)} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
