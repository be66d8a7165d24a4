// The first step: e-mail and password.
// What belongs here: that form.
import { Anchor, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import type { StepAnswer } from "../../api/session.ts";
import { keepSignInMerchant } from "../../app/place.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { merchantPart, SignInLink, useSignInMerchant } from "./sign-in-merchant.tsx";

/** Asks for e-mail and password; says to which merchant, where the address names one. Its name is not for strangers. */
export function PasswordStep({ onDone }: { readonly onDone: (answer: StepAnswer) => unknown }) {
  const merchant = useSignInMerchant();
  const sent = useApiForm({
    initialValues: { email: "", password: "" },
    submit: (values) => api<StepAnswer>("POST", "/sign-in", { body: { ...values, ...merchantPart(merchant) } }),
    onDone: (answer) => {
      keepSignInMerchant(merchant);
      return onDone(answer);
    },
  });
  return (
    <SignInFrame title={signIn.title}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          {merchant !== null && (
            <Text size="sm" c="dimmed">
              {signIn.toMerchant(merchant)}{" "}
              <Anchor component={Link} to="/sign-in" size="sm" underline="always">
                {signIn.elsewhere}
              </Anchor>
            </Text>
          )}
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
            <SignInLink to="/forgot-password" mr="auto">
              {signIn.forgot}
            </SignInLink>
          </SubmitRow>
        </Stack>
      </form>
    </SignInFrame>
  );
}
