// Setting a new password with the link from the mail: /reset-password#<token>.
// What belongs here: that page. The token is behind the #, so that it gets into no log and no Referer.
import { Alert, PasswordInput, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { SignInLink } from "./sign-in-merchant.tsx";

/** The end of the way back in. */
export function Page() {
  const [token] = useState(() => decodeURIComponent(location.hash.slice(1)));
  const [isDone, setDone] = useState(false);
  const sent = useApiForm({
    initialValues: { password: "", repeated: "" },
    validate: { repeated: (text, { password }) => (text === password ? null : signIn.passwordsDiffer) },
    submit: ({ password }) => namingFields(() => api("POST", "/password/reset", { body: { token, password } })),
    onDone: () => setDone(true),
  });
  const back = <SignInLink to="/sign-in">{signIn.backToSignIn}</SignInLink>;
  if (token === "" || isDone) {
    return (
      <SignInFrame title={signIn.resetTitle}>
        {isDone ? <Text role="status">{signIn.resetDone}</Text> : <Alert color="red">{signIn.linkMissing}</Alert>}
        {back}
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={signIn.resetTitle}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <PasswordInput
            label={signIn.newPassword}
            description={signIn.passwordHint}
            autoComplete="new-password"
            autoFocus
            required
            {...sent.form.getInputProps("password")}
          />
          <PasswordInput
            label={signIn.repeatPassword}
            autoComplete="new-password"
            required
            {...sent.form.getInputProps("repeated")}
          />
          <SubmitRow of={sent} label={signIn.resetSubmit}>
            <SignInLink to="/forgot-password" mr="auto">
              {signIn.newLink}
            </SignInLink>
          </SubmitRow>
        </Stack>
      </form>
    </SignInFrame>
  );
}
