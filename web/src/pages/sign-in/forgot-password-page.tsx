// Asking for a link to set a new password.
// It says the same whether or not the address is known, as the server does.
import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Form, useApiForm } from "../../forms/form.tsx";
import { signIn } from "../../strings/sign-in.ts";
import { merchantPart, SignInFrame, SignInLink, useSignInMerchant } from "./sign-in-frame.tsx";

/** The way back in. */
export function Page() {
  const merchant = useSignInMerchant();
  const [answer, setAnswer] = useState<string | null>(null);
  const sent = useApiForm({
    initialValues: { email: "" },
    submit: (values) => api("POST", "/session/password/forgot", { body: { ...values, ...merchantPart(merchant) } }),
    onDone: ({ sent: sentence }) => setAnswer(sentence),
  });
  const back = <SignInLink to="/sign-in" label={signIn.backToSignIn} />;
  if (answer !== null) {
    return (
      <SignInFrame title={signIn.sentTitle}>
        <Text role="status">{answer}</Text>
        {back}
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={signIn.forgotTitle} hint={signIn.forgotHint}>
      <Form of={sent} label={signIn.sendLink} failed={signIn.linkFailed} aside={back} noValidate={false}>
        <TextInput {...sent.field("email", signIn.email)} type="email" autoComplete="username" autoFocus required />
      </Form>
    </SignInFrame>
  );
}
