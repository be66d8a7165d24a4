// Confirming the address that one wants to sign in with, by the link from the mail: /confirm-email#<token>.
// Nothing happens before somebody presses: mail programs open links by themselves.
import { Alert, Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Form, useApiForm } from "../../forms/form.tsx";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame, SignInLink } from "./sign-in-frame.tsx";

/** The end of a change of address. */
export function Page() {
  const [token] = useState(() => decodeURIComponent(location.hash.slice(1)));
  const [isDone, setDone] = useState(false);
  const sent = useApiForm({
    initialValues: {},
    submit: () => api("POST", "/session/email/confirm", { body: { token } }),
    onDone: () => setDone(true),
  });
  const back = <SignInLink to="/sign-in" label={signIn.backToSignIn} />;
  if (token === "" || isDone) {
    return (
      <SignInFrame title={signIn.emailTitle}>
        {isDone ? <Text role="status">{signIn.emailDone}</Text> : <Alert color="red">{signIn.linkMissing}</Alert>}
        {back}
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={signIn.emailTitle} hint={signIn.emailHint}>
      <Form of={sent} label={signIn.emailSubmit} aside={back} />
    </SignInFrame>
  );
}
