// An invoice is mailed, to the customer's address or another one.
// What belongs here: that dialog. How the mail went is among the invoice's messages.
import { Modal, Stack, TextInput } from "@mantine/core";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { sending as words } from "../../strings/invoices.ts";
import { parts } from "../../strings/shell.ts";
import { useAfterChange } from "./after-change.ts";
import type { InvoiceRecord } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord; readonly onClose: () => void };

/** Queues one mail. */
export function SendDialog({ record, onClose }: Props) {
  const [key] = useRequestKey();
  const done = useAfterChange();
  const sent = useApiForm({
    initialValues: { email: record.customer.email },
    submit: ({ email }) =>
      namingFields(() => api("POST", `/invoices/${record.invoice_id}/send`, { body: { request_key: key, email } })),
    onDone: async () => {
      await done(words.queued);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={words.title} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack gap="md">
          <FormError error={sent.error} />
          <TextInput
            type="email"
            label={words.email}
            description={words.hint}
            required
            data-autofocus
            {...sent.form.getInputProps("email")}
          />
          <SubmitRow of={sent} label={words.submit} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
