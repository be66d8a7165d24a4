// An invoice is taken back in part or in full: first how much and why, then the question with the amount in words.
import { Text, Textarea } from "@mantine/core";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { inWords, rupees } from "../../format/money.ts";
import { DateField } from "../../forms/date-field.tsx";
import { useAskedForm } from "../../forms/asked-form.ts";
import { Dialog } from "../../forms/dialogs.tsx";
import { Form, MoneyField } from "../../forms/form.tsx";
import { creditNote as words } from "../../strings/invoices.ts";
import { CHANGES } from "./dialogs.tsx";
import type { InvoiceRecord } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord; readonly onClose: () => void };

/** Issues a credit note. */
export function CreditNoteDialog({ record, onClose }: Props) {
  const [key] = useRequestKey();
  const { invoice_id: id, invoice_number: number } = record;
  const { isAsked, step, ...sent } = useAskedForm(
    {
      initialValues: { amount: "", reason: "", date: "" },
      submit: ({ amount, reason, date }) => {
        const body = { request_key: key, amount: amount.trim().replaceAll(",", ""), reason, date };
        return api("POST", `/invoices/${id}/credit-notes`, { body });
      },
      changes: CHANGES,
      done: ({ credit_note_number }) => words.saved(credit_note_number),
    },
    words,
    onClose,
  );
  const amount = sent.form.values.amount.trim();
  return (
    <Dialog title={words.title} onClose={onClose}>
      <Form {...step}>
        {!isAsked && (
          <Text size="sm" c="dimmed">
            {words.hint}
          </Text>
        )}
        <MoneyField {...sent.field("amount", words.amount, words.amountHint)} data-autofocus readOnly={isAsked} />
        {isAsked ? (
          <Text role="status">
            {amount === ""
              ? words.questionOfAll(number)
              : words.question(rupees(amount), inWords(amount) ?? "", number)}
          </Text>
        ) : (
          <>
            <Textarea {...sent.field("reason", words.reason)} required autosize minRows={2} maxLength={500} />
            <DateField {...sent.field("date", words.date, words.dateHint)} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
