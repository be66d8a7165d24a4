// The first step: e-mail and password.
// What belongs here: that form.
import { Anchor, PasswordInput, Stack, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import type { StepAnswer } from "../../api/session.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

/** Asks for e-mail and password. */
export function PasswordStep({ onDone }: { readonly onDone: (answer: StepAnswer) => unknown }) {
  const sent = useApiForm({
    initialValues: { email: "", password: "" },
    submit: (values) => api<StepAnswer>("POST", "/sign-in", { body: values }),
    onDone,
  });
  return (
    <SignInFrame title={signIn.title}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <TextInput
            label={signIn.email}
            type="email"
            autoComplete="username"
            autoFocus
            required
            {...sent.form.getInputProps("email")}
          />
          <PasswordInput
            label={signIn.password}
            autoComplete="current-password"
            required
            {...sent.form.getInputProps("password")}
          />
          <SubmitRow of={sent} label={signIn.submit}>
            <Anchor component={Link} to="/forgot-password" mr="auto" size="sm">
              {signIn.forgot}
            </Anchor>
          </SubmitRow>
        </Stack>
      </form>
    </SignInFrame>
  );
}
