// Who is signed in, and what they may do. The server decides; this is for showing only what would be allowed.
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { api, ApiError, keepCsrfToken, noticeSignedOut } from "./client.ts";
import type { Answer } from "./contract.ts";

/** What a step of signing in, and a change of password, is answered with. */
export type StepAnswer = Answer<"POST", "/session/sign-in">;

export type Session = Answer<"GET", "/session">;

export type Permission = Session["permissions"][number];

/** The session of this browser; `null` where nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["/session"],
  queryFn: async ({ signal, client }): Promise<Session | null> => {
    try {
      const session = await api("GET", "/session", { signal, mayBeSignedOut: true });
      keepCsrfToken(session.csrf_token);
      return session;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      // What is on the page stays there: its session is opened again in a dialog.
      const before = client.getQueryData<Session | null>(["/session"]);
      return before?.state === "signed_in" && noticeSignedOut(error) ? before : null;
    }
  },
  staleTime: 60_000,
});

/** The session, on pages that nobody sees without one. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data) throw new ApiError(401, { message: "Sign in to go on.", code: "not_signed_in" });
  return data;
}

/** The session's merchant, on pages that belong to one. */
export function useMerchant(): NonNullable<Session["merchant"]> {
  const { merchant } = useSession();
  if (!merchant) throw new ApiError(404, { message: "Choose a merchant first.", code: "merchant_not_found" });
  return merchant;
}

/** Asks whether the user who is signed in may do something: `const may = usePermissions(); may("payouts.transfer")`. */
export function usePermissions(): (permission: Permission) => boolean {
  const { permissions } = useSession();
  return (permission) => permissions.includes(permission);
}
