// The signed-in user and their permissions. The server decides; the dashboard only hides what would be refused.
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { api, ApiError, keepCsrfToken, noticeSignedOut } from "./client.ts";
import type { Answer } from "./contract.ts";

/** The answer to a sign-in step or a change of password. */
export type StepAnswer = Answer<"POST", "/session/sign-in">;

export type Session = Answer<"GET", "/session">;

export type Permission = Session["permissions"][number];

/** The session of this browser; `null` if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["/session"],
  queryFn: async ({ signal, client }): Promise<Session | null> => {
    try {
      const session = await api("GET", "/session", { signal, mayBeSignedOut: true });
      keepCsrfToken(session.csrf_token);
      return session;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      // The page stays, and a dialog asks to sign in again.
      const before = client.getQueryData<Session | null>(["/session"]);
      return before?.state === "signed_in" && noticeSignedOut(error) ? before : null;
    }
  },
  staleTime: 60_000,
});

/** The session, on pages that need one. */
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

/** Checks the signed-in user's permissions: `const may = usePermissions(); may("payouts.transfer")`. */
export function usePermissions(): (permission: Permission) => boolean {
  const { permissions } = useSession();
  return (permission) => permissions.includes(permission);
}
