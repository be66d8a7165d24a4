// Asking for a link to set a new password.
// What belongs here: that page. It says the same whether or not the address is known, as the server does.
import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { merchantPart, SignInLink, useSignInMerchant } from "./sign-in-merchant.tsx";

/** The way back in. */
export function Page() {
  const merchant = useSignInMerchant();
  const [answer, setAnswer] = useState<string | null>(null);
  const sent = useApiForm({
    initialValues: { email: "" },
    submit: (values) =>
      api<{ sent: string }>("POST", "/password/forgot", { body: { ...values, ...merchantPart(merchant) } }),
    onDone: ({ sent: sentence }) => setAnswer(sentence),
  });
  const back = (
    <SignInLink to="/sign-in" mr="auto">
      {signIn.backToSignIn}
    </SignInLink>
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
