// Addresses of the pages for signing in, of one merchant's logins.
// What belongs here: their form, which the dashboard reads in dashboard/src/app/place.ts.
import type { LoginKey } from "./login.ts";

type SignInPage = "sign-in" | "reset-password" | "confirm-email";

/**
 * Where the logins of a merchant, or operators, sign in. It is given with every login, whether or not its address has
 * others: so it says nothing about them.
 * @param publicUrl the address under which browsers reach the server
 */
export function signInLink(
  publicUrl: string,
  { merchantId }: Pick<LoginKey, "merchantId">,
  page: SignInPage = "sign-in",
): string {
  return `${publicUrl.replace(/\/$/, "")}/${page}${merchantId === 0n ? "" : `?merchant=${merchantId}`}`;
}
