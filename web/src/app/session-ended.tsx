// When a session ends, somebody signs in again in a dialog, and the page stays as it is with what was typed. It is for
// the same login: another one starts on a page of its own.
import { Anchor, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, keepCsrfToken, whenSignedOut } from "../api/client.ts";
import { sessionQuery, useSession, type StepAnswer } from "../api/session.ts";
import { Dialog } from "../forms/dialogs.tsx";
import { Form, useApiForm } from "../forms/form.tsx";
import { signIn } from "../strings/sign-in.ts";
import { unsaved } from "../strings/unsaved.ts";
import { signInAddress } from "./place.ts";

type Step = "none" | "password" | "code";

/** Nothing while there is a session. */
export function SessionEnded() {
  const session = useSession();
  const queries = useQueryClient();
  const [step, setStep] = useState<Step>("none");
  useEffect(() => {
    whenSignedOut(() => {
      setStep((now) => (now === "none" ? "password" : now));
      return true;
    });
    return () =>
      whenSignedOut(() => {
        location.assign(signInAddress());
        return false;
      });
  }, []);
  const goOn = async ({ state, csrf_token }: StepAnswer): Promise<void> => {
    keepCsrfToken(csrf_token);
    if (state === "second_factor") return setStep("code");
    const opened = state === "signed_in" ? await api("GET", "/session") : null;
    // Somebody else, or one who has to choose a password first: not on this page.
    if (opened?.id !== session.id || opened.kind !== session.kind) return location.assign(signInAddress("/"));
    queries.setQueryData(sessionQuery.queryKey, opened);
    setStep("none");
    await queries.invalidateQueries();
  };
  if (step === "none") return null;
  return (
    <Dialog title={unsaved.sessionTitle} closeOnClickOutside={false} onClose={() => {}} withCloseButton={false}>
      <Stack gap="md">
        <Text>{unsaved.sessionText}</Text>
        {step === "password" ? <PasswordForm onDone={goOn} /> : <CodeForm onDone={goOn} />}
      </Stack>
    </Dialog>
  );
}

type Props = { readonly onDone: (answer: StepAnswer) => unknown };

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
