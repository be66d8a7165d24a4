// Changing one's password, with the present one.
import { PasswordInput } from "@mantine/core";
import { api } from "../api/client.ts";
import type { StepAnswer } from "../api/session.ts";
import { signIn } from "../strings/sign-in.ts";
import { Form, useApiForm } from "./form.tsx";

const EMPTY = { old_password: "", new_password: "", repeated: "" };

/** Present password, new one twice. It is empty again afterwards. */
export function PasswordForm({ onDone }: { readonly onDone: (answer: StepAnswer) => unknown }) {
  const sent = useApiForm({
    initialValues: EMPTY,
    validate: { repeated: (text, { new_password }) => (text === new_password ? null : signIn.passwordsDiffer) },
    submit: ({ old_password, new_password }) =>
      api("POST", "/session/password/change", { body: { old_password, new_password } }),
    onDone: (answer, form) => {
      form.reset();
      return onDone(answer);
    },
  });
  const { field } = sent;
  return (
    <Form of={sent} label={signIn.changeSubmit} maw={480} noValidate={false}>
      <PasswordInput {...field("old_password", signIn.oldPassword)} autoComplete="current-password" required />
      <PasswordInput
        {...field("new_password", signIn.newPassword, signIn.passwordHint)}
        autoComplete="new-password"
        required
      />
      <PasswordInput {...field("repeated", signIn.repeatPassword)} autoComplete="new-password" required />
    </Form>
  );
}
