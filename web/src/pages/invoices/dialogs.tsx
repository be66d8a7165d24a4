// Dialogs for actions on an invoice: sending or cancelling it, writing off, and reversing a payment.
import { Textarea, TextInput } from "@mantine/core";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/queries.ts";
import { AmountInWords, FormDialog } from "../../forms/dialogs.tsx";
import { debitNotes } from "../../strings/billing-lists.ts";
import { cancelling, payment as payments, sending, writeOff } from "../../strings/invoices.ts";
import { openingBalance } from "../../strings/opening-balances.ts";
import type { InvoiceRecord, Payment } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord; readonly onClose: () => void };

/** The queries that a change of an invoice affects. */
export const CHANGES = ["/invoices", "/opening-balances", "/debit-notes", "/credit-notes"];

/** Queues one mail, to the customer's address or another one. */
export function SendDialog({ record, onClose }: Props) {
  const [key] = useRequestKey();
  return (
    <FormDialog
      title={sending.title}
      label={sending.submit}
      initialValues={{ email: record.customer.email }}
      submit={({ email }) => api("POST", `/invoices/${record.invoice_id}/send`, { key, body: { email } })}
      changes={CHANGES}
      done={sending.queued}
      onClose={onClose}
    >
      {({ field }) => (
        <TextInput {...field("email", sending.email, sending.hint)} type="email" required data-autofocus />
      )}
    </FormDialog>
  );
}

const CANCELLING_OPENING_BALANCE = {
  title: openingBalance.cancelTitle,
  hint: openingBalance.cancelHint,
  submit: openingBalance.cancel,
  keep: openingBalance.keep,
  done: openingBalance.cancelled,
};

/** The messages when a debit note is cancelled. */
const cancellingDebitNote = (number: string) => ({
  title: debitNotes.cancelTitle(number),
  hint: debitNotes.cancelHint,
  submit: debitNotes.cancel,
  keep: debitNotes.keep,
  done: debitNotes.cancelled,
});

/** Confirms and cancels an unpaid invoice. Repeating it changes nothing. */
export function CancelDialog({ record, onClose }: Props) {
  const said = record.is_opening_balance
    ? CANCELLING_OPENING_BALANCE
    : record.original_invoice !== null
      ? cancellingDebitNote(record.invoice_number)
      : cancelling;
  return (
    <FormDialog
      title={said.title}
      label={said.submit}
      cancelLabel={said.keep}
      danger
      intro={<AmountInWords amount={record.amount} />}
      hint={said.hint}
      initialValues={{}}
      submit={() => api("POST", `/invoices/${record.invoice_id}/cancel`)}
      changes={CHANGES}
      done={said.done}
      onClose={onClose}
    />
  );
}

/** Writes off the due amount. */
export function WriteOffDialog({ record, onClose }: Props) {
  const [key] = useRequestKey();
  return (
    <FormDialog
      title={writeOff.title}
      label={writeOff.action}
      danger
      intro={<AmountInWords amount={record.due_amount} />}
      hint={writeOff.hint}
      initialValues={{ reason: "" }}
      submit={(body) => api("POST", `/invoices/${record.invoice_id}/write-off`, { key, body })}
      changes={CHANGES}
      done={writeOff.done}
      onClose={onClose}
    >
      {({ field }) => (
        <Textarea {...field("reason", payments.reason)} required data-autofocus autosize minRows={2} maxLength={500} />
      )}
    </FormDialog>
  );
}

/** Reverses one payment, with a reason. Repeating it changes nothing. */
export function ReverseDialog({ record, payment, onClose }: Props & { readonly payment: Payment }) {
  return (
    <FormDialog
      title={payments.reverseTitle}
      label={payments.reverseSubmit}
      danger
      intro={<AmountInWords amount={payment.amount} />}
      hint={payments.reverseHint}
      initialValues={{ reason: "" }}
      submit={(body) =>
        api("POST", `/invoices/${record.invoice_id}/payments/${payment.transaction_id}/reverse`, { body })
      }
      changes={CHANGES}
      done={payments.reversed}
      onClose={onClose}
    >
      {({ field }) => (
        <Textarea {...field("reason", payments.reason)} required data-autofocus autosize minRows={2} maxLength={500} />
      )}
    </FormDialog>
  );
}
