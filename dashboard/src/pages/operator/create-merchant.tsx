// A new merchant, with its first access key and its first user, whose secrets are shown once.
// What belongs here: that dialog.
import { Modal, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { merchants } from "../../strings/operator.ts";
import { parts } from "../../strings/shell.ts";

type Created = {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly user_email: string;
  readonly password: string;
  readonly sign_in_url: string;
};

type Props = { readonly onCreated: () => void; readonly onClose: () => void };

/** Asks for what a merchant needs to begin; the rest is its own profile page's. */
export function CreateMerchant({ onCreated, onClose }: Props) {
  const [created, setCreated] = useState<Created | null>(null);
  const sent = useApiForm({
    initialValues: { name: "", email: "", state: "", user_email: "" },
    submit: (body) => api<Created>("POST", "/merchants", { body }),
    onDone: (answer) => {
      setCreated(answer);
      onCreated();
    },
  });
  const { form } = sent;
  if (created) {
    return (
      <SecretDialog
        title={merchants.created}
        hint={merchants.keep}
        secrets={[
          { label: merchants.accessKey, value: created.access_key_id },
          { label: merchants.secret, value: created.secret_access_key },
          { label: merchants.signIn, value: created.user_email },
          { label: merchants.password, value: created.password },
          { label: merchants.signInUrl, value: created.sign_in_url },
        ]}
        onClose={onClose}
      />
    );
  }
  return (
    <Modal opened onClose={onClose} title={merchants.addTitle} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <TextInput label={merchants.name} required data-autofocus {...form.getInputProps("name")} />
          <TextInput label={merchants.email} type="email" required {...form.getInputProps("email")} />
          <TextInput label={merchants.state} description={merchants.stateHint} {...form.getInputProps("state")} />
          <TextInput
            label={merchants.userEmail}
            description={merchants.userEmailHint}
            type="email"
            {...form.getInputProps("user_email")}
          />
          <SubmitRow of={sent} label={merchants.add} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
