// Signing in, step by step: password, second factor, a new password.
// The server knows the step, so an unfinished sign-in continues where it stopped.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { api, keepCsrfToken } from "../../api/client.ts";
import { sessionQuery, type StepAnswer } from "../../api/session.ts";
import { LoadingPage } from "../../app/failure-page.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { signIn } from "../../strings/sign-in.ts";
import { merchantPart, SignInFrame, SignInLink, useSignInMerchant } from "./sign-in-frame.tsx";
import { Anchor, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { keepSignInMerchant, offeredEmail, signInAddress } from "../../app/place.ts";
import { LinkTo } from "../../components/actions.tsx";
import { Form, useApiForm } from "../../forms/form.tsx";
import { PasswordForm } from "../../forms/password-form.tsx";

/** Sign-in, with `merchant` in the address to that one. With `next` in it, it goes there afterwards. */
export function Page() {
  const queries = useQueryClient();
  const { next }: { next?: string } = useSearch({ strict: false });
  const { data: session, error, isPending } = useQuery(sessionQuery);
  const merchant = useSignInMerchant();
  // The link of another merchant signs in there, no matter who is signed in here.
  const isThere = merchant === null || session?.merchant?.id === merchant;
  const isSignedIn = session?.state === "signed_in" && isThere;
  useEffect(() => {
    // Loaded anew: the address may be of another account's dashboard.
    if (isSignedIn) location.replace(ownAddress(next));
  }, [isSignedIn, next]);

  const goOn = async ({ csrf_token }: StepAnswer): Promise<void> => {
    keepCsrfToken(csrf_token);
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  if (isPending || isSignedIn) return <LoadingPage />;
  if (error) {
    return (
      <SignInFrame title={signIn.title}>
        <ErrorNotice error={error} onRetry={() => void queries.resetQueries({ queryKey: sessionQuery.queryKey })} />
      </SignInFrame>
    );
  }
  if (session?.state === "second_factor") return <CodeStep onDone={goOn} />;
  if (session?.state === "change_password") return <ChangePasswordStep onDone={goOn} />;
  return <PasswordStep onDone={goOn} />;
}

/** Only an address of this dashboard: a link to sign-in must not lead elsewhere afterwards. */
function ownAddress(next: string | undefined): string {
  if (next === undefined) return "/";
  const url = URL.parse(next, location.origin);
  // The whole address: a path such as //example.com, by itself, is another host.
  return url?.origin === location.origin ? url.href : "/";
}

/** Asks for e-mail and password, and shows the merchant's number if the address has one. Strangers don't see its name. */
function PasswordStep({ onDone }: { readonly onDone: (answer: StepAnswer) => unknown }) {
  const merchant = useSignInMerchant();
  // For users who come from another login of the same e-mail.
  const email = offeredEmail();
  const sent = useApiForm({
    initialValues: { email, password: "" },
    submit: (values) => api("POST", "/session/sign-in", { body: { ...values, ...merchantPart(merchant) } }),
    onDone: (answer) => {
      keepSignInMerchant(merchant);
      return onDone(answer);
    },
  });
  const forgot = <SignInLink to="/forgot-password" label={signIn.forgot} />;
  const where = merchant !== null && (
    <Text size="sm" c="dimmed">
      {signIn.toMerchant(merchant)} <LinkTo label={signIn.elsewhere} to="/sign-in" size="sm" underline="always" />
    </Text>
  );
  return (
    <SignInFrame title={signIn.title}>
      <Form of={sent} label={signIn.submit} failed={signIn.failed} aside={forgot} intro={where} noValidate={false}>
        <TextInput
          {...sent.field("email", signIn.email)}
          type="email"
          autoComplete="username"
          autoFocus={email === ""}
          required
        />
        <PasswordInput
          {...sent.field("password", signIn.password)}
          autoComplete="current-password"
          autoFocus={email !== ""}
          required
        />
      </Form>
    </SignInFrame>
  );
}

type Props = { readonly onDone: (answer: StepAnswer) => unknown };

/** Asks for the second factor. */
function CodeStep({ onDone }: Props) {
  const [isRecovery, setRecovery] = useState(false);
  const [field, label] = isRecovery
    ? (["recovery_code", signIn.recoveryCode] as const)
    : (["code", signIn.code] as const);
  const sent = useApiForm({
    initialValues: { code: "", recovery_code: "" },
    submit: ({ code, recovery_code }) => {
      const body: { code?: string; recovery_code?: string } = isRecovery
        ? { recovery_code: recovery_code.trim() }
        : { code: code.trim() };
      return api("POST", "/session/sign-in/second-factor", { body });
    },
    onDone,
  });
  const footer = (
    <>
      <Anchor component="button" type="button" size="sm" ta="left" onClick={() => setRecovery(!isRecovery)}>
        {isRecovery ? signIn.useCode : signIn.useRecovery}
      </Anchor>
      <StartOver />
    </>
  );
  return (
    <SignInFrame title={signIn.codeTitle} hint={isRecovery ? signIn.recoveryHint : signIn.codeHint}>
      <Form of={sent} label={signIn.continue} failed={signIn.failed} noValidate={false} footer={footer}>
        <TextInput
          key={field}
          {...sent.field(field, label)}
          autoFocus
          required
          {...(isRecovery ? {} : { inputMode: "numeric" as const })}
          autoComplete={isRecovery ? "off" : "one-time-code"}
        />
      </Form>
    </SignInFrame>
  );
}

/** Ends the half-finished sign-in. */
function StartOver() {
  const startOver = async (): Promise<void> => {
    await api("POST", "/session/sign-out", { body: {} }).catch(() => {});
    location.assign(signInAddress("/"));
  };
  return (
    <Anchor component="button" type="button" size="sm" ta="left" onClick={() => void startOver()}>
      {signIn.startOver}
    </Anchor>
  );
}

/** Asks for the given password again and for a new one. */
function ChangePasswordStep({ onDone }: { readonly onDone: (answer: StepAnswer) => unknown }) {
  return (
    <SignInFrame title={signIn.changeTitle} hint={signIn.changeHint}>
      <Stack gap="md">
        <PasswordForm onDone={onDone} />
        <StartOver />
      </Stack>
    </SignInFrame>
  );
}
