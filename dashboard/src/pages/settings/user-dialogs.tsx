// A new user, and changes of one: role, access, password, second factor.
// What belongs here: the two dialogs.
import { Button, Checkbox, Divider, Group, Modal, NativeSelect, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useMerchant } from "../../api/session.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { HistoryLink } from "../../components/history-link.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { users } from "../../strings/access.ts";
import { parts } from "../../strings/shell.ts";
import type { FirstPassword, User } from "./user.ts";

type Props = {
  /** Those that whoever is signed in may give. */
  readonly roles: readonly string[];
  readonly onDone: (password: FirstPassword | null) => void;
  readonly onClose: () => void;
};

/** Adds a user, whose first password the answer has. */
export function AddUserDialog({ roles, onDone, onClose }: Props) {
  const sent = useApiForm({
    initialValues: { name: "", email: "", role: roles.includes("Viewer") ? "Viewer" : (roles[0] ?? "") },
    submit: (values) => namingFields(() => api<{ user: User; password: string }>("POST", "/users", { body: values })),
    onDone: ({ user, password }) => onDone({ name: user.name, email: user.email, password }),
  });
  return (
    <Modal opened onClose={onClose} title={users.invite} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <TextInput label={users.name} required data-autofocus {...sent.form.getInputProps("name")} />
          <TextInput label={users.email} type="email" required {...sent.form.getInputProps("email")} />
          <NativeSelect label={users.role} data={[...roles]} {...sent.form.getInputProps("role")} />
          <SubmitRow of={sent} label={users.invite} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

/** Changes a user, or resets what was lost. */
export function ChangeUserDialog({ user, roles, onDone, onClose }: Props & { readonly user: User }) {
  const { sign_in_url: signInUrl } = useMerchant();
  const [reset, setReset] = useState<"password" | "factor" | null>(null);
  const sent = useApiForm({
    initialValues: { name: user.name, email: user.email, role: user.role, disabled: user.disabled },
    submit: ({ role, disabled, ...values }) =>
      namingFields(() =>
        api("PUT", `/users/${user.user_id}`, {
          body: { ...values, ...(role === user.role ? {} : { role }), disabled: disabled ? "1" : "0" },
        }),
      ),
    onDone: () => {
      notifications.show({ color: "green", message: users.saved });
      onDone(null);
    },
  });
  const { form } = sent;
  if (reset !== null) return <ResetDialog user={user} what={reset} onDone={onDone} onClose={() => setReset(null)} />;
  const choice = roles.includes(user.role) ? roles : [user.role, ...roles];
  return (
    <Modal opened onClose={onClose} title={users.editTitle(user.name)} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <TextInput label={users.name} required data-autofocus {...form.getInputProps("name")} />
          <TextInput
            label={users.email}
            description={users.emailHint(signInUrl)}
            type="email"
            required
            {...form.getInputProps("email")}
          />
          <NativeSelect label={users.role} data={[...choice]} {...form.getInputProps("role")} />
          <Checkbox label={users.disable} {...form.getInputProps("disabled", { type: "checkbox" })} />
          <SubmitRow of={sent} label={users.save} onCancel={onClose} />
          <Divider />
          <Group gap="xs">
            <Button variant="default" onClick={() => setReset("password")}>
              {users.resetPassword}
            </Button>
            {user.second_factor && (
              <Button variant="default" onClick={() => setReset("factor")}>
                {users.resetFactor}
              </Button>
            )}
            <HistoryLink subjectId={user.user_id} />
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

type ResetProps = Omit<Props, "roles"> & { readonly user: User; readonly what: "password" | "factor" };

function ResetDialog({ user, what, onDone, onClose }: ResetProps) {
  const { name, email } = user;
  const path = `/users/${user.user_id}`;
  if (what === "password") {
    const reset = async (): Promise<void> => {
      const { password } = await api<{ password: string }>("POST", `${path}/reset-password`);
      onDone({ name, email, password });
    };
    const words = {
      title: users.resetPassword,
      text: users.resetPasswordText(name),
      confirmLabel: users.resetPassword,
    };
    return <ConfirmDialog {...words} onConfirm={reset} onClose={onClose} />;
  }
  const reset = async (): Promise<void> => {
    await api("POST", `${path}/reset-second-factor`);
    notifications.show({ color: "green", message: users.resetFactorDone });
    onDone(null);
  };
  const words = { title: users.resetFactor, text: users.resetFactorText(name), confirmLabel: users.resetFactor };
  return <ConfirmDialog {...words} danger onConfirm={reset} onClose={onClose} />;
}
