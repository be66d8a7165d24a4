// Confirming the address that one wants to sign in with, by the link from the mail: /confirm-email#<token>.
// What belongs here: that page. Nothing happens before somebody presses: mail programs open links by themselves.
import { Alert, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { SignInLink } from "./sign-in-merchant.tsx";

/** The end of a change of address. */
export function Page() {
  const [token] = useState(() => decodeURIComponent(location.hash.slice(1)));
  const [isDone, setDone] = useState(false);
  const sent = useApiForm({
    initialValues: {},
    submit: () => api("POST", "/email/confirm", { body: { token } }),
    onDone: () => setDone(true),
  });
  const back = <SignInLink to="/sign-in">{signIn.backToSignIn}</SignInLink>;
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
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <SubmitRow of={sent} label={signIn.emailSubmit}>
            <SignInLink to="/sign-in" mr="auto">
              {signIn.backToSignIn}
            </SignInLink>
          </SubmitRow>
        </Stack>
      </form>
    </SignInFrame>
  );
}
