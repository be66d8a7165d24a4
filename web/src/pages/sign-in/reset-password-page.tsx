// Setting a new password with the link from the mail: /reset-password#<token>.
// The token is behind the #, so that it gets into no log and no Referer.
import { Alert, PasswordInput, Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Form, useApiForm } from "../../forms/form.tsx";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame, SignInLink } from "./sign-in-frame.tsx";

/** The end of the way back in. */
export function Page() {
  const [token] = useState(() => decodeURIComponent(location.hash.slice(1)));
  const [isDone, setDone] = useState(false);
  const sent = useApiForm({
    initialValues: { password: "", repeated: "" },
    validate: { repeated: (text, { password }) => (text === password ? null : signIn.passwordsDiffer) },
    submit: ({ password }) => api("POST", "/session/password/reset", { body: { token, password } }),
    onDone: () => setDone(true),
  });
  const back = <SignInLink to="/sign-in" label={signIn.backToSignIn} />;
  if (token === "" || isDone) {
    return (
      <SignInFrame title={signIn.resetTitle}>
        {isDone ? <Text role="status">{signIn.resetDone}</Text> : <Alert color="red">{signIn.linkMissing}</Alert>}
        {back}
      </SignInFrame>
    );
  }
  const newLink = <SignInLink to="/forgot-password" label={signIn.newLink} />;
  return (
    <SignInFrame title={signIn.resetTitle}>
      <Form of={sent} label={signIn.resetSubmit} aside={newLink} noValidate={false}>
        <PasswordInput
          {...sent.field("password", signIn.newPassword, signIn.passwordHint)}
          autoComplete="new-password"
          autoFocus
          required
        />
        <PasswordInput {...sent.field("repeated", signIn.repeatPassword)} autoComplete="new-password" required />
      </Form>
    </SignInFrame>
  );
}
