// Logins of the dashboard: users of a merchant, franchises, and operators of the installation.
import { NodalError } from "../../platform/errors.ts";
import { changedWithSql } from "../../platform/secrets/index.ts";
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
  /** Whether this user gets mail about approvals it can decide: docs/rules/access.md#mail-about-approvals. */
  readonly approvalMail: boolean;
  readonly hasSecondFactor: boolean;
  /** Set if the row was changed with SQL: then nothing relies on it. */
  readonly isChanged?: true;
  readonly disabledAt: Temporal.Instant | null;
  readonly createdAt: Temporal.Instant;
  readonly lastSignInAt: Temporal.Instant | null;
};

/** The error for a login changed with SQL: its role, address, second factor, or whether it may sign in. */
export function loginChanged(): NodalError {
  return changedWithSql("This user");
}

/** The error for an unknown login. */
export function userNotFound(): NodalError {
  return new NodalError("user_not_found", "There is no such user. Choose one from the list of users.");
}

/** The error for an e-mail that another login of the merchant has. Logins of other merchants are never disclosed. */
export function emailTaken(): NodalError {
  return new NodalError("email_taken", "Another user already has this e-mail. Use another address.", {
    errors: [{ field: "email", code: "not_allowed", problem: "is already another user's: use another address." }],
  });
}

/** The error for a change that would leave a merchant without an Owner. */
export function lastOwner(): NodalError {
  return new NodalError("last_owner", "This is the last active Owner. Make another user an Owner first.");
}

/** The error for a used or expired link. */
export function linkRefused(): NodalError {
  return new NodalError("link_refused", "This link was already used or has expired. Request a new one.");
}

/** The error for a request without a valid session. */
export function notSignedIn(): NodalError {
  return new NodalError("not_signed_in", "Your session expired. Sign in again.");
}

/** The error for users of a merchant that is suspended, or was changed with SQL. */
export function suspended(merchant: { readonly isChanged?: true } | null = null): NodalError {
  if (merchant?.isChanged) return changedWithSql("This merchant");
  return new NodalError("access_denied", "This account is suspended. Contact the operator of this service.");
}

// web/src/app/place.ts parses these addresses.
type SignInPage = "sign-in" | "reset-password" | "confirm-email";

/**
 * The sign-in address of a merchant's logins, or of operators. It is given with every login, whether or not its e-mail address has
 * others: so it discloses nothing about them.
 * @param publicUrl the server's address for browsers
 */
export function signInLink(
  publicUrl: string,
  { merchantId }: Pick<LoginKey, "merchantId">,
  page: SignInPage = "sign-in",
): string {
  return `${publicUrl.replace(/\/$/, "")}/${page}${merchantId === 0n ? "" : `?merchant=${merchantId}`}`;
}
