// Changes of what is agreed with a franchise: its commission, and the bank account that it goes to.
// What belongs here: the two dialogs. The sign-in is login-dialog.tsx.
import { Checkbox, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { parts } from "../../strings/shell.ts";
import { AccountFields, TermsFields } from "./agreement-fields.tsx";
import type { Franchise } from "./franchise.ts";

type Props = { readonly franchise: Franchise; readonly onDone: () => void; readonly onClose: () => void };

/** Another commission, or another way to settle it. */
export function TermsDialog({ franchise, onDone, onClose }: Props) {
  const sent = useApiForm({
    initialValues: {
      commission_type: franchise.commission_type,
      commission: franchise.commission,
      settlement_type: franchise.settlement_type,
      enable_online_settlement: franchise.enable_online_settlement,
    },
    submit: ({ enable_online_settlement: isOnline, ...values }) =>
      namingFields(() =>
        api("PUT", `/franchises/${franchise.franchise_id}/terms`, {
          body: { ...values, enable_online_settlement: isOnline ? 1 : 0 },
        }),
      ),
    onDone: () => {
      notifications.show({ color: "green", message: words.termsSaved });
      onDone();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.changeTerms}
      size="lg"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack>
          <Text c="dimmed">{words.termsHint}</Text>
          <FormError error={sent.error} />
          <TermsFields form={sent.form} />
          <Checkbox
            label={words.online}
            {...sent.form.getInputProps("enable_online_settlement", { type: "checkbox" })}
          />
          <SubmitRow of={sent} label={words.changeTerms} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

/** Another bank account. The number is typed twice: a wrong digit sends money astray. */
export function AccountDialog({ franchise, onDone, onClose }: Props) {
  const sent = useApiForm({
    initialValues: {
      bank_holder_name: franchise.bank_holder_name,
      account_number: "",
      repeated: "",
      bank_name: franchise.bank_name,
      account_type: franchise.account_type || "Current",
      ifsc: franchise.ifsc,
    },
    validate: { repeated: (text, { account_number }) => (text === account_number ? null : words.differs) },
    // The number was compared with what is repeated; the server has no use for that.
    submit: (body) =>
      namingFields(() =>
        api<{ approval_id: string | null }>("PUT", `/franchises/${franchise.franchise_id}/account`, { body }),
      ),
    onDone: ({ approval_id }) => {
      if (approval_id === null) notifications.show({ color: "green", message: words.accountSaved });
      onDone();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.changeAccount}
      size="lg"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack>
          <Text c="dimmed">{words.accountHint}</Text>
          <FormError error={sent.error} />
          <AccountFields form={sent.form} required>
            <TextInput label={words.repeated} required autoComplete="off" {...sent.form.getInputProps("repeated")} />
          </AccountFields>
          <SubmitRow of={sent} label={words.changeAccount} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
