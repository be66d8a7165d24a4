// How a franchise signs in: let in, in another way, or no more.
// What belongs here: those dialogs.
import { Modal, NativeSelect, PasswordInput, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useMerchant } from "../../api/session.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { parts } from "../../strings/shell.ts";
import { franchiseFormQuery, type Franchise } from "./franchise.ts";

type Props = { readonly franchise: Franchise; readonly onDone: () => void; readonly onClose: () => void };

/** Lets a franchise sign in, or changes how it does. */
export function LoginDialog({ franchise, onDone, onClose }: Props) {
  const { data } = useQuery(franchiseFormQuery);
  const { sign_in_url: signInUrl } = useMerchant();
  const isNew = franchise.login_email === null;
  const sent = useApiForm({
    initialValues: {
      login_email: franchise.login_email ?? "",
      password: "",
      role_name: franchise.role_name ?? "Franchise",
    },
    submit: (body) => namingFields(() => api("PUT", `/franchises/${franchise.franchise_id}/login`, { body })),
    onDone: () => {
      notifications.show({ color: "green", message: words.loginSaved });
      onDone();
    },
  });
  const { form } = sent;
  const title = isNew || franchise.login_disabled ? words.letIn : words.changeLogin;
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack>
          <FormError error={sent.error} />
          <TextInput
            label={words.loginEmail}
            description={words.loginHint(signInUrl)}
            type="email"
            required
            autoComplete="off"
            {...form.getInputProps("login_email")}
          />
          <PasswordInput
            label={isNew ? words.password : words.newPassword}
            description={isNew ? words.passwordHint : words.newPasswordHint}
            required={isNew}
            autoComplete="new-password"
            {...form.getInputProps("password")}
          />
          <NativeSelect
            label={words.role}
            data={data?.roles ?? [form.getValues().role_name]}
            {...form.getInputProps("role_name")}
          />
          <SubmitRow of={sent} label={title} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

/** Ends a franchise's sign-in until it is let in again. */
export function DisableLoginDialog({ franchise, onDone, onClose }: Props) {
  const disable = async (): Promise<void> => {
    await api("DELETE", `/franchises/${franchise.franchise_id}/login`);
    notifications.show({ color: "green", message: words.loginDisabled });
    onDone();
  };
  const text = words.disableLoginText(franchise.franchise_name);
  return (
    <ConfirmDialog
      title={words.disableLogin}
      text={text}
      confirmLabel={words.disableLogin}
      danger
      onConfirm={disable}
      onClose={onClose}
    />
  );
}
