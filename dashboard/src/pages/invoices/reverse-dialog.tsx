// A payment that was recorded is taken back, with the reason.
// What belongs here: that dialog.
import { Modal, Stack, Text, Textarea } from "@mantine/core";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { inWords, rupees } from "../../format/money.ts";
import { payment as words } from "../../strings/invoices.ts";
import { parts } from "../../strings/shell.ts";
import { useAfterChange } from "./after-change.ts";
import type { InvoiceRecord, Payment } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord; readonly payment: Payment; readonly onClose: () => void };

/** Reverses one payment. A second press finds it reversed, and changes nothing. */
export function ReverseDialog({ record, payment, onClose }: Props) {
  const done = useAfterChange();
  const sent = useApiForm({
    initialValues: { reason: "" },
    submit: (body) =>
      namingFields(() =>
        api("POST", `/invoices/${record.invoice_id}/payments/${payment.transaction_id}/reverse`, { body }),
      ),
    onDone: async () => {
      await done(words.reversed);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={words.reverseTitle} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <div>
            <Text fz={24} fw={650}>
              {rupees(payment.amount)}
            </Text>
            <Text>{inWords(payment.amount)}</Text>
          </div>
          <Text c="dimmed">{words.reverseHint}</Text>
          <FormError error={sent.error} />
          <Textarea
            label={words.reason}
            required
            data-autofocus
            autosize
            minRows={2}
            maxLength={500}
            {...sent.form.getInputProps("reason")}
          />
          <SubmitRow of={sent} label={words.reverseSubmit} onCancel={onClose} danger />
        </Stack>
      </form>
    </Modal>
  );
}
