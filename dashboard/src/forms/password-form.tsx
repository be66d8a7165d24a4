// Changing one's password, with the present one.
// What belongs here: that form.
import { PasswordInput, Stack } from "@mantine/core";
import { api } from "../api/client.ts";
import type { StepAnswer } from "../api/session.ts";
import { FormError, SubmitRow } from "./form-parts.tsx";
import { namingFields } from "./nested-errors.ts";
import { useApiForm } from "./use-api-form.ts";
import { signIn } from "../strings/sign-in.ts";

const EMPTY = { old_password: "", new_password: "", repeated: "" };

/** Present password, new one twice. It is empty again afterwards. */
export function PasswordForm({ onDone }: { readonly onDone: (answer: StepAnswer) => unknown }) {
  const sent = useApiForm({
    initialValues: EMPTY,
    validate: { repeated: (text, { new_password }) => (text === new_password ? null : signIn.passwordsDiffer) },
    submit: ({ old_password, new_password }) =>
      namingFields(() => api<StepAnswer>("POST", "/password/change", { body: { old_password, new_password } })),
    onDone: (answer, form) => {
      form.reset();
      return onDone(answer);
    },
  });
  const { form } = sent;
  return (
    <form onSubmit={sent.onSubmit}>
      <Stack gap="md" maw={480}>
        <FormError error={sent.error} />
        <PasswordInput
          label={signIn.oldPassword}
          autoComplete="current-password"
          required
          {...form.getInputProps("old_password")}
        />
        <PasswordInput
          label={signIn.newPassword}
          description={signIn.passwordHint}
          autoComplete="new-password"
          required
          {...form.getInputProps("new_password")}
        />
        <PasswordInput
          label={signIn.repeatPassword}
          autoComplete="new-password"
          required
          {...form.getInputProps("repeated")}
        />
        <SubmitRow of={sent} label={signIn.changeSubmit} />
      </Stack>
    </form>
  );
}
