// Who is signed in, and what they may do. The server decides; this is for showing only what would be allowed.
// What belongs here: the session as the server describes it, and its parts as hooks.
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { api, ApiError, keepCsrfToken } from "./client.ts";

type SignInState = "signed_in" | "second_factor" | "change_password";

/** What a step of signing in, and a change of password, is answered with. */
export type StepAnswer = { readonly state: SignInState; readonly csrf_token: string };

export type Session = {
  readonly state: SignInState;
  readonly kind: "user" | "franchise" | "operator";
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly permissions: readonly string[];
  readonly merchant: {
    readonly id: string;
    readonly name: string;
    readonly live: boolean;
    readonly time_zone: string;
    /** YYYY-MM-DD. */
    readonly today: string;
    /** Where its users and franchises sign in. */
    readonly sign_in_url: string;
  } | null;
  readonly franchise_id: string | null;
  readonly csrf_token: string;
  readonly second_factor: boolean;
  readonly recovery_codes_left: number;
  readonly must_enrol: boolean;
  readonly must_change_password: boolean;
};

/** The session of this browser; `null` where nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await api<Session>("GET", "/session", { signal, mayBeSignedOut: true });
      keepCsrfToken(session.csrf_token);
      return session;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** The session, on pages that nobody sees without one. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data) throw new ApiError(401, { error: "Sign in to go on.", code: "not_signed_in" });
  return data;
}

/** The session's merchant, on pages that belong to one. */
export function useMerchant(): NonNullable<Session["merchant"]> {
  const { merchant } = useSession();
  if (!merchant) throw new ApiError(404, { error: "Choose a merchant first.", code: "merchant_not_found" });
  return merchant;
}

/** Asks whether whoever is signed in may do something: `const may = usePermissions(); may("payouts.transfer")`. */
export function usePermissions(): (permission: string) => boolean {
  const { permissions } = useSession();
  return (permission) => permissions.includes(permission);
}
