// Asking for a link to set a new password.
// What belongs here: that page. It says the same whether or not the address is known, as the server does.
import { Anchor, Stack, Text, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

/** The way back in. */
export function Page() {
  const [answer, setAnswer] = useState<string | null>(null);
  const sent = useApiForm({
    initialValues: { email: "" },
    submit: (values) => api<{ sent: string }>("POST", "/password/forgot", { body: values }),
    onDone: ({ sent: sentence }) => setAnswer(sentence),
  });
  const back = (
    <Anchor component={Link} to="/sign-in" size="sm" mr="auto">
      {signIn.backToSignIn}
    </Anchor>
  );
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
          <SubmitRow of={sent} label={signIn.sendLink}>
            {back}
          </SubmitRow>
        </Stack>
      </form>
    </SignInFrame>
  );
}
