// Logins: all who sign in to the dashboard. Users of a merchant, franchises, and operators of the installation.
// What belongs here: types and refusals, no database.
import { NodalError } from "../../platform/errors.ts";
import type { MerchantKey } from "../merchant.ts";

export type LoginKind = "user" | "franchise" | "operator";

/** Operators belong to no merchant: their key has the bucket and the merchant 0. */
export const OPERATORS: MerchantKey = { bucket: 0, merchantId: 0n };

export type LoginKey = MerchantKey & { readonly loginId: bigint };

export type Login = LoginKey & {
  readonly kind: LoginKind;
  readonly email: string;
  readonly name: string;
  readonly roleName: string;
  readonly mustChangePassword: boolean;
  /** Whether mail tells of what waits for this person's decision: docs/rules/access.md#mail-about-approvals. */
  readonly approvalMail: boolean;
  readonly hasSecondFactor: boolean;
  readonly disabledAt: Temporal.Instant | null;
  readonly createdAt: Temporal.Instant;
  readonly lastSignInAt: Temporal.Instant | null;
};

/** The refusal for a login that there is not. */
export function userNotFound(): NodalError {
  return new NodalError("user_not_found", "There is no such user: take an id from the list of users.");
}

/** The refusal for an address that another login of the merchant has. What it has at others is nobody's to be told. */
export function emailTaken(): NodalError {
  return new NodalError("email_taken", "Another login here has this e-mail already: use another address.", {
    errors: [{ field: "email", code: "not_allowed", problem: "is another login's here already: use another address." }],
  });
}

/** The refusal for what would leave a merchant without anybody who may do everything. */
export function lastOwner(): NodalError {
  return new NodalError(
    "last_owner",
    "This is the last enabled Owner with a login: make another user an Owner first, so that somebody may do everything.",
  );
}

/** The refusal for a link that counts no more. */
export function linkRefused(): NodalError {
  return new NodalError("link_refused", "This link was used already, or is too old: ask for another one.");
}

/** The refusal for who is not signed in, or not any more. */
export function notSignedIn(): NodalError {
  return new NodalError("not_signed_in", "You are not signed in, or not any more: sign in again.");
}

/** The refusal for people of a merchant that is suspended. */
export function suspended(): NodalError {
  return new NodalError("access_denied", "This merchant is suspended: ask the operator of this service.");
}

// The form of these addresses is what the dashboard reads in web/src/app/place.ts.
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
