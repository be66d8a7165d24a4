// The dialog for signing in again: the password, then the code of the second factor if there is one.
import { Anchor, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { api } from "../api/client.ts";
import { useSession, type StepAnswer } from "../api/session.ts";
import { Dialog } from "../forms/dialogs.tsx";
import { Form, useApiForm } from "../forms/form.tsx";
import { signIn } from "../strings/sign-in.ts";
import { unsaved } from "../strings/unsaved.ts";
import { signInAddress } from "./place.ts";

type Props = { readonly onDone: (answer: StepAnswer) => unknown };

/** Asks for the current step's input. Empty while there is a session; it can't be closed. */
export function SignInAgain({ step, onDone }: Props & { readonly step: "none" | "password" | "code" }) {
  if (step === "none") return null;
  return (
    <Dialog title={unsaved.sessionTitle} closeOnClickOutside={false} onClose={() => {}} withCloseButton={false}>
      <Stack gap="md">
        <Text>{unsaved.sessionText}</Text>
        {step === "password" ? <PasswordForm onDone={onDone} /> : <CodeForm onDone={onDone} />}
      </Stack>
    </Dialog>
  );
}

function PasswordForm({ onDone }: Props) {
  const { email, kind, merchant } = useSession();
  const sent = useApiForm({
    initialValues: { password: "" },
    submit: ({ password }) => {
      const of = kind === "operator" || !merchant ? {} : { merchant: merchant.id };
      return api("POST", "/session/sign-in", { body: { email, password, ...of }, mayBeSignedOut: true });
    },
    onDone,
  });
  const other = (
    <Anchor href={signInAddress("/")} size="sm">
      {unsaved.otherAccount}
    </Anchor>
  );
  return (
    <Form of={sent} label={signIn.submit} failed={signIn.failed} aside={other} noValidate={false}>
      <TextInput label={signIn.email} value={email} readOnly autoComplete="username" />
      <PasswordInput
        {...sent.field("password", signIn.password)}
        autoComplete="current-password"
        data-autofocus
        required
      />
    </Form>
  );
}

function CodeForm({ onDone }: Props) {
  const sent = useApiForm({
    initialValues: { code: "" },
    submit: ({ code }) =>
      api("POST", "/session/sign-in/second-factor", { body: { code: code.trim() }, mayBeSignedOut: true }),
    onDone,
  });
  return (
    <Form of={sent} label={signIn.continue} failed={signIn.failed} noValidate={false}>
      <TextInput
        {...sent.field("code", signIn.code)}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        required
      />
    </Form>
  );
}
