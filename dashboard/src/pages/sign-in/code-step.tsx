// The second step: a code of the authenticator app, or a recovery code.
// What belongs here: that form.
import { Anchor, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { StepAnswer } from "../../api/session.ts";
import { signInAddress } from "../../app/place.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

type Props = { readonly onDone: (answer: StepAnswer) => unknown };

/** Asks for the second factor. */
export function CodeStep({ onDone }: Props) {
  const [isRecovery, setRecovery] = useState(false);
  const [field, label] = isRecovery
    ? (["recovery_code", signIn.recoveryCode] as const)
    : (["code", signIn.code] as const);
  const sent = useApiForm({
    initialValues: { code: "", recovery_code: "" },
    submit: (values) => api<StepAnswer>("POST", "/sign-in/second-factor", { body: { [field]: values[field].trim() } }),
    onDone,
  });
  return (
    <SignInFrame title={signIn.codeTitle} hint={isRecovery ? signIn.recoveryHint : signIn.codeHint}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <TextInput
            key={field}
            label={label}
            autoFocus
            required
            {...(isRecovery ? {} : { inputMode: "numeric" as const })}
            autoComplete={isRecovery ? "off" : "one-time-code"}
            {...sent.form.getInputProps(field)}
          />
          <SubmitRow of={sent} label={signIn.continue} />
          <Anchor component="button" type="button" size="sm" ta="left" onClick={() => setRecovery(!isRecovery)}>
            {isRecovery ? signIn.useCode : signIn.useRecovery}
          </Anchor>
          <StartOver />
        </Stack>
      </form>
    </SignInFrame>
  );
}

/** Ends the half-finished sign-in. */
export function StartOver() {
  const startOver = async (): Promise<void> => {
    await api("POST", "/sign-out", { body: {} }).catch(() => {});
    location.assign(signInAddress("/"));
  };
  return (
    <Anchor component="button" type="button" size="sm" ta="left" onClick={() => void startOver()}>
      {signIn.startOver}
    </Anchor>
  );
}
