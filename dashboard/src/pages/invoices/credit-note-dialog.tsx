// An invoice is taken back in part or in full, with a credit note.
// What belongs here: that dialog.
import { Modal, Stack, Text, Textarea } from "@mantine/core";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { DateField, MoneyField } from "../../forms/fields.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { creditNote as words } from "../../strings/invoices.ts";
import { parts } from "../../strings/shell.ts";
import { useAfterChange } from "./after-change.ts";
import type { InvoiceRecord } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord; readonly onClose: () => void };

/** Issues a credit note. */
export function CreditNoteDialog({ record, onClose }: Props) {
  const [key] = useRequestKey();
  const done = useAfterChange();
  const sent = useApiForm({
    initialValues: { amount: "", reason: "", date: "" },
    submit: ({ amount, reason, date }) =>
      namingFields(() =>
        api<{ credit_note_number: string }>("POST", `/invoices/${record.invoice_id}/credit-notes`, {
          body: { request_key: key, amount: amount.replaceAll(",", ""), reason, date },
        }),
      ),
    onDone: async ({ credit_note_number }) => {
      await done(words.saved(credit_note_number));
      onClose();
    },
  });
  const { form } = sent;
  return (
    <Modal opened onClose={onClose} title={words.title} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <Text c="dimmed">{words.hint}</Text>
          <FormError error={sent.error} />
          <MoneyField
            label={words.amount}
            description={words.amountHint}
            data-autofocus
            {...form.getInputProps("amount")}
          />
          <Textarea
            label={words.reason}
            required
            autosize
            minRows={2}
            maxLength={500}
            {...form.getInputProps("reason")}
          />
          <DateField label={words.date} description={words.dateHint} {...form.getInputProps("date")} />
          <SubmitRow of={sent} label={words.submit} onCancel={onClose} danger />
        </Stack>
      </form>
    </Modal>
  );
}
