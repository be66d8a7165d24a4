// Changing the bank account that withdrawals go to. The number is typed twice: a wrong digit sends money astray.
// What belongs here: that dialog.
import { Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { profile } from "../../strings/profile.ts";
import { parts } from "../../strings/shell.ts";
import type { ProfileAnswer } from "./profile.ts";

type Props = {
  /** Gets the approval that the change waits for; `null` where it is in force. */
  readonly onDone: (approvalId: string | null) => void;
  readonly onClose: () => void;
};

/** The dialog. */
export function BankAccountForm({ onDone, onClose }: Props) {
  const sent = useApiForm({
    initialValues: { bank_account: "", repeated: "", ifsc: "", bank_holder: "" },
    validate: { repeated: (text, { bank_account }) => (text === bank_account ? null : profile.differs) },
    submit: ({ bank_account, ifsc, bank_holder }) =>
      api<ProfileAnswer & { approval_id: string | null }>("PUT", "/bank-account", {
        body: { bank_account, ifsc, bank_holder },
      }),
    onDone: ({ approval_id }) => {
      if (approval_id === null) notifications.show({ color: "green", message: profile.bankSaved });
      onDone(approval_id);
    },
  });
  const { form } = sent;
  return (
    <Modal opened onClose={onClose} title={profile.bankEdit} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <Text c="dimmed">{profile.bankHint}</Text>
          <FormError error={sent.error} />
          <TextInput
            label={profile.account}
            autoComplete="off"
            required
            data-autofocus
            {...form.getInputProps("bank_account")}
          />
          <TextInput label={profile.repeated} autoComplete="off" required {...form.getInputProps("repeated")} />
          <TextInput label={profile.ifsc} autoComplete="off" required {...form.getInputProps("ifsc")} />
          <TextInput
            label={profile.holder}
            description={profile.holderHint}
            autoComplete="off"
            {...form.getInputProps("bank_holder")}
          />
          <SubmitRow of={sent} label={profile.bankEdit} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
