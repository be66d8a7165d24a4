// Signing in, step by step: password, second factor, a password of one's own.
// The server knows; a half-finished sign-in goes on where it stopped.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { keepCsrfToken } from "../../api/client.ts";
import { sessionQuery, type StepAnswer } from "../../api/session.ts";
import { LoadingPage } from "../../app/failure-page.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { signIn } from "../../strings/sign-in.ts";
import { SignInFrame, useSignInMerchant } from "./sign-in-frame.tsx";
import { ChangePasswordStep, CodeStep, PasswordStep } from "./steps.tsx";

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
