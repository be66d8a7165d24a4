// The last step where the password was given by somebody else: one's own.
// What belongs here: the step. The form is the same as on the security page.
import { Stack } from "@mantine/core";
import type { StepAnswer } from "../../api/session.ts";
import { signIn } from "../../strings/sign-in.ts";
import { StartOver } from "./code-step.tsx";
import { PasswordForm } from "../../forms/password-form.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

/** Asks for the given password again and for a new one. */
export function ChangePasswordStep({ onDone }: { readonly onDone: (answer: StepAnswer) => unknown }) {
  return (
    <SignInFrame title={signIn.changeTitle} hint={signIn.changeHint}>
      <Stack gap="md">
        <PasswordForm onDone={onDone} />
        <StartOver />
      </Stack>
    </SignInFrame>
  );
}
